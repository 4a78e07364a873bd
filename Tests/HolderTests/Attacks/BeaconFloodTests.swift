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

  /// Voices beside the door, each as steady as it and stronger, by the number of the challenge that each says at a moment.
  private func imitate(_ bench: SendingBench, _ voices: [(TestAir) -> UInt64]) {
    let door = bench.door
    bench.attack { air in
      voices.indices.compactMap { index -> Heard? in
        let at = air.next(every: 100_000_000, before: 1_000_000 * UInt64(1 + index))
        let challenge = Challenge(random: 1 << 40 + UInt64(index) << 32 + voices[index](air))
        return (try? door.beacon(at: at, wall: air.wall, challenge: challenge)).map { (at, $0, -20) }
      }.min { $0.at < $1.at }
    }
  }

  @Test func oneWhoTakesANewChallengeWheneverTheHolderHasTakenTheLastCostsTwo() throws {
    let bench = try SendingBench()
    imitate(bench, [{ UInt64($0.sent.count) }])
    let (outcome, sent) = try bench.send(.challenge, for: .seconds(10))
    #expect(outcome.isDone && sent.count == 3)
  }

  @Test(arguments: [300, 500] as [UInt64])
  func oneWhoIsAlwaysNewCostsTwo(_ milliseconds: UInt64) throws {
    for start in stride(from: 0, to: 2_000, by: 130) {
      let bench = try SendingBench()
      bench.air.pass(.milliseconds(20_000 + start))
      imitate(bench, [{ $0.time / (milliseconds * 1_000_000) }])
      let (outcome, sent) = try bench.send(.challenge)
      #expect(outcome.isDone && sent.count <= 3, "\(start) ms into a period: \(outcome), \(sent.count) sent")
    }
  }

  @Test func atMostThreeChallengesAreWastedOnThoseWhoImitateEverything() throws {
    let bench = try SendingBench()
    // Four doors that aren't, each with a period as long as the door's, so that one has always changed just now.
    imitate(bench, (0..<4).map { voice in { ($0.time + 500_000_000 * UInt64(voice)) / 2_000_000_000 } })
    let (outcome, sent) = try bench.send(.challenge, for: .seconds(10))
    #expect(outcome == .over && sent.count == 3, "left open: a nuisance, as jamming is")
  }

  @Test func aRecordedOneDoesNotHelpAFlood() throws {
    for seconds in [2, 60] {
      let bench = try SendingBench(challengeSeconds: seconds)
      let recorded = try bench.door.recorded(1, bench.air)[0]
      let flood = Flood(rate: 200, rssi: -20).next(bench)
      bench.attack { air in
        earlier(flood(air), (air.next(every: 100_000_000, before: 7_000_000), recorded, -20))
      }
      let (outcome, sent) = try bench.send(.challenge)
      #expect(outcome.isDone && sent.count == 2, "periods of \(seconds) s: \(outcome), \(sent.count) sent")
    }
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
