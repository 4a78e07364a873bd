import AccessControl
import AirProtocol
import POSIX
import Testing

@testable import DoorController

/// Frames that the door didn't hear, because somebody jammed it, and that come later (“RollJam”).
@Suite struct JammedFrameTests {
  /// A frame made so long after its slot began or its challenge was drawn, and released so much later.
  struct Release: CustomTestStringConvertible, Sendable {
    enum Kind: Sendable { case time, challenge }

    let kind: Kind
    /// By how many slots the phone's clock is ahead.
    let ahead: Int64
    let made: Duration
    let delay: Duration
    let opens: Bool

    init(_ kind: Kind, ahead: Int64 = 0, made: Duration = .zero, delay: Duration, _ opens: Bool) {
      self.kind = kind
      self.ahead = ahead
      self.made = made
      self.delay = delay
      self.opens = opens
    }

    var testDescription: String {
      "by \(kind), phone \(ahead) slots ahead, made at \(made), released \(delay) later: "
        + (opens ? "opens" : "opens nothing")
    }
  }

  @Test(arguments: [
    // By a right clock: until two slots after its own are over, which is 10 to 15 s.
    Release(.time, delay: .seconds(1), true),
    Release(.time, delay: .seconds(10), true),
    Release(.time, delay: .milliseconds(14_999), true),
    Release(.time, delay: .seconds(15), false),
    Release(.time, delay: .seconds(30), false),
    Release(.time, delay: .seconds(60), false),
    Release(.time, made: .milliseconds(4_999), delay: .seconds(10), true),
    Release(.time, made: .milliseconds(4_999), delay: .milliseconds(10_001), false),
    // By a clock as far ahead as the door bears: 25 s at most. By one as far behind: 5 s at most.
    Release(.time, ahead: 2, delay: .milliseconds(24_999), true),
    Release(.time, ahead: 2, delay: .seconds(25), false),
    Release(.time, ahead: 2, delay: .seconds(60), false),
    Release(.time, ahead: -2, delay: .milliseconds(4_999), true),
    Release(.time, ahead: -2, delay: .seconds(5), false),
    // By challenge: until 4 s after the draw, whatever any clock says.
    Release(.challenge, delay: .seconds(1), true),
    Release(.challenge, delay: .milliseconds(3_999), true),
    Release(.challenge, delay: .seconds(4), false),
    Release(.challenge, delay: .seconds(10), false),
    Release(.challenge, delay: .seconds(30), false),
    Release(.challenge, delay: .seconds(60), false),
    Release(.challenge, made: .milliseconds(1_999), delay: .seconds(2), true),
    Release(.challenge, made: .milliseconds(1_999), delay: .milliseconds(2_001), false),
  ])
  func aReleasedFrameOpensUntilItsWindowEnds(_ release: Release) throws {
    let door = try TestDoor.attacked()
    door.wait(release.made)
    let frame =
      switch release.kind {
      case .time: try door.frame("alice", slot: release.ahead)
      case .challenge: try door.frame("alice", challenge: door.shownChallenge())
      }
    door.wait(release.delay)
    try door.hear(frame)
    #expect(door.lock.openings == (release.opens ? 1 : 0))
    #expect(try door.pipeline.snapshot().foreign == (release.opens ? 0 : 1))
  }

  @Test func aReleasedFrameOpensNothingOnceALaterOneWasHeard() throws {
    let door = try TestDoor.attacked()
    let jammed = try door.frame("alice", press: 1)
    try door.hear(door.frame("alice", .lock, sequence: 1, press: 2))
    #expect(try door.hear(jammed).map(\.kind) == [.replayed])
    let challenge = try door.shownChallenge()
    let alsoJammed = try door.frame("mallory", challenge: challenge, sequence: 7, press: 1)
    try door.hear(door.frame("mallory", .lock, challenge: challenge, sequence: 8, press: 2))
    #expect(try door.hear(alsoJammed).map(\.kind) == [.replayed])
    #expect(door.lock.openings == 0)
  }

  /// The thief lets the first press through at the second, and keeps the second for later.
  @Test func aSecondPressThatIsKeptOpensWithinItsWindow() throws {
    let door = try TestDoor.attacked()
    let first = try door.frame("alice", press: 1)
    door.wait(.seconds(2))
    let second = try door.frame("alice", sequence: 1, press: 2)
    try door.hear(first)
    #expect(door.lock.openings == 1)
    door.wait(.seconds(10))
    try door.hear(second)
    #expect(door.lock.openings == 2, "left open by the protocol, for the same seconds as any frame")
  }

  @Test func aTimeFrameOpensNothingAfterALockByChallenge() throws {
    let door = try TestDoor.attacked()
    let jammed = try door.frame("alice", slot: 2, press: 1)
    try door.hear(door.frame("alice", .lock, challenge: door.shownChallenge(), press: 2))
    for _ in 0..<30 {
      try door.hear(jammed)
      door.wait(.seconds(1))
    }
    #expect(door.lock.openings == 0 && door.events(.replayed).count == 1)
  }

