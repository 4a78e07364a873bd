import AirProtocol
import Holder
import POSIX
import Provisioning
import Testing

/// An insider, who knows the key of the site's beacons, forges them in masses.
@Suite struct BeaconFloodTests {
  /// Beacons of the wanted door under invented challenges.
  struct Flood: CustomTestStringConvertible, Sendable {
    /// How many a second.
    let rate: UInt64
    let rssi: Int8
    /// How often each is sent, one right behind the other.
    var copies: UInt64 = 1
    /// By how many slots its clock is off.
    var ahead: Int64 = 0

    var testDescription: String { "\(rate) a second at \(rssi) dBm, each \(copies) times, \(ahead) slots ahead" }

    func next(_ bench: SendingBench) -> (TestAir) -> Heard? {
      let (door, gap) = (bench.door, 1_000_000_000 / rate)
      return { air in
        let number = air.time / gap + 1
        let slot = door.held.credential.site.slotClock.slot(at: air.wall.seconds)
        let beacon = Beacon(
          challenge: Challenge(random: 1 << 40 + number / copies), door: door.held.number,
          state: DoorStateByte(.locked, clockTrusted: true), slotLow: UInt8(truncatingIfNeeded: Int64(slot) + ahead))
        return (try? advert(door.beaconKey.seal(beacon))).map { (number * gap, $0, rssi) }
      }
    }
  }

  /// The door is heard at −50 dBm, ten times a second.
  @Test(arguments: [
    Flood(rate: 50, rssi: -80), Flood(rate: 50, rssi: -20), Flood(rate: 500, rssi: -80), Flood(rate: 500, rssi: -20),
    Flood(rate: 1_000, rssi: -20), Flood(rate: 1_000, rssi: -20, copies: 20), Flood(rate: 30, rssi: -20, copies: 3),
    Flood(rate: 500, rssi: -20, ahead: 100),
  ])
  func theDoorIsFoundAmongInventedChallenges(_ flood: Flood) throws {
    let bench = try SendingBench()
    bench.attack(flood.next(bench))
    let (outcome, sent) = try bench.send(.challenge)
    #expect(outcome.isDone && sent.count == 1)
    #expect(bench.air.time < 1_000_000_000, "within a second")
    // The next intent as well, under the next challenge.
    #expect(try bench.send(.challenge).outcome.isDone)
  }

  @Test func atMostThreeChallengesAreWastedOnOneWhoImitatesEverything() throws {
    let bench = try SendingBench()
    let door = bench.door
    // As often as the door, each for as long as it takes to be chosen, and stronger.
    bench.attack { air in
      let at = air.next(every: 100_000_000, before: 1_000_000)
      let challenge = Challenge(random: 1 << 40 + UInt64(air.sent.count))
      return (try? door.beacon(at: at, wall: air.wall, challenge: challenge)).map { (at, $0, -20) }
    }
    let (outcome, sent) = try bench.send(.challenge, for: .seconds(10))
    #expect(outcome == .over && sent.count == 3, "left open: a nuisance, as jamming is")
  }

  @Test func oneThatStandsStillCostsOneChallenge() throws {
    let bench = try SendingBench()
    let door = bench.door
    let invented = Challenge(random: 1 << 40)
    bench.attack { air in
      let at = air.next(every: 50_000_000, before: 1_000_000)
      return (try? door.beacon(at: at, wall: air.wall, challenge: invented)).map { (at, $0, -20) }
    }
    let (outcome, sent) = try bench.send(.challenge)
    #expect(outcome.isDone && sent.count == 2)
  }

  @Test func whoeverSaysAnotherTimeDoesNotStopTimeFramesWhereTheDoorIsHeard() throws {
    let bench = try SendingBench()
    bench.door.result = nil
    bench.attack(Flood(rate: 200, rssi: -20, ahead: 100).next(bench))
    // The first one waits for a slot, and hears the door before; the second sends at once, and hears the flood first.
    #expect(try bench.send(.time).outcome == .over)
    bench.air.pass(.seconds(5))
    #expect(try bench.send(.time).outcome == .over)
    #expect(bench.air.sent.count == 2)
  }
}
