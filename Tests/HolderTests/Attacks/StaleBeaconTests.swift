import AirProtocol
import Holder
import POSIX
import Testing

/// Beacons that somebody recorded, and plays to a holder later.
@Suite struct StaleBeaconTests {
  /// The door's beacon of now, ten times a second from then on, stronger than the door.
  private func record(_ bench: SendingBench) throws -> (TestAir) -> Heard? {
    let recorded = try bench.door.beacon(at: bench.air.time, wall: bench.air.wall)
    return { air in (air.next(every: 100_000_000, before: 50_000_000), recorded, -20) }
  }

  /// A door whose beacons vouch for its clock (bit 6), or don't: one by challenge only never does.
  private func bench(vouching: Bool, challengeSeconds: Int = 2) throws -> SendingBench {
    let bench = try SendingBench(challengeSeconds: challengeSeconds)
    bench.door.clockTrusted = vouching
    return bench
  }

  @Test func besideTheDoorABeaconOfAnHourAgoIsNotTaken() throws {
    let bench = try bench(vouching: true)
    let stale = try record(bench)
    bench.air.pass(.seconds(3_600))
    bench.attack(stale)
    let (outcome, sent) = try bench.send(.challenge)
    #expect(outcome.isDone && sent.count == 1)
  }

  @Test func ofADoorByChallengeOnlyItCostsOneChallenge() throws {
    let bench = try bench(vouching: false)
    let stale = try record(bench)
    bench.air.pass(.seconds(3_600))
    bench.attack(stale)
    let (outcome, sent) = try bench.send(.challenge)
    #expect(outcome.isDone && sent.count == 2, "it says nothing of a slot")
  }

  @Test(arguments: [10, 5 * 256])
  func besideTheDoorABeaconWhoseSlotAgreesCostsOneChallenge(_ seconds: Int) throws {
    let bench = try bench(vouching: true)
    let stale = try record(bench)
    bench.air.pass(.seconds(seconds))
    bench.attack(stale)
    let (outcome, sent) = try bench.send(.challenge)
    #expect(outcome.isDone && sent.count == 2, "it is stronger")
  }

  /// Three make a crowd with the door's, tie with it in how often they are heard, and win by their strength.
  @Test(arguments: [(true, 3), (false, 3), (true, 2), (false, 2), (false, 10)])
  func recordedBeaconsCostOneChallengeAtAnyMomentOfAPeriod(_ vouching: Bool, _ count: Int) throws {
    for start in stride(from: 0, to: 2_000, by: 130) {
      let bench = try bench(vouching: vouching)
      bench.air.pass(.milliseconds(20_000 + start))
      bench.replay(try bench.door.recorded(count, bench.air))
      let (outcome, sent) = try bench.send(.challenge)
      #expect(outcome.isDone && sent.count <= 2, "\(start) ms into a period: \(outcome), \(sent.count) sent")
    }
  }

  @Test(arguments: [true, false])
  func aPressUnderWayWhenTheyBeginIsNotHeldUp(_ vouching: Bool) throws {
    let bench = try bench(vouching: vouching)
    let recorded = try bench.door.recorded(3, bench.air)
    // The door's own challenge was used a moment ago, so that only theirs are left until its next.
    #expect(try bench.send(.challenge).outcome.isDone)
    bench.replay(recorded)
    let (outcome, sent) = try bench.send(.challenge)
    #expect(outcome.isDone && sent.count == 2)
  }

  @Test func theyAreOutlastedWhereTheDoorIsNotHeardForAWhile() throws {
    let bench = try bench(vouching: false)
    let (door, silence) = (bench.door, UInt64(1_000_000_000)..<4_500_000_000)
    bench.replay(try door.recorded(3, bench.air))
    let script = bench.air.script
    bench.air.script = { air in
      door.isSilent = silence.contains(air.time)
      return script(air)
    }
    let (outcome, _) = try bench.send(.challenge, for: .seconds(10))
    #expect(outcome.isDone)
  }

  @Test func whereChallengesLastLongTwoRecordingsAreTriedInVain() throws {
    let bench = try bench(vouching: false, challengeSeconds: 60)
    bench.replay(try bench.door.recorded(2, bench.air))
    let (outcome, sent) = try bench.send(.challenge)
    #expect(outcome.isDone && sent.count == 3, "the door's next challenge is too far away to be waited for")
  }

  @Test func whereChallengesLastLongThreeRecordingsHoldHoldersUp() throws {
    let bench = try bench(vouching: false, challengeSeconds: 60)
    bench.replay(try bench.door.recorded(3, bench.air))
    let (outcome, sent) = try bench.send(.challenge)
    #expect(outcome == .over && sent.count == 3, "left open: within 3 s nothing tells them from the door")
  }

  @Test func aTimeOutOfAPeriodOutlastsThem() throws {
    let bench = try bench(vouching: false, challengeSeconds: 20)
    bench.replay(try bench.door.recorded(3, bench.air))
    #expect(try bench.send(.challenge, for: .seconds(25)).outcome.isDone)
  }

  @Test(arguments: [true, false])
  func alongsideNoDoorItGetsAFrameThatIsWorthNothingAndIsNoAnswer(_ vouching: Bool) throws {
    let bench = try bench(vouching: vouching)
    let stale = try record(bench)
    bench.air.pass(.seconds(3_600))
    bench.door.isSilent = true
    bench.attack(stale)
    let (outcome, sent) = try bench.send(.challenge, .status)
    // That the beacon says “locked” is told to nobody: only an answer tells how the door stands.
    #expect(outcome == .over && sent.count == 1)
  }

  @Test(arguments: [true, false])
  func oneThatWasUsedGetsNoFrame(_ vouching: Bool) throws {
    let bench = try bench(vouching: vouching)
    let stale = try record(bench)
    #expect(try bench.send(.challenge).outcome.isDone)
    bench.door.isSilent = true
    bench.attack(stale)
    for _ in 0..<3 {
      let (outcome, sent) = try bench.send(.challenge, .status)
      #expect(outcome == .noFreshChallenge && sent.isEmpty)
    }
  }

  @Test func aPhoneFiveMinutesAheadSendsNoTimeFrameWhereItHearsTheDoor() throws {
    let bench = try SendingBench()
    bench.door.ahead = -60
    let error = #expect(throws: SendingError.self) { try bench.send(.time) }
    #expect(error == .clockOff(slots: -60) || error == .clockOff(slots: -61))
    #expect(bench.air.sent.isEmpty)
    #expect(try bench.send(.either).outcome.isDone, "by challenge it needs no clock")
  }

  @Test func whereItHearsNoDoorAPhoneAheadMakesAFrameForLater() throws {
    let bench = try SendingBench()
    bench.door.isSilent = true
    #expect(try bench.send(.time).outcome == .over)
    #expect(bench.air.sent.count == 1, "left open: it can't know")
  }
}
