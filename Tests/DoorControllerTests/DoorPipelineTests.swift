import AccessControl
import AirProtocol
import Ledger
import POSIX
import TestSupport
import Testing

@testable import DoorController

/// From an HCI event to the lock: order, decision, ledger, and only then the opening.
@Suite struct DoorPipelineTests {
  /// A door past the wait of its first start.
  private func door(_ rules: CredentialRule..., policy: [String] = []) throws -> TestDoor {
    let door = try TestDoor(rules, policy: policy)
    door.pass(.seconds(3))
    return door
  }

  @Test func aGrantIsRecordedThenOpens() throws {
    let door = try door(rule("alice"))
    let told = try door.hear(door.frame("alice"))
    let event = try #require(told.first)
    #expect(told.count == 1 && event.kind == .granted)
    #expect(event.id != nil && event.credential == "alice" && event.holder == "Holder of alice")
    #expect(event.command == "unlock" && event.freshness == "time" && event.sequence == 0)
    #expect(door.lock.orders.last == .open(until: door.time.boot + .seconds(3)))
    let stored = try door.pipeline.ledger.events(after: 0, limit: 100).filter { $0.event.kind == "granted" }
    #expect(stored.map(\.id) == [event.id])
  }

  @Test func theSameAdvertOpensOnce() throws {
    let door = try door(rule("alice"))
    let frame = try door.frame("alice", slot: 2)
    for _ in 0..<100 { try door.hear(frame) }
    #expect(door.events(.granted).count == 1)
    #expect(door.lock.openings == 1)
    #expect(try door.pipeline.snapshot().repeated == 99)
  }

  @Test func afterARestartTheDiskKnowsTheFrame() throws {
    let door = try door(rule("alice"))
    let frame = try door.frame("alice", slot: 2)
    try door.hear(frame)
    try door.restart()
    let told = try door.hear(frame)
    #expect(told.map(\.kind) == [.replayed])
    #expect(door.lock.openings == 1)
    // Marks that are the newest need no wait: a new frame opens at once.
    #expect(try door.hear(door.frame("alice", slot: 2, sequence: 1, press: 2)).map(\.kind) == [.granted])
  }

  @Test func aPressIsRememberedAcrossARestart() throws {
    let door = try door(rule("alice"))
    try door.hear(door.frame("alice", press: 9))
    try door.restart()
    #expect(try door.hear(door.frame("alice", slot: 1, press: 9)).isEmpty)
    #expect(try door.pipeline.snapshot().repeated == 1)
    #expect(door.lock.openings == 1)
  }

  @Test func aLongPressIsOneEvenOverARestart() throws {
    let door = try door(rule("alice"))
    try door.hear(door.frame("alice", press: 9))
    door.pass(.seconds(7))
    let last = try door.frame("alice", slot: 2, press: 9)
    #expect(try door.hear(last).isEmpty)
    try door.restart()
    door.pass(.milliseconds(3_400))
    #expect(try door.hear(last).map(\.kind) == [.replayed])
    #expect(try door.hear(door.frame("alice", slot: 1, press: 9)).isEmpty)
    #expect(door.lock.openings == 1)
  }

  @Test func whatCameToAnUntrustedClockOpensNothingAfterARestart() throws {
    let door = try door(rule("alice"))
    door.time.set(by: .seconds(30))
    _ = try door.pipeline.tick()
    let frame = try door.frame("alice", slot: 2)
    #expect(try door.hear(frame).map(\.reason) == ["clock-untrusted"])
    try door.restart()
    #expect(try door.hear(frame).map(\.reason) == ["clock-untrusted"])
    #expect(door.lock.openings == 0)
  }

  @Test func closingWaitsForNoDisk() throws {
    let door = try door(rule("alice", permissions: [.unlock, .lock]))
    try door.hear(door.frame("alice"))
    try door.breakLedger()
    try door.hear(door.frame("alice", .lock, sequence: 1, press: 2))
    #expect(door.lock.orders.last == .close)
  }

  @Test func afterABootSlotsUpToTheFloorAreRefused() throws {
    let door = try door(rule("alice"))
    try door.restart(afterBoot: true)
    let told = try door.hear(door.frame("alice", slot: 2))
    #expect(told.map(\.reason) == ["clock-untrusted"])
    // A restart in the middle of the wait doesn't shorten it.
    try door.restart()
    #expect(try door.hear(door.frame("alice", slot: 1)).map(\.reason) == ["clock-untrusted"])
    door.pass(.seconds(3))
    #expect(try door.hear(door.frame("alice", press: 2)).map(\.kind) == [.granted])
  }

  @Test func afterItsWindowAFrameIsForeign() throws {
    let door = try door(rule("alice"))
    let frame = try door.frame("alice")
    try door.hear(frame)
    door.pass(.seconds(3))
    #expect(try door.hear(frame).isEmpty)
    #expect(try door.pipeline.snapshot().foreign == 1)
  }

