import AccessControl
import Advertising
import AirProtocol
import HCI
import LockHardware
import POSIX
import TestSupport
import Testing

@testable import DoorController

/// Challenges, beacons and answers of a door whose time, lock and air are the test's.
@Suite struct AnswerTests {
  private func door(_ freshness: String = "either") throws -> TestDoor {
    try TestDoor(
      [
        rule("alice", permissions: [.unlock, .lock, .hold, .status], freshness: .either),
        rule("bob", freshness: .time), rule("dora", freshness: .either),
      ], policy: ["freshness: \(freshness)"])
  }

  @Test func aBeaconShowsAChallengeOnceItsIndexStands() throws {
    let door = try door()
    door.pass(.zero)
    let beacon = try #require(try door.beacon())
    #expect(beacon.state.state == .locked && beacon.state.clockTrusted == false, "the wait after a first start")
    #expect(beacon.slotLow == UInt8(truncatingIfNeeded: TestDoor.start))
    door.pass(.seconds(1))
    #expect(try door.beacon()?.challenge == beacon.challenge)
    door.pass(.seconds(1))
    #expect(try door.beacon()?.challenge != beacon.challenge)
    door.pass(.seconds(1))
    #expect(try door.beacon()?.state.clockTrusted == true, "time frames count again")
  }

  @Test func aCommandUnderItIsGrantedMovedAndThenAnswered() throws {
    let door = try door()
    door.pass(.zero)
    let challenge = try #require(try door.beacon()).challenge
    let frame = try door.frame("alice", challenge: challenge, flags: 1)
    let events = try door.hear(frame)
    #expect(events.map(\.kind) == [.granted] && events[0].freshness == "challenge")
    #expect(door.lock.openings == 1)
    door.pass(.milliseconds(10))
    #expect(try door.answer("alice", to: frame, challenge: challenge) == nil, "the lock hasn't moved yet")
    try door.report(.moved(.open))
    let answer = try #require(try door.answer("alice", to: frame, challenge: challenge))
    #expect(answer.result == .done && answer.state.state == .unlocked && answer.detail == 3)
    #expect(try door.beacon()?.state.state == .unlocked)
  }

  @Test func aLockThatFailsIsAnsweredSo() throws {
    let door = try door()
    door.pass(.zero)
    let challenge = try #require(try door.beacon()).challenge
    let frame = try door.frame("alice", challenge: challenge, flags: 1)
    try door.hear(frame)
    try door.report(.failed(.open, reason: "jammed"))
    let answer = try #require(try door.answer("alice", to: frame, challenge: challenge))
    #expect(answer.result == .lockFailed)
    #expect(answer.state.state == .unknown && answer.detail == 0, "how it stands nobody knows")
    #expect(try door.beacon()?.state.state == .unknown)
    // The same press in another frame has the same result.
    let again = try door.frame("alice", challenge: challenge, sequence: 1, flags: 1)
    try door.hear(again)
    door.pass(.zero)
    #expect(try door.answer("alice", to: again, challenge: challenge)?.result == .lockFailed)
    #expect(door.lock.openings == 1)
  }

  @Test func whatNeedsNoMovementAndWhatIsDeniedIsAnsweredAtOnce() throws {
    let door = try door()
    door.pass(.zero)
    let challenge = try #require(try door.beacon()).challenge
    let status = try door.frame("alice", .status, challenge: challenge, flags: 1)
    try door.hear(status)
    let refused = try door.frame("bob", challenge: challenge, flags: 1)
    try door.hear(refused)
    door.pass(.zero)
    #expect(try door.answer("alice", to: status, challenge: challenge)?.result == .done)
    #expect(try door.answer("bob", to: refused, challenge: challenge)?.result == .freshnessRefused)
    // Nobody else can read them, and who asks for none gets none.
    #expect(try door.answer("bob", to: status, challenge: challenge) == nil)
    let silent = try door.frame("alice", .status, challenge: challenge, sequence: 1, press: 2)
    try door.hear(silent)
    door.pass(.zero)
    #expect(try door.answer("alice", to: silent, challenge: challenge) == nil)
  }

  @Test func timeFramesAreAnsweredToo() throws {
    let door = try door()
    let early = try door.frame("alice", flags: 1)
    try door.hear(early)
    door.pass(.zero)
    #expect(try door.answer("alice", to: early)?.result == .freshnessRefused, "the wait after a first start")
    door.pass(.seconds(4))
    let frame = try door.frame("alice", press: 2, flags: 1)
    try door.hear(frame)
    try door.report(.moved(.open))
    #expect(try door.answer("alice", to: frame)?.result == .done)
  }