  @Test func norWhereTheLockCameJustBehindASlotsBoundary() throws {
    let door = try TestDoor.attacked()
    door.wait(.milliseconds(4_500))
    // A slot has begun, and the door hasn't looked at the clock yet.
    door.time.pass(.milliseconds(501))
    let jammed = try door.frame("alice", slot: 2, press: 1)
    try door.hear(door.frame("alice", .lock, challenge: door.shownChallenge(), press: 2))
    door.pass(.zero)
    #expect(try door.hear(jammed).map(\.kind) == [.replayed])
    #expect(door.lock.openings == 0)
  }

  @Test(arguments: [false, true])
  func aTimeFrameOpensNothingAfterALockThatCouldNotBeRecorded(_ byChallenge: Bool) throws {
    let door = try TestDoor.attacked()
    let jammed = try door.frame("alice", slot: 2, press: 1)
    try door.breakLedger()
    try door.hear(
      door.frame("alice", .lock, slot: 2, challenge: byChallenge ? door.shownChallenge() : nil, sequence: 1, press: 2))
    #expect(door.lock.orders.last == .close)
    // A restart has only what is on the disk, which nobody would miss anything of.
    try door.restart { _ in try door.mendLedger() }
    for _ in 0..<30 {
      try door.hear(jammed)
      door.wait(.seconds(1))
    }
    #expect(door.lock.openings == 0)
    #expect(try door.hear(door.frame("alice", press: 3)).map(\.kind) == [.granted])
  }

  @Test func aChallengeFrameOpensNothingAfterALockByTime() throws {
    let door = try TestDoor.attacked()
    let jammed = try door.frame("alice", challenge: door.shownChallenge(), press: 1)
    try door.hear(door.frame("alice", .lock, press: 2))
    #expect(try door.hear(jammed).map(\.kind) == [.replayed])
    #expect(door.lock.openings == 0)
  }

  @Test func anOldTimeFrameDoesNotEndTheChallengesOfItsHolder() throws {
    let door = try TestDoor.attacked()
    let recorded = try door.frame("alice", press: 1)
    door.time.set(by: .seconds(-10))
    door.pass(.zero)
    #expect(try door.hear(recorded).map(\.reason) == ["clock-untrusted"])
    #expect(try door.hear(door.frame("alice", challenge: door.shownChallenge(), press: 2)).map(\.kind) == [.granted])
  }

  /// A beacon replayed to the holder makes it use the last challenge after the current one.
  @Test func byChallengesAloneAJammedOpeningCanFollowALock() throws {
    let door = try TestDoor.attacked()
    let older = try door.shownChallenge()
    door.wait(.seconds(2))
    let jammed = try door.frame("alice", challenge: door.shownChallenge(), press: 1)
    try door.hear(door.frame("alice", .lock, challenge: older, press: 2))
    try door.hear(jammed)
    #expect(door.lock.openings == 1, "left open by the protocol, for less than four seconds")
  }

  @Test func aTimerThatStallsForAMinuteKeepsNoChallengeAlive() throws {
    let door = try TestDoor.attacked()
    let frame = try door.frame("alice", challenge: door.shownChallenge())
    // The frame comes before the door's thread has looked at the clock again.
    door.time.pass(.seconds(60))
    #expect(try door.hear(frame).isEmpty)
    door.pass(.zero)
    #expect(try door.hear(frame).isEmpty)
    #expect(door.lock.openings == 0)
    #expect(try door.hear(door.frame("alice", challenge: door.shownChallenge(), press: 2)).map(\.kind) == [.granted])
  }

  @Test func aPhoneFiveMinutesAheadOpensNothingNowAndMakesAFrameForLater() throws {
    let door = try TestDoor.attacked()
    let frame = try door.frame("alice", slot: 60)
    try door.hear(frame)
    #expect(door.lock.openings == 0)
    door.wait(.seconds(289))
    try door.hear(frame)
    #expect(door.lock.openings == 0)
    door.wait(.seconds(1))
    try door.hear(frame)
    #expect(door.lock.openings == 1, "left open by the protocol, unless the phone has heard the door's beacon")
  }

  @Test func whoeverUsedTheDoorMeanwhileDoesNotEndTheFrameOfAPhoneAhead() throws {
    let door = try TestDoor.attacked()
    let frame = try door.frame("alice", slot: 60)
    try door.hear(door.frame("alice", challenge: door.shownChallenge(), press: 2))
    door.wait(.seconds(300))
    try door.hear(frame)
    #expect(door.grants == 2, "left open by the protocol: marks end what is before them only")
  }

  @Test func aLiveRelayOpens() throws {
    let door = try TestDoor.attacked()
    // The beacon is carried to Alice, far away, and her frame back.
    let carried = try door.shownChallenge()
    door.wait(.seconds(1))
    try door.hear(door.frame("alice", challenge: carried))
    #expect(door.lock.openings == 1, "left open by the protocol: only ranging could tell")
  }
}