  @Test(arguments: [
    (CredentialStatus.revoked, "revoked"), (.disabled, "disabled"),
  ])
  func aCredentialThatIsNotActiveIsTold(status: CredentialStatus, reason: String) throws {
    let door = try door(rule("bob", status: status))
    let told = try door.hear(door.frame("bob"))
    #expect(told.map(\.kind) == [.denied] && told.map(\.reason) == [reason])
    #expect(door.lock.openings == 0)
  }

  @Test func rulesOfTimeAndCommandAreKept() throws {
    let start = TestDoor.start
    let door = try door(
      rule("early", from: start + 100), rule("late", until: start + 1), rule("watcher", permissions: [.status]),
      rule("holder", permissions: [.unlock, .hold]), rule("challenged", freshness: .challenge))
    #expect(try door.hear(door.frame("early")).map(\.reason) == ["not-yet-valid"])
    #expect(try door.hear(door.frame("late")).map(\.reason) == ["expired"])
    #expect(try door.hear(door.frame("watcher")).map(\.reason) == ["not-permitted"])
    #expect(try door.hear(door.frame("watcher", .status, sequence: 1, press: 2)).map(\.kind) == [.granted])
    #expect(try door.hear(door.frame("holder", .hold(minutes: 5))).map(\.reason) == ["challenge-required"])
    #expect(try door.hear(door.frame("challenged")).map(\.reason) == ["challenge-required"])
    #expect(door.lock.openings == 0)
  }

  @Test func usesAreSpentWithTheGrantAndSurviveARestart() throws {
    let door = try door(rule("guest", uses: 2))
    #expect(try door.hear(door.frame("guest", press: 1)).map(\.kind) == [.granted])
    try door.restart()
    #expect(try door.hear(door.frame("guest", sequence: 1, press: 2)).map(\.kind) == [.granted])
    #expect(try door.hear(door.frame("guest", sequence: 2, press: 3)).map(\.reason) == ["uses-exhausted"])
    try door.restart()
    #expect(try door.hear(door.frame("guest", sequence: 3, press: 4)).map(\.reason) == ["uses-exhausted"])
    #expect(door.lock.openings == 2)
  }

  @Test func malformedCommandsMoveTheMarkAndOpenNothing() throws {
    let door = try door(rule("alice"))
    #expect(try door.hear(door.frame("alice", sequence: 5, code: 99)).map(\.kind) == [.malformed])
    #expect(try door.hear(door.frame("alice", sequence: 6, flags: 2)).map(\.kind) == [.malformed])
    #expect(try door.hear(door.frame("alice", sequence: 4)).map(\.kind) == [.replayed])
    #expect(door.lock.openings == 0)
  }

  @Test func holdsLockdownAndTheirEndsFollowTheModes() throws {
    let everything: PermissionSet = [.unlock, .lock, .hold, .release, .status, .lockdown]
    let door = try door(
      rule("chief", permissions: everything), rule("alice"), policy: ["allow-by-time: [hold, release, lockdown]"])
    try door.hear(door.frame("chief", .hold(minutes: 1), sequence: 0, press: 1))
    #expect(door.lock.orders.last == .open(until: door.time.boot + .seconds(60)))
    try door.restart()
    #expect(door.lock.orders.last == .open(until: door.time.boot + .seconds(60)))
    try door.hear(door.frame("chief", .release, sequence: 1, press: 2))
    #expect(door.lock.orders.last == .close)
    try door.hear(door.frame("chief", .lockdown(end: false), sequence: 2, press: 3))
    #expect(try door.hear(door.frame("alice")).map(\.reason) == ["lockdown"])
    try door.restart()
    #expect(try door.hear(door.frame("alice", sequence: 1, press: 2)).map(\.reason) == ["lockdown"])
    try door.hear(door.frame("chief", .lockdown(end: true), sequence: 3, press: 4))
    #expect(try door.hear(door.frame("alice", sequence: 2, press: 3)).map(\.kind) == [.granted])
  }

  @Test func duressOpensAndRaisesASilentAlarm() throws {
    let door = try door(rule("alice"))
    let told = try door.hear(door.frame("alice", .duress))
    #expect(told.map(\.kind) == [.granted, .duress])
    #expect(door.lock.openings == 1)
  }

  @Test func duressThatIsDeniedRaisesItsAlarmAllTheSame() throws {
    let door = try door(rule("alice", until: TestDoor.start))
    let told = try door.hear(door.frame("alice", .duress))
    #expect(told.map(\.kind) == [.denied, .duress])
    #expect(door.lock.openings == 0)
  }

  @Test func theEleventhCommandInTenSecondsIsNotDecided() throws {
    let door = try door(rule("alice"))
    for sequence in UInt8(0)..<11 {
      try door.hear(door.frame("alice", .status, sequence: sequence, press: sequence))
    }
    #expect(door.events(.granted).count == 10)
    #expect(door.events(.slowDown).count == 1)
    #expect(try door.hear(door.frame("alice", .status, sequence: 11, press: 11)).isEmpty)
    #expect(try door.pipeline.snapshot().slowDown == 2)
  }

