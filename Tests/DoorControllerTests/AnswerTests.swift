import AccessControl
import Advertising
import AirProtocol
import HCI
import LockHardware
import POSIX
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

  // Attacks

  @Test(arguments: [
    (Duration.seconds(1), true), (.milliseconds(3_900), true), (.seconds(4), false), (.seconds(60), false),
  ])
  func aJammedFrameIsWorthNothingFourSecondsAfterItsChallenge(_ delay: Duration, _ opens: Bool) throws {
    let door = try door("challenge")
    door.pass(.zero)
    let frame = try door.frame("alice", challenge: try #require(try door.beacon()).challenge)
    var left = delay
    while left > .zero {
      door.pass(min(left, .milliseconds(500)))
      left -= .milliseconds(500)
    }
    try door.hear(frame)
    #expect(door.lock.openings == (opens ? 1 : 0))
    #expect(try door.pipeline.snapshot().foreign == (opens ? 0 : 1))
  }

  @Test func aTimerThatStallsKeepsNoChallengeAlive() throws {
    let door = try door("challenge")
    door.pass(.zero)
    let frame = try door.frame("alice", challenge: try #require(try door.beacon()).challenge)
    // A minute in which the door's thread does nothing; the frame comes before it looks at the clock.
    door.time.pass(.seconds(60))
    try door.hear(frame)
    #expect(door.lock.openings == 0)
  }

  @Test func aRecordedFrameOpensNothingAgain() throws {
    let door = try door()
    door.pass(.zero)
    let challenge = try #require(try door.beacon()).challenge
    let frame = try door.frame("alice", challenge: challenge, flags: 1)
    try door.hear(frame)
    // At once, later, under the next challenge, and after a restart.
    try door.hear(frame)
    door.pass(.seconds(2))
    try door.hear(frame)
    door.pass(.seconds(2))
    try door.hear(frame)
    try door.restart()
    door.pass(.zero)
    try door.hear(frame)
    #expect(door.lock.openings == 1)
    // A challenge that the attacker made up is nobody's.
    try door.hear(try door.frame("alice", challenge: Challenge(random: 42), press: 2))
    #expect(door.lock.openings == 1)
  }

  @Test func onePressUnderTwoChallengesIsOneOpening() throws {
    let door = try door("challenge")
    door.pass(.zero)
    for _ in 0..<2 {
      let challenge = try #require(try door.beacon()).challenge
      try door.hear(try door.frame("alice", challenge: challenge, press: 9))
      door.pass(.seconds(2))
    }
    #expect(door.events(.granted).count == 1 && door.lock.openings == 1)
    #expect(try door.pipeline.snapshot().repeated == 1)
  }

  @Test func theTwoKindsOfFreshnessAreOrderedAgainstEachOther() throws {
    let door = try door()
    door.pass(.seconds(4))
    let early = try door.frame("alice", press: 3)
    let challenge = try #require(try door.beacon()).challenge
    try door.hear(try door.frame("alice", challenge: challenge, press: 1))
    try door.hear(early)
    #expect(door.events(.granted).count == 1, "a challenge frame lifts the time mark")
    door.pass(.seconds(6))
    let before = try #require(try door.beacon()).challenge
    try door.hear(try door.frame("alice", press: 4))
    try door.hear(try door.frame("alice", challenge: before, press: 5))
    #expect(door.events(.granted).count == 2, "a time frame ends the challenges sent before")
    #expect(door.events(.replayed).count == 2)
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

  @Test func twentyQuestionsASecondHoldNobodyUp() throws {
    let door = try door("challenge")
    door.pass(.zero)
    let challenge = try #require(try door.beacon()).challenge
    for number in 0..<20 as Range<UInt8> {
      try door.hear(
        try door.frame("alice", .status, challenge: challenge, sequence: number, press: number, flags: 1))
    }
    let frame = try door.frame("dora", challenge: challenge, flags: 1)
    #expect(try door.hear(frame).first?.kind == .granted)
    try door.report(.moved(.open))
    #expect(try door.answer("dora", to: frame, challenge: challenge)?.result == .done)
    // Ten of ten seconds were decided; their answers share the air with the one that counts.
    #expect(door.onAir.count <= 12)
  }
}
