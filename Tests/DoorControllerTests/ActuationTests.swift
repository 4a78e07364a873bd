import AccessControl
import AirProtocol
import Ledger
import LockHardware
import POSIX
import Synchronization
import Testing

@testable import DoorController

/// Decision and actuation are records of one id.
@Suite struct ActuationTests {
  private func door() throws -> TestDoor {
    try TestDoor(
      [
        rule("alice", permissions: [.unlock, .lock, .hold, .release, .status], freshness: .either),
        rule("bob", freshness: .either),
      ], policy: ["freshness: either"])
  }

  private func challenge(_ door: TestDoor) throws -> Challenge {
    door.pass(.zero)
    return try #require(try door.beacon()).challenge
  }

  /// What the log has of the lock: the kind, what it belongs to, and how.
  private func actuations(_ door: TestDoor) throws -> [String] {
    try door.pipeline.ledger.events(limit: 1_000).filter { $0.event.kind.hasPrefix("lock") }.map { stored in
      "\(stored.event.kind) \(stored.event.follows ?? 0) \(stored.event.detail ?? "")"
    }
  }

  @Test func anOpeningAndItsClosingBelongToTheirGrant() throws {
    let door = try door()
    try door.report(.moved(.closed))
    let events = try door.hear(try door.frame("alice", challenge: try challenge(door)))
    let id = try #require(events.first?.id)
    #expect(door.lock.causes.last == LockCause(event: id, credential: "alice", holder: "Holder of alice"))
    try door.report(.moved(.open))
    try door.report(.moved(.closed))
    #expect(try actuations(door) == ["lock \(id) open", "lock \(id) closed"], "the start's closing is nobody's")
    #expect(door.events(.lock).map(\.id) == [nil, id, id])
  }

  @Test func aGrantThatFindsTheDoorOpenHasItsRecordToo() throws {
    let door = try door()
    let first = try #require(try door.hear(door.frame("alice", challenge: challenge(door))).first?.id)
    try door.report(.moved(.open))
    let second = try #require(try door.hear(door.frame("bob", challenge: challenge(door))).first?.id)
    try door.report(.stands(.open))
    #expect(try actuations(door) == ["lock \(first) open", "lock \(second) open"])
    #expect(door.events(.lock).count == 1, "nothing moved")
  }

  @Test func whatALockWritesIsToldWithWhoseItIs() throws {
    let door = try door()
    let id = try #require(try door.hear(door.frame("alice", challenge: challenge(door))).first?.id)
    try door.report(.output(.open, line: "relay 3 on"))
    let event = try #require(door.events(.lockOutput).last)
    #expect(event.id == id && event.door == "front" && event.state == "open" && event.detail == "relay 3 on")
    #expect(try actuations(door).isEmpty)
    #expect(try door.pipeline.doorStatus.first?.lock == .nothing, "it says nothing of how the lock stands")
  }

  @Test(
    "After a restart the same press has the result that the lock came to",
    arguments: [
      (LockReport.Event.moved(.open), AnswerResult.done), (.failed(.open, reason: "jammed"), .lockFailed),
      (nil, .lockFailed),
    ] as [(LockReport.Event?, AnswerResult)])
  func resultIsDurable(_ event: LockReport.Event?, _ result: AnswerResult) throws {
    let door = try door()
    try door.hear(door.frame("alice", challenge: challenge(door), press: 9, flags: 1))
    // Nil: killed between the record and the lock.
    if let event { try door.report(event) }
    let openings = door.lock.openings
    try door.restart()
    let challenge = try challenge(door)
    let again = try door.frame("alice", challenge: challenge, press: 9, flags: 1)
    try door.hear(again)
    door.pass(.zero)
    #expect(try door.answer("alice", to: again, challenge: challenge)?.result == result)
    #expect(door.lock.openings == openings, "a press is one opening at most")
  }

  @Test func anotherFrameHeardWhileTheLockIsWaitedForTellsNoResultEither() throws {
    let door = try door()
    let first = try challenge(door)
    try door.hear(door.frame("alice", challenge: first, press: 9, flags: 1))
    try door.hear(door.frame("alice", challenge: first, sequence: 1, press: 9, flags: 1))
    try door.restart()
    let second = try challenge(door)
    let again = try door.frame("alice", challenge: second, press: 9, flags: 1)
    try door.hear(again)
    door.pass(.zero)
    #expect(try door.answer("alice", to: again, challenge: second)?.result == .lockFailed)
  }

  @Test func commandsThatCameWhileTheLockMovedForAnotherHaveTheirRecords() throws {
    let door = try door()
    let first = try #require(try door.hear(door.frame("alice", challenge: challenge(door))).first?.id)
    let second = try #require(try door.hear(door.frame("bob", challenge: challenge(door))).first?.id)
    // The lock's thread saw both at once: the movement is the newer one's.
    try door.report(.moved(.open), for: LockCause(event: second, credential: "bob"))
    #expect(try actuations(door) == ["lock \(second) open", "lock \(first) open"])
    try door.report(.stands(.open), for: LockCause(event: second, credential: "bob"))
    #expect(try actuations(door).count == 2, "once for each")
  }

