import AccessControl
import Database
import Glibc
import POSIX
import TestSupport
import Testing

@testable import Ledger

@Suite("Ledgers that fail")
struct FaultTests {
  let place: Place

  init() throws { place = try Place() }

  private func openingError() -> LedgerError? {
    #expect(throws: LedgerError.self) { try Ledger(path: place.path, volatileDirectory: nil) }
  }

  @Test func aSecondOpenerIsTold() throws {
    let first = try place.open()
    let error = openingError()
    #expect(error?.kind == .busy)
    #expect(error?.message == "\(place.path).lock: another process holds it")
    try first.record(Samples.grant())
  }

  @Test func theNextOpenerMayComeAtOnce() throws {
    for slot in 1...5 { try place.open().record(Samples.grant(slot: UInt64(slot))) }
    #expect(try place.open().events(limit: 10).count == 5)
  }

  @Test func aFileThatIsNoStateIsRefused() throws {
    try place.directory.write(
      "state.db", "not a database, but as long as the header of one would be, and then some more to be sure.")
    let error = openingError()
    #expect(error?.kind == .damaged)
    #expect(error?.message == "\(place.path): not an SQLite database")
  }

  @Test(arguments: [false, true])
  func aStateThatIsGoneIsNotBegunAnew(isEmpty: Bool) throws {
    do {
      let ledger = try place.open()
      try ledger.record(Samples.grant())
      try ledger.accept([1: #require(AcceptedBundle(serial: 1, digest: [UInt8](repeating: 7, count: 32)))])
    }
    for name in ["state.db-wal", "state.db-shm"] where place.directory.has(name) {
      try place.directory.removeTree(name)
    }
    if isEmpty { try place.directory.write("state.db", "") } else { try place.directory.removeTree("state.db") }
    let error = openingError()
    #expect(error?.kind == .damaged)
    #expect(error?.message.contains("state.db.serials says that this door has run") == true)
    #expect(place.directory.has("state.db") == isEmpty)
    // Whoever means it removes both.
    try place.directory.removeTree("state.db.serials")
    _ = try place.open()
  }

  @Test func aStateThatOthersCanReadIsRefused() throws {
    do { try place.open().record(Samples.grant()) }
    try place.directory.write("state.db", bytes: place.directory.read("state.db"))
    let changed = unsafe chmod(place.path, 0o644)
    #expect(changed == 0)
    let error = openingError()
    #expect(error?.kind == .permission)
    #expect(error?.message.contains("chmod 600") == true)
  }

  @Test func aPipeIsNoState() throws {
    let made = unsafe mkfifo(place.path, 0o600)
    #expect(made == 0)
    let error = openingError()
    #expect(error?.kind == .damaged)
    #expect(error?.message == "\(place.path): not a regular file")
  }

  @Test func aStateThatWasCutOffIsRefused() throws {
    do {
      let ledger = try place.open()
      for slot in 1...200 { try ledger.record(Samples.grant(slot: UInt64(slot))) }
    }
    let whole = try place.directory.read("state.db")
    for name in ["state.db-wal", "state.db-shm"] where place.directory.has(name) {
      try place.directory.removeTree(name)
    }
    try place.directory.write("state.db", bytes: Array(whole.dropLast(whole.count / 3)))
    #expect(openingError()?.kind == .damaged)
  }

  @Test func anotherKindOfDatabaseIsRefused() throws {
    do { try Connection(path: place.path).execute("CREATE TABLE t (v)") }
    let error = openingError()
    #expect(error?.kind == .damaged)
    #expect(error?.message == "\(place.path): not a door's state")
  }

  @Test func aNewerStateIsRefusedAndLeftAsItIs() throws {
    do { try place.open().record(Samples.grant()) }
    do { try Connection(path: place.path).execute("INSERT INTO migration (name) VALUES ('0002-future')") }
    let error = openingError()
    #expect(error?.kind == .newerVersion)
    #expect(
      error?.message
        == "\(place.path): door's state of a newer version: this program doesn't know the step 0002-future")
  }

  @Test func aMissingDirectoryIsNamed() throws {
    let error = #expect(throws: LedgerError.self) {
      try Ledger(path: place.directory("nowhere/state.db"), volatileDirectory: nil)
    }
    #expect(error?.kind == .cannotOpen)
    #expect(error?.message.contains("nowhere/state.db") == true)
  }

  @Test func aStateWithoutItsRowIsDamaged() throws {
    do { _ = try place.open() }
    do { try Connection(path: place.path).execute("DELETE FROM ledger") }
    #expect(openingError()?.kind == .damaged)
  }