  @Test func anAnswerIsGivenAgainForFourSecondsAndIsTheSame() throws {
    let door = try door()
    door.pass(.zero)
    let challenge = try #require(try door.beacon()).challenge
    let frame = try door.frame("alice", .status, challenge: challenge, flags: 1)
    try door.hear(frame)
    door.pass(.zero)
    let first = door.onAir.filter { !$0.isBeacon(door) }
    door.pass(.seconds(1))
    #expect(door.onAir.allSatisfy { $0.isBeacon(door) }, "whoever has heard it falls silent")
    try door.hear(frame)
    door.pass(.zero)
    #expect(door.onAir.filter { !$0.isBeacon(door) } == first)
    door.pass(.seconds(3))
    try door.hear(frame)
    door.pass(.zero)
    #expect(door.onAir.allSatisfy { $0.isBeacon(door) })
    #expect(door.events(.granted).count == 1)
  }

  @Test func aDoorOfTheOtherKindSaysWhatItWants() throws {
    let timed = try door("time")
    timed.pass(.zero)
    let challenge = try #require(try timed.beacon()).challenge
    #expect(try timed.hear(try timed.frame("alice", challenge: challenge)).first?.reason == "time-required")
    let challenged = try door("challenge")
    challenged.pass(.seconds(4))
    #expect(try challenged.beacon()?.state.clockTrusted == false, "it takes no time frames, whatever its clock")
    #expect(try challenged.hear(try challenged.frame("alice")).first?.reason == "challenge-required")
  }

  @Test func aDoorOfWhichNothingIsSaidWantsChallenges() throws {
    let door = try door("either")
    let text = String(decoding: try door.folder.read("door.yaml"), as: UTF8.self)
    let silent = text.split(separator: "\n").filter { !$0.contains("freshness") }.joined(separator: "\n") + "\n"
    try door.folder.write("door.yaml", bytes: Array(silent.utf8))
    #expect(try DoorConfiguration.load(path: door.folder("door.yaml")).doors.map(\.freshness) == [.challenge])
    try door.restart()
    door.pass(.seconds(4))
    let beacon = try #require(try door.beacon())
    #expect(!beacon.state.clockTrusted, "it takes no time frames, whatever its clock")
    #expect(try door.hear(door.frame("bob")).first?.reason == "challenge-required")
    #expect(try door.hear(door.frame("alice")).first?.reason == "challenge-required")
    #expect(door.lock.openings == 0)
    #expect(try door.hear(door.frame("dora", challenge: beacon.challenge)).map(\.kind) == [.granted])
  }

  @Test func noMoreWaitForALockThanAreAnsweredAtATime() throws {
    let names = (0..<5).map { "holder-\($0)" }
    let door = try TestDoor(names.map { try rule($0, freshness: .either) }, policy: ["freshness: either"])
    door.pass(.zero)
    let challenge = try #require(try door.beacon()).challenge
    // Each presses once, and sends that in ten frames, while the lock says nothing.
    for name in names {
      for sequence in 0..<10 as Range<UInt8> {
        try door.hear(door.frame(name, challenge: challenge, sequence: sequence, flags: 1))
      }
    }
    #expect(try door.pipeline.snapshot().repeated == 45)
    #expect(try door.pipeline.doors[0].pendingAnswers.count == AnswerBook.limit)
    let last = try door.frame("holder-4", challenge: challenge, sequence: 9, flags: 1)
    try door.report(.moved(.open))
    #expect(try door.answer("holder-4", to: last, challenge: challenge)?.result == .done)
    #expect(try door.pipeline.doors[0].pendingAnswers.isEmpty)
  }

  @Test func aReloadKeepsTheChallengesOfDoorsThatStay() throws {
    let door = try door()
    door.pass(.zero)
    let challenge = try #require(try door.beacon()).challenge
    try door.addDoor("back", holder: rule("carol"))
    try door.pipeline.adopt(door.rulebook)
    door.pass(.zero)
    #expect(door.onAir.count == 2)
    try door.hear(try door.frame("alice", challenge: challenge))
    #expect(door.lock.openings == 1)
  }
}