  @Test func anOpeningThatAClosingOvertookHasItsRecord() throws {
    let door = try door()
    let first = try #require(try door.hear(door.frame("alice", challenge: challenge(door))).first?.id)
    let second = try #require(
      try door.hear(door.frame("alice", .lock, challenge: challenge(door), sequence: 1, press: 2)).first?.id)
    try door.report(.moved(.closed))
    #expect(
      try actuations(door) == [
        "lock \(first) open, or on its way there, when #\(second) closed it", "lock \(second) closed",
      ])
  }

  @Test func aReloadWithAnotherLockBlamesNobodyForItsClosing() throws {
    let door = try door()
    let id = try #require(try door.hear(door.frame("alice", challenge: challenge(door))).first?.id)
    try door.report(.moved(.open))
    door.wait(.seconds(5))
    try door.report(.moved(.closed), for: LockCause(event: id, credential: "alice"))
    try door.configure(["freshness: either"], lock: "{ command: { unlock: [/bin/true], lock: [/bin/true] } }")
    try door.pipeline.adopt(door.rulebook)
    #expect(door.lock.causes.last == .some(nil))
  }

  @Test func aLockTestIsNotEndedByWhatTheLockDidBefore() throws {
    let door = try door()
    try door.report(.moved(.closed))
    let reports = Mutex<[LockTest.Report]>([])
    let id = try #require(Identifier("front"))
    try door.pipeline.testLock(of: id, seconds: 3, askedBy: 0) { report in reports.withLock { $0.append(report) } }
    let test = try #require(door.lock.causes.last ?? nil)
    // A slow lock's last word about an earlier opening.
    try door.report(.moved(.closed), for: LockCause(event: 1))
    #expect(reports.withLock { $0.isEmpty })
    try door.report(.moved(.open), for: test)
    door.wait(.seconds(3))
    try door.report(.moved(.closed), for: test)
    #expect(reports.withLock { $0.map(\.failure) } == [nil])
    #expect(reports.withLock { $0.first?.moves.map(\.position) } == [.open, .closed])
  }

  @Test(
    "A lock test that closes too early or too late isn't well",
    arguments: [(500, 3_500, true), (500, 1_000, false), (500, 6_500, false), (2_000, 7_500, true)])
  func lockTestLengths(_ openedAfter: Int64, _ closedAfter: Int64, _ isWell: Bool) throws {
    let door = try door()
    try door.report(.moved(.closed))
    let reports = Mutex<[LockTest.Report]>([])
    let id = try #require(Identifier("front"))
    try door.pipeline.testLock(of: id, seconds: 3, askedBy: 0) { report in reports.withLock { $0.append(report) } }
    let test = try #require(door.lock.causes.last ?? nil)
    door.wait(.milliseconds(openedAfter))
    try door.report(.moved(.open), for: test)
    door.wait(.milliseconds(closedAfter - openedAfter))
    try door.report(.moved(.closed), for: test)
    #expect(reports.withLock { $0.map { $0.failure == nil } } == [isWell])
  }

  @Test(arguments: [(UInt32(0), "root"), (117, "user 117")])
  func aLockTestSaysWhoAskedForIt(_ user: UInt32, _ name: String) throws {
    let door = try door()
    try door.report(.moved(.closed))
    try door.pipeline.testLock(of: #require(Identifier("front")), seconds: 0, askedBy: user) { _ in }
    let words = "asked for at the control socket by \(name)"
    #expect(door.events(.lockTest).first?.detail == words)
    #expect(try door.records.last?.event.detail == words)
  }

  @Test("a lock that couldn't open is remembered until it has, whatever closings come behind it")
  func openingProblem() throws {
    let door = try door()
    try door.report(.moved(.closed))
    try door.report(.failed(.open, reason: "jammed"))
    try door.report(.moved(.closed))
    #expect(try door.pipeline.doorStatus.first?.openingProblem == "jammed")
    #expect(try door.pipeline.doorStatus.first?.lock == .stands(.closed))
    try door.report(.moved(.open))
    try door.report(.moved(.closed))
    #expect(try door.pipeline.doorStatus.first?.openingProblem == nil)
  }

  /// A lock test that has begun, and what it has reported.
  private func lockTest(_ door: TestDoor) throws -> (cause: LockCause, reports: TestReports) {
    try door.report(.moved(.closed))
    let reports = TestReports()
    let id = try #require(Identifier("front"))
    try door.pipeline.testLock(of: id, seconds: 3, askedBy: 0) { report in reports.list.withLock { $0.append(report) } }
    return (try #require(door.lock.causes.last ?? nil), reports)
  }

  private final class TestReports {
    let list = Mutex<[LockTest.Report]>([])
    var said: [String] { list.withLock { $0.map { "\($0.failure?.rawValue ?? "well"): \($0.detail ?? "")" } } }
  }

  @Test(
    "A lock test that another command overtakes is answered at once",
    arguments: [
      (Command.lockdown(end: false), "lockdown: the door was locked down meanwhile"),
      (.lock, "lock-failed: it was closed by another command before it opened"),
    ])
  func overtaken(_ command: Command, _ answer: String) throws {
    let door = try TestDoor(
      [rule("alice", permissions: [.lock, .lockdown], freshness: .either)], policy: ["freshness: either"])
    let (_, reports) = try lockTest(door)
    let overtaking = try #require(try door.hear(door.frame("alice", command, challenge: challenge(door))).first)
    #expect(overtaking.kind == .granted)
    // The last word about what was before the test.
    try door.report(.moved(.closed), for: LockCause(event: 1))
    #expect(reports.said == [])
    try door.report(.moved(.closed), for: LockCause(event: #require(overtaking.id), credential: "alice"))
    #expect(reports.said == [answer])
  }

  @Test func aLockTestThatSomebodyElseMakesLongerIsNoFaultOfTheLock() throws {
    let door = try door()
    let (test, reports) = try lockTest(door)
    try door.report(.moved(.open), for: test)
    door.wait(.seconds(1))
    try door.report(.stands(.open), for: .exit)
    door.wait(.seconds(5))
    try door.report(.moved(.closed), for: .exit)
    #expect(reports.said.first?.hasPrefix("already-open: somebody else had it opened meanwhile") == true)
  }

  @Test func aLockTestInWhichTheDoorIsLockedDownSaysSo() throws {
    let door = try TestDoor(
      [rule("alice", permissions: [.lockdown], freshness: .either)], policy: ["freshness: either"])
    let (test, reports) = try lockTest(door)
    try door.report(.moved(.open), for: test)
    try door.hear(door.frame("alice", .lockdown(end: false), challenge: challenge(door)))
    try door.report(.moved(.closed))
    #expect(reports.said == ["lockdown: the door was locked down meanwhile"])
  }

  @Test func aLockThatOpensForSomebodyElseEndsALockTest() throws {
    let door = try door()
    let (_, reports) = try lockTest(door)
    try door.report(.moved(.open), for: LockCause(event: 1))
    #expect(reports.said == [], "it was on its way there when the test began")
    try door.report(.moved(.open), for: .exit)
    #expect(
      reports.said == ["already-open: it was opened for somebody else meanwhile: try again once it is closed"])
  }

  @Test func aLockThatFailsForTheCommandThatOvertookALockTestEndsIt() throws {
    let door = try door()
    let (test, reports) = try lockTest(door)
    try door.report(.failed(.closed, reason: "jammed"), for: LockCause(event: #require(test.event) + 1))
    #expect(reports.said == ["lock-failed: for another command it didn't get closed, or didn't stay: jammed"])
  }

  @Test("A pulse counts from when the lock is told: what the disk takes is not taken from it")
  func slowDisk() throws {
    let door = try door()
    door.whileRecording = { [time = door.time] event in
      if event.kind == .granted { time.pass(.seconds(2)) }
    }
    try door.hear(door.frame("alice", challenge: challenge(door)))
    #expect(door.lock.orders.last == .open(until: door.time.boot + .seconds(3)))
    #expect(door.events.last?.kind == .granted)
    door.whileRecording = nil
    door.wait(.seconds(2))
    #expect(door.lock.orders.last == .open(until: door.time.boot + .seconds(1)), "the mode lasts as long as the lock")
    door.wait(.seconds(2))
    #expect(door.lock.orders.last == .close)
  }

  @Test func aLockTestsPulseCountsFromWhenTheLockIsToldToo() throws {
    let door = try door()
    door.whileRecording = { [time = door.time] event in if event.kind == .lockTest { time.pass(.seconds(2)) } }
    _ = try lockTest(door)
    #expect(door.lock.orders.last == .open(until: door.time.boot + .seconds(3)))
  }

  @Test func aLockTestEndsWithTheLockThatAReloadTakesAway() throws {
    let door = try door()
    let reports = Mutex<[LockTest.Report]>([])
    let id = try #require(Identifier("front"))
    try door.pipeline.testLock(of: id, seconds: 3, askedBy: 0) { report in reports.withLock { $0.append(report) } }
    try door.configure(["freshness: either"], lock: "{ command: { unlock: [/bin/true], lock: [/bin/true] } }")
    try door.pipeline.adopt(door.rulebook)
    door.pass(.zero)
    #expect(reports.withLock { $0.map(\.failure) } == [.lockFailed])
  }

  @Test func aStatusIsDoneWithoutTheLock() throws {
    let door = try door()
    try door.hear(door.frame("alice", .status, challenge: challenge(door), press: 9, flags: 1))
    let records = try door.pipeline.ledger.presses(
      ofDoor: door.pipeline.doors[0].number.rawValue, since: WallTime(seconds: 0))
    #expect(records.map(\.result) == [AnswerResult.done.rawValue])
  }
}