  @Test func aClockThatStepsIsNotBelieved() throws {
    let door = try door(rule("alice"))
    door.time.set(by: .seconds(30))
    _ = try door.pipeline.tick()
    #expect(door.events(.clock).last?.state == "untrusted")
    #expect(try door.hear(door.frame("alice")).map(\.reason) == ["clock-untrusted"])
    door.pass(.seconds(61))
    #expect(door.events(.clock).last?.state == "trusted")
    #expect(try door.hear(door.frame("alice", press: 2)).map(\.reason) == ["clock-untrusted"])
    door.pass(.seconds(3))
    #expect(try door.hear(door.frame("alice", press: 3)).map(\.kind) == [.granted])
  }

  @Test func aClockThatWasAheadWithoutBeingTrustedEndsNoRecords() throws {
    let door = try door(rule("alice", freshness: .challenge), policy: ["freshness: challenge"])
    door.time.set(by: .seconds(3_600))
    door.pass(.zero)
    #expect(try door.hear(door.frame("alice", challenge: door.beacon()?.challenge)).map(\.kind) == [.granted])
    // The end of the pulse is the last record of that time.
    door.wait(.seconds(5))
    door.time.set(by: .seconds(-3_600))
    door.pass(.zero)
    // The battery's clock is trusted again after a minute, with a record; one a minute follows.
    door.wait(.seconds(61))
    for _ in 0..<3 {
      door.wait(.seconds(61))
      let last = try #require(try door.pipeline.ledger.lastRecordTime())
      #expect((0...60).contains(door.time.wall.seconds - last.seconds), "\(last)")
    }
  }

  @Test func aMachineThatSleptRecordsAtOnce() throws {
    let door = try door(rule("alice"))
    door.wait(.seconds(61))
    door.pass(.seconds(7_200))
    let last = try #require(try door.pipeline.ledger.lastRecordTime())
    #expect(last.seconds == door.time.wall.seconds)
  }

  @Test func aForgedFrameChangesNothing() throws {
    let door = try door(rule("alice"))
    let frame = try door.frame("alice")
    for bit in 0..<128 {
      let forged = Frame(
        high: bit < 64 ? frame.high ^ 1 << UInt64(bit) : frame.high,
        low: bit < 64 ? frame.low : frame.low ^ 1 << UInt64(bit - 64))
      #expect(try door.hear(forged).isEmpty)
    }
    let counted = try door.pipeline.snapshot()
    #expect(counted.forged + counted.foreign == 128 && counted.forged >= 104)
    #expect(try door.hear(frame).map(\.kind) == [.granted])
  }

  @Test func aReloadKeepsMarksAndTakesNewRules() throws {
    let door = try door(rule("alice"))
    let frame = try door.frame("alice", slot: 2)
    try door.hear(frame)
    // “aaron” sorts before “alice”: every key gets another number.
    try door.issue([rule("aaron")])
    try door.export(now: TestDoor.start + 10)
    try door.pipeline.adopt(door.rulebook)
    #expect(try door.hear(frame).isEmpty)
    #expect(try door.pipeline.snapshot().repeated == 1)
    #expect(try door.hear(door.frame("aaron")).map(\.kind) == [.granted])
    #expect(try door.hear(door.frame("alice", slot: 2)).isEmpty)
  }

  @Test func aDoorThatIsNewToTheLedgerWaitsAsAfterABoot() throws {
    let door = try door(rule("alice"))
    try door.addDoor("back", holder: rule("bob"))
    try door.pipeline.adopt(door.rulebook)
    #expect(try door.hear(door.frame("bob", slot: 2)).map(\.reason) == ["clock-untrusted"])
    #expect(try door.hear(door.frame("alice")).map(\.kind) == [.granted])
    try door.restart()
    #expect(try door.hear(door.frame("bob", slot: 1)).map(\.reason) == ["clock-untrusted"])
    door.pass(.seconds(3))
    #expect(try door.hear(door.frame("bob", press: 2)).map(\.kind) == [.granted])
  }

  @Test func anOlderBundleIsRefusedAndWhatRanGoesOn() throws {
    let door = try door(rule("alice"))
    let old = try readFile(door.folder("front.bundle"), limit: 1 << 20)
    try door.issue([rule("bob")])
    try door.export(now: TestDoor.start + 10)
    try door.pipeline.adopt(door.rulebook)
    try replaceFile(door.folder("front.bundle"), contents: old)
    #expect(throws: LoadError.self) { try door.pipeline.adopt(door.rulebook) }
    #expect(try door.hear(door.frame("bob")).map(\.kind) == [.granted])
  }

  @Test func whatCanNotBeRecordedOpensNothing() throws {
    let door = try door(rule("alice"))
    // Another process that breaks the tables stands for a disk that fails.
    try door.breakLedger()
    let told = try door.hear(door.frame("alice"))
    #expect(told.map(\.kind) == [.ledger])
    #expect(door.lock.openings == 0)
  }

  @Test func aVolatileDirectoryThatCanNotBeWrittenIsTold() throws {
    let door = try TestDoor([rule("alice")])
    #expect(door.events(.ledger).isEmpty)
    // A file stands where the directory should be.
    try door.blockVolatileDirectory()
    try door.restart()
    #expect(door.events(.ledger).count == 1)
    #expect(try door.hear(door.frame("alice", slot: 2)).map(\.reason) == ["clock-untrusted"])
  }
}