  @Test func aStoredValueThatMakesNoSenseIsNamed() throws {
    do { try place.open().record(Samples.grant()) }
    do { try Connection(path: place.path).execute("UPDATE credential SET id = 'A B'") }
    let error = #expect(throws: LedgerError.self) { try place.open().states(ofDoor: 1) }
    #expect(error?.kind == .damaged)
    #expect(error?.message == "\(place.path): column id: expected an id, found text of 3 bytes")
  }

  @Test(.enabled(if: SmallFileSystem.isPossible, "mounting needs CAP_SYS_ADMIN"))
  func aFullDiskRecordsNothingByHalves() throws {
    let disk = try SmallFileSystem(in: place.directory, size: "512k")
    let ledger = try Ledger(path: disk("state.db"), volatileDirectory: place.volatile.path)
    try ledger.raiseFloors([1: 1], at: Samples.time(0))
    var recorded: UInt64 = 0
    let error = #expect(throws: LedgerError.self) {
      for slot in 1...100_000 as ClosedRange<UInt64> {
        try ledger.record(Samples.grant(slot: slot, uses: true))
        recorded = slot
      }
    }
    #expect(error?.kind == .noSpace)
    #expect(try ledger.states(ofDoor: 1).first?.mark == Samples.mark(recorded))
    #expect(try ledger.states(ofDoor: 1).first?.usesSpent == UInt32(recorded))
    #expect(try ledger.events(limit: .max).count == Int(recorded))
    try disk.remount(size: "4m")
    #expect(try ledger.record(Samples.grant(slot: recorded + 1)) == Int64(recorded) + 1)
    #expect(!ledger.volatileNumberIsLost)
  }

  /// Whole transactions are there or not at all, whatever prefix of the write-ahead log a power cut leaves.
  @Test func anyTornTailIsSetAside() throws {
    let ledger = try place.open()
    // Enough for the tables to lie in the log's first frames, and then some transactions.
    for slot in 1...12 as ClosedRange<UInt64> {
      try ledger.record(Samples.grant(slot: slot, uses: true, mode: SavedMode(pulseUntil: Int64(slot))))
    }
    let log = try place.directory.read("state.db-wal")
    let frame = 4_096 + 24
    var seen: Set<Int> = []
    for cut in stride(from: log.count, to: log.count - 14 * frame, by: -(frame / 2)) {
      let torn = try Place()
      try torn.directory.write("state.db", bytes: place.directory.read("state.db"))
      try torn.directory.write("state.db-wal", bytes: Array(log.prefix(cut)))
      let copy = try torn.open()
      let events = try copy.events(limit: 100)
      let state = try copy.states(ofDoor: 1).first
      #expect(state?.mark?.slot ?? 0 == UInt64(events.count))
      #expect(state?.usesSpent ?? 0 == UInt32(events.count))
      #expect(try copy.mode(ofDoor: 1).pulseUntil ?? 0 == Int64(events.count))
      #expect(try copy.record(Samples.grant(slot: 99)) == Int64(events.count) + 1)
      seen.insert(events.count)
    }
    #expect(seen.contains(12) && seen.count > 2)
  }

  @Test func aStateThatWasNotClosedIsWhole() throws {
    let ledger = try place.open()
    for slot in 1...20 as ClosedRange<UInt64> {
      try ledger.record(Samples.grant(slot: slot))
      if slot % 5 == 0 {
        let copy = try Place(sharing: place)
        try place.copyState(to: copy)
        #expect(try copy.open().events(limit: 100).count == Int(slot))
      }
    }
  }
}

@Suite("Reading the log beside its writer")
struct LogTests {
  let place: Place

  init() throws { place = try Place() }

  @Test func followsTheWriter() throws {
    let ledger = try place.open()
    try ledger.record(Samples.grant(at: 0, slot: 1))
    let log = try LedgerView(path: place.path)
    #expect(try log.events(limit: 10).map(\.id) == [1])
    try ledger.record(Samples.grant(at: 10, slot: 2))
    try ledger.record(Samples.grant(at: 20, slot: 3))
    #expect(try log.events(after: 1, limit: 10).map(\.id) == [2, 3])
    #expect(try log.events(since: Samples.time(11), limit: 10).map(\.id) == [3])
    #expect(try log.events(limit: 2).map(\.id) == [1, 2])
  }

  @Test func wantsAState() throws {
    let error = #expect(throws: LedgerError.self) { try LedgerView(path: place.path) }
    #expect(error?.kind == .cannotOpen)
    #expect(!place.directory.has("state.db"))
  }
}
