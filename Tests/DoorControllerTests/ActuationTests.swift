import AccessControl
import AirProtocol
import Ledger
import LockHardware
import POSIX
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

  @Test func aStatusIsDoneWithoutTheLock() throws {
    let door = try door()
    try door.hear(door.frame("alice", .status, challenge: challenge(door), press: 9, flags: 1))
    let records = try door.pipeline.ledger.presses(
      ofDoor: door.pipeline.doors[0].number.rawValue, since: WallTime(seconds: 0))
    #expect(records.map(\.result) == [AnswerResult.done.rawValue])
  }
}
