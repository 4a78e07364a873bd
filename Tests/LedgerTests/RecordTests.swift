import AccessControl
import Database
import POSIX
import TestSupport
import Testing

@testable import Ledger

@Suite("Recording")
struct RecordTests {
  let place: Place

  init() throws { place = try Place() }

  @Test func aFreshStateKnowsNothing() throws {
    let ledger = try place.open()
    #expect(try ledger.states(ofDoor: 1) == [])
    #expect(try ledger.presses(ofDoor: 1, since: WallTime(seconds: .min)) == [])
    #expect(try ledger.mode(ofDoor: 1) == SavedMode())
    #expect(try ledger.floor(ofDoor: 1) == nil)
    #expect(try ledger.lastRecordTime() == nil)
    #expect(try ledger.acceptedBundle(ofDoor: 1) == nil)
    #expect(try fileStatus(place.path)?.permissions == 0o600)
  }

  @Test func keepsAGrantWhole() throws {
    let mode = SavedMode(hold: .until(Samples.noon + 60), pulseUntil: Samples.noon + 5)
    let entry = try Samples.grant(slot: 9, sequence: 3, uses: true, mode: mode)
    do { #expect(try place.open().record(entry) == 1) }
    let ledger = try place.open()
    #expect(
      try ledger.states(ofDoor: 1) == [
        CredentialState(credential: Samples.id("alice-phone"), mark: Samples.mark(9, 3), usesSpent: 1)
      ])
    #expect(try ledger.mode(ofDoor: 1) == mode)
    #expect(try ledger.events(limit: 10) == [StoredEvent(id: 1, event: entry.event)])
    #expect(
      try ledger.presses(ofDoor: 1, since: Samples.time(0)) == [
        RecordedPress(
          event: 1, credential: Samples.id("alice-phone"), command: .unlock, argument: 0, press: 7, result: 1,
          time: entry.event.time)
      ])
    #expect(try ledger.lastRecordTime() == entry.event.time)
    // A record of an earlier time, within a step back of the clock, doesn't make that time good.
    try ledger.record(Samples.grant(at: -600, slot: 200, press: 8))
    #expect(try ledger.lastRecordTime() == entry.event.time)
    #expect(try ledger.states(ofDoor: 2) == [])
  }

  @Test func aMarkNeverFalls() throws {
    let ledger = try place.open()
    let steps: [(UInt64, UInt8, expected: (UInt64, UInt8))] = [
      (5, 9, (5, 9)), (5, 8, (5, 9)), (4, 255, (5, 9)), (5, 10, (5, 10)), (6, 0, (6, 0)), (5, 255, (6, 0)),
      (UInt64(Int64.max), 255, (UInt64(Int64.max), 255)), (7, 0, (UInt64(Int64.max), 255)),
    ]
    for (slot, sequence, expected) in steps {
      try ledger.record(Samples.grant(slot: slot, sequence: sequence))
      #expect(try ledger.states(ofDoor: 1).first?.mark == Samples.mark(expected.0, expected.1))
    }
    #expect(RecordedMark(slot: 1 << 63, sequence: 0) == nil)
  }

  @Test func marksAreOfADoorAndACredential() throws {
    let ledger = try place.open()
    try ledger.record(Samples.grant("b", door: 1, slot: 1))
    try ledger.record(Samples.grant("a", door: 1, slot: 2))
    try ledger.record(Samples.grant("a", door: 2, slot: 3))
    try ledger.record(Samples.grant("a.b", door: 1, slot: 4))
    #expect(try ledger.states(ofDoor: 1).map { "\($0.credential) \($0.mark?.slot ?? 0)" } == ["a 2", "a.b 4", "b 1"])
    #expect(try ledger.states(ofDoor: 2).map { "\($0.credential) \($0.mark?.slot ?? 0)" } == ["a 3"])
  }

  @Test func aUseWithoutAMarkCounts() throws {
    let ledger = try place.open()
    var entry = try Samples.grant(uses: true)
    entry.mark = nil
    for _ in 0..<3 { try ledger.record(entry) }
    #expect(
      try ledger.states(ofDoor: 1).first
        == CredentialState(credential: Samples.id("alice-phone"), mark: nil, usesSpent: 3))
    try ledger.record(Samples.grant(slot: 1))
    #expect(try ledger.states(ofDoor: 1).first?.mark == Samples.mark(1))
    #expect(try ledger.states(ofDoor: 1).first?.usesSpent == 3)
  }

  @Test(arguments: [
    SavedMode(), SavedMode(isLockedDown: true), SavedMode(hold: .indefinite), SavedMode(hold: .until(-5)),
    SavedMode(pulseUntil: .max),
  ])
  func keepsAMode(_ mode: SavedMode) throws {
    let ledger = try place.open()
    try ledger.record(Samples.grant(mode: SavedMode(isLockedDown: true, hold: .until(1), pulseUntil: 1)))
    try ledger.record(Samples.grant(slot: 101, mode: mode))
    try ledger.record(Samples.grant(slot: 102))
    #expect(try ledger.mode(ofDoor: 1) == mode)
  }

  @Test func anEventOfNoDoorChangesOnlyTheLog() throws {
    let ledger = try place.open()
    var event = LedgerEvent("started", at: WallTime(seconds: -1, nanoseconds: 1_000_000))
    event.detail = "version 1; \u{202E} kept as it is"
    #expect(try ledger.record(LedgerEntry(event)) == 1)
    #expect(try ledger.events(limit: 1).first?.event == event)
    #expect(try ledger.lastRecordTime() == nil)
  }

  @Test func onlyPressesThatCountAreRemembered() throws {
    let ledger = try place.open()
    try ledger.record(Samples.grant(at: -100, slot: 1, press: 1))
    var denied = try Samples.grant(at: 0, slot: 2, press: 2)
    denied.event.reason = .challengeRequired
    denied.event.result = Reason.challengeRequired.answerResult
    try ledger.record(denied)
    var malformed = try Samples.grant(at: 0, slot: 3, press: 3)
    malformed.event.kind = "malformed"
    malformed.event.reason = .malformed
    malformed.event.result = nil
    try ledger.record(malformed)
    try ledger.record(Samples.grant(at: 0, slot: 4, press: 4))
    try ledger.record(Samples.grant(door: 2, at: 0, slot: 4, press: 5))
    try ledger.record(Samples.grant(at: 5_000, slot: 5, press: 6))
    #expect(try ledger.presses(ofDoor: 1, since: Samples.time(-20)).map(\.press) == [4, 6])
    #expect(try ledger.presses(ofDoor: 1, since: Samples.time(-200)).map(\.press) == [1, 4, 6])
  }

  @Test func whatWaitedForTheLockHasTheResultThatItCameTo() throws {
    let ledger = try place.open()
    func grant(press: UInt8, lock kinds: [String]) throws -> Int64 {
      var entry = try Samples.grant(press: press)
      entry.event.result = nil
      let id = try ledger.record(entry)
      for kind in kinds {
        var event = LedgerEvent(kind, at: Samples.time(1))
        event.follows = id
        try ledger.record(LedgerEntry(event, doorNumber: 1))
      }
      return id
    }
    _ = try grant(press: 1, lock: ["lock", "lock"])
    _ = try grant(press: 2, lock: ["lock-failed", "lock"])
    // It opened; that it couldn't be closed later is another matter.
    _ = try grant(press: 3, lock: ["lock", "lock-failed"])
    // Killed between the record and the lock.
    let killed = try grant(press: 4, lock: [])
    #expect(try ledger.presses(ofDoor: 1, since: Samples.time(0)).map(\.result) == [1, 6, 1, 6])
    // Another frame of the same intent, heard while the lock was waited for.
    var again = try Samples.grant(press: 4)
    again.event.kind = "repeated"
    again.event.result = nil
    again.event.follows = killed
    try ledger.record(again)
    #expect(try ledger.presses(ofDoor: 1, since: Samples.time(0)).map(\.result) == [1, 6, 1, 6, 6])
    // A frame that was no command has none.
    again.event.kind = "malformed"
    again.event.follows = nil
    try ledger.record(again)
    #expect(try ledger.presses(ofDoor: 1, since: Samples.time(0)).count == 5)
  }

  @Test func numbersEventsFromOneUpwards() throws {
    do {
      let ledger = try place.open()
      for slot in 1...3 { try ledger.record(Samples.grant(slot: UInt64(slot))) }
    }
    let ledger = try place.open()
    #expect(try ledger.record(Samples.grant(slot: 4)) == 4)
    #expect(try ledger.events(after: 2, limit: 1).map(\.id) == [3])
  }

  @Test func keepsTheNewestEvents() throws {
    let ledger = try Ledger(path: place.path, volatileDirectory: nil, eventLimit: 1)
    let entry = try Samples.grant()
    // In one transaction, since a thousand of them would take their time on a slow disk.
    try ledger.change(recorded: nil) { (store) throws(DatabaseError) in
      for _ in 0..<12_800 { _ = try store.write(entry) }
    }
    let kept = try ledger.events(limit: 20_000)
    #expect(kept.last?.id == 12_800)
    #expect(kept.first?.id == 12_800 - Ledger.smallestEventLimit + 1)
    #expect(try ledger.record(entry) == 12_801)
  }

  @Test func recordsFromSeveralThreads() throws {
    let ledger = try place.open()
    let ids = Monitor<Set<Int64>>([])
    let threads = try (0..<4).map { door in
      try Thread(name: "recorder") {
        for slot in 0..<25 {
          guard let entry = try? Samples.grant(door: UInt16(door + 1), slot: UInt64(slot)),
            let id = try? ledger.record(entry)
          else { continue }
          ids.withLock { _ = $0.insert(id) }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(ids.withLock { $0 } == Set(1...100))
  }
}
