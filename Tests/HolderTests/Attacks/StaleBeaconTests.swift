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

  @Test func besideTheDoorABeaconOfAnHourAgoIsNotTaken() throws {
    let bench = try SendingBench()
    let stale = try record(bench)
    bench.air.pass(.seconds(3_600))
    bench.attack(stale)
    let (outcome, sent) = try bench.send(.challenge)
    #expect(outcome.isDone && sent.count == 1)
  }

  @Test func besideTheDoorABeaconOfTenSecondsAgoCostsOneChallenge() throws {
    let bench = try SendingBench()
    let stale = try record(bench)
    bench.air.pass(.seconds(10))
    bench.attack(stale)
    let (outcome, sent) = try bench.send(.challenge)
    #expect(outcome.isDone && sent.count == 2, "its slot agrees, and it is stronger")
  }

  @Test func alongsideNoDoorItGetsAFrameThatIsWorthNothingAndIsNoAnswer() throws {
    let bench = try SendingBench()
    let stale = try record(bench)
    bench.air.pass(.seconds(3_600))
    bench.door.isSilent = true
    bench.attack(stale)
    let (outcome, sent) = try bench.send(.challenge, .status)
    // That the beacon says “locked” is told to nobody: only an answer tells how the door stands.
    #expect(outcome == .over && sent.count == 1)
  }

  @Test func oneThatWasUsedGetsNoFrame() throws {
    let bench = try SendingBench()
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
