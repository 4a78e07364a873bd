import AccessControl
import POSIX
import TestSupport
import Testing

@testable import Ledger

@Suite("Whether the state is the newest")
struct NewestTests {
  let place: Place

  init() throws { place = try Place() }

  /// A state that counts as the newest, with some records, closed.
  private func prepare(records: Int = 3) throws {
    let ledger = try place.open()
    try ledger.raiseFloors([1: 50], at: Samples.time(0))
    for slot in 0..<records { try ledger.record(Samples.grant(slot: 100 + UInt64(slot))) }
  }

  @Test func aFreshStateIsNot() throws {
    let ledger = try place.open()
    #expect(!ledger.isNewest)
    #expect(try place.volatileLine() == nil)
  }

  @Test func itIsOnceTheFloorsAreUp() throws {
    let ledger = try place.open()
    try ledger.raiseFloors([1: 50, 2: 60], at: Samples.time(3))
    #expect(ledger.isNewest)
    #expect(!ledger.volatileNumberIsLost)
    #expect(try ledger.floor(ofDoor: 1) == 50)
    #expect(try ledger.floor(ofDoor: 2) == 60)
    #expect(try ledger.lastRecordTime() == Samples.time(3))
    try ledger.raiseFloors([1: 40, 2: 61], at: Samples.time(4))
    #expect(try ledger.floor(ofDoor: 1) == 50)
    #expect(try ledger.floor(ofDoor: 2) == 61)
  }

  @Test func itIsWhereTheNumbersAreEqual() throws {
    try prepare()
    #expect(try place.open().isNewest)
    // And after a start that recorded nothing, and one that did.
    do { try place.open().record(Samples.grant(slot: 200)) }
    #expect(try place.open().isNewest)
  }

  @Test func itIsAfterAKillInTheMiddle() throws {
    let ledger = try place.open()
    try ledger.raiseFloors([1: 50], at: Samples.time(0))
    try ledger.record(Samples.grant())
    let before = try Place(sharing: place)
    let after = try Place(sharing: place)
    try place.copyState(to: before)
    // The moment between the intention and the end of the transaction, with the disk before and after it.
    let number = try ledger.read { $0.number }
    try ledger.record(Samples.grant(slot: 101))
    try place.copyState(to: after)
    let name = try #require(try place.volatile.names().first)
    let line = try #require(try place.volatileLine())
    let between = line.prefix(37) + "\(padded(number)) \(padded(number + 1))\n"
    for copy in [before, after] {
      try place.volatile.write(name, String(between))
      #expect(try copy.open().isNewest)
    }
  }

  @Test func itIsNotWhereTheNumberIsGone() throws {
    try prepare()
    try removeFile(place.volatile(place.volatile.names()[0]))
    #expect(try !place.open().isNewest)
  }

  @Test(arguments: ["", "x", "other boot", "lower", "higher", "behind it"])
  func itIsNotWhereTheLineDiffers(_ change: String) throws {
    try prepare()
    let name = try #require(try place.volatile.names().first)
    let line = try #require(try place.volatileLine())
    let number = try #require(Int64(line.dropFirst(37).prefix(19)))
    let head = String(line.prefix(37))
    let changed =
      switch change {
      case "other boot": String(repeating: "0", count: 36) + line.dropFirst(36)
      case "lower": head + "\(padded(number - 1)) \(padded(number - 1))\n"
      case "higher": head + "\(padded(number + 1)) \(padded(number + 1))\n"
      case "behind it": line + " "
      default: change
      }
    try place.volatile.write(name, changed)
    #expect(try !place.open().isNewest)
  }

  @Test func aRestoredBackupIsNot() throws {
    try prepare()
    let backup = try Place(sharing: place)
    try place.copyState(to: backup)
    do { try place.open().record(Samples.grant(slot: 300)) }
    let ledger = try backup.open()
    #expect(!ledger.isNewest)
    #expect(try ledger.states(ofDoor: 1).first?.mark == Samples.mark(102))
  }

  @Test func aSecondStartDoesNotMakeItSo() throws {
    try prepare()
    let backup = try Place(sharing: place)
    try place.copyState(to: backup)
    do { try place.open().record(Samples.grant(slot: 300)) }
    do {
      let ledger = try backup.open()
      #expect(!ledger.isNewest)
      try ledger.record(Samples.grant("bob", slot: 301))
    }
    #expect(try !backup.open().isNewest)
    do { try backup.open().raiseFloors([1: 400], at: Samples.time(900)) }
    let ledger = try backup.open()
    #expect(ledger.isNewest)
    #expect(try ledger.floor(ofDoor: 1) == 400)
  }

  @Test func withoutVolatileStorageItNeverIs() throws {
    for _ in 0..<2 {
      let ledger = try Ledger(path: place.path, volatileDirectory: nil)
      #expect(!ledger.isNewest)
      try ledger.raiseFloors([1: 1], at: Samples.time(0))
      #expect(!ledger.volatileNumberIsLost)
    }
  }

  @Test func saysWhenTheNumberCannotBeKept() throws {
    // A file where the directory should be.
    let ledger = try Ledger(path: place.path, volatileDirectory: place.directory.write("blocked", ""))
    #expect(!ledger.isNewest)
    try ledger.raiseFloors([1: 1], at: Samples.time(0))
    #expect(ledger.volatileNumberIsLost)
    try ledger.record(Samples.grant())
  }

  @Test func takesBackTheFuture() throws {
    let ledger = try place.open()
    try ledger.raiseFloors([1: 1_000, 2: 1_000], at: Samples.time(1_000_000))
    try ledger.record(Samples.grant("ahead", at: 1_000_000, slot: 1_000, sequence: 3))
    try ledger.record(Samples.grant("right", at: 1_000_000, slot: 90, sequence: 3))
    try ledger.record(Samples.grant("ahead", door: 2, at: 1_000_000, slot: 1_000))
    let id = try ledger.takeBackFuture([1: 100], LedgerEvent("clock-corrected", at: Samples.time(0)))
    #expect(try ledger.events(after: id - 1, limit: 5).map(\.event.kind) == ["clock-corrected"])
    #expect(try ledger.floor(ofDoor: 1) == 100)
    #expect(try ledger.floor(ofDoor: 2) == 1_000)
    #expect(try ledger.states(ofDoor: 1).map(\.mark) == [Samples.mark(100, 255), Samples.mark(90, 3)])
    #expect(try ledger.states(ofDoor: 2).map(\.mark) == [Samples.mark(1_000)])
    #expect(try ledger.lastRecordTime() == Samples.time(0))
  }

  @Test func onlyATrustedClockSetsTheLastRecordsTime() throws {
    let ledger = try place.open()
    try ledger.heartbeat(at: Samples.time(10), clockTrusted: true)
    #expect(try ledger.lastRecordTime() == Samples.time(10))
    try ledger.heartbeat(at: Samples.time(500), clockTrusted: false)
    var entry = try Samples.grant(at: 600)
    entry.clockTrusted = false
    try ledger.record(entry)
    #expect(try ledger.lastRecordTime() == Samples.time(10))
    #expect(try ledger.events(limit: 5).count == 1)
  }

  private func padded(_ number: Int64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: 19 - digits.count) + digits
  }
}
