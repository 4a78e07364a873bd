import Advertising
import AirProtocol
import HCI
import Holder
import LatchkeyCrypto
import POSIX
import Provisioning
import TestSupport
import Testing

@Suite struct AnswerTests {
  private let bench: SendingBench
  private var door: FarDoor { bench.door }
  private var air: TestAir { bench.air }

  init() throws { bench = try SendingBench() }

  private func send(
    _ choice: FreshnessChoice, for duration: Duration = .seconds(3)
  ) throws -> (outcome: Sending.Outcome, sent: [Transmission]) { try bench.send(choice, for: duration) }

  @Test func aChallengeIsTakenFromABeaconAndAnswered() throws {
    let (outcome, sent) = try send(.challenge)
    #expect(outcome == .answered(Answer(result: .done, state: DoorStateByte(.unlocked, clockTrusted: true), detail: 5)))
    #expect(sent.count == 1 && sent.allSatisfy(\.isByChallenge) && sent[0].plaintext.sequence < 128)
    // The first beacon at 100 ms, a moment for a stronger one, and the answer.
    #expect(air.time < 400_000_000)
  }

  @Test func aFrameIsNotedOnDiskWhileAStrongerBeaconIsWaitedFor() throws {
    let door = door
    let folder = bench.folder
    var noted: [Bool] = []
    air.script = { air in
      if air.sent.isEmpty { noted.append(((try? folder.names()) ?? []).contains { $0.hasSuffix(".state") }) }
      return door.next(air)
    }
    #expect(try send(.challenge).sent.count == 1)
    #expect(noted.first == false && noted.last == true, "before the first beacon, and behind it")
  }

  @Test func aRefusalIsAnAnswerToo() throws {
    door.result = .revoked
    guard case .answered(let answer) = try send(.challenge).outcome else {
      Issue.record("no answer")
      return
    }
    #expect(answer.result == .revoked)
  }

  @Test func withoutABeaconNothingIsSent() throws {
    door.isSilent = true
    let (outcome, sent) = try send(.challenge)
    #expect(outcome == .noBeacon && sent.isEmpty && air.sent.isEmpty)
    #expect(air.time == 3_000_000_000)
  }

  @Test func eitherWayTakesAChallengeWhereThereIsOneAndTimeWhereNot() throws {
    #expect(try send(.either).sent.allSatisfy(\.isByChallenge))
    door.isSilent = true
    air.script = { _ in nil }
    // Behind a challenge frame no time frame goes out before its slots are over.
    #expect(throws: SendingError.self) { try send(.either) }
    air.pass(.seconds(30))
    let (outcome, sent) = try send(.either)
    #expect(outcome == .over && sent.count == 1 && !sent[0].isByChallenge)
  }

  @Test func atMostThreeChallengesAreTakenForOneIntent() throws {
    door.result = nil
    let (outcome, sent) = try send(.challenge, for: .seconds(20))
    #expect(outcome == .over && sent.count == 3)
    #expect(Set(sent.map(\.plaintext.press)).count == 1, "one intent")
    #expect(Set(sent.map(\.freshness)).count == 3)
  }

  @Test func aChallengeThatAnIntentUsedIsNotTakenAgain() throws {
    let first = try send(.challenge).sent
    let second = try send(.challenge).sent
    #expect(first[0].freshness != second[0].freshness, "the next one was waited for")
    #expect(second[0].plaintext.press == first[0].plaintext.press &+ 1)
  }

  @Test func aBeaconThatSaysAnotherTimeStopsTimeFrames() throws {
    door.ahead = 40
    door.result = nil
    air.script = { _ in nil }
    // Its first start waits for the next slot; what it hears meanwhile counts.
    let door = door
    air.script = { door.next($0) }
    let error = #expect(throws: SendingError.self) { try send(.time, for: .seconds(20)) }
    // The beacon may be of the slot before.
    #expect(error == .clockOff(slots: 40) || error == .clockOff(slots: 39))
    #expect(air.sent.isEmpty)
    // A door that doesn't vouch for its clock stops nobody.
    door.clockTrusted = false
    #expect(try send(.time).outcome == .over)
  }

  @Test func theDoorsTimeIsHeardBeforeTheFirstFrame() throws {
    door.result = nil
    // What is over then: the wait of a first start.
    _ = try send(.time, for: .milliseconds(100))
    air.pass(.seconds(10))
    let before = air.sent.count
    door.ahead = 40
    #expect(throws: SendingError.self) { try send(.time) }
    #expect(air.sent.count == before, "nothing went out")
    // One that agrees costs no more than until its next beacon.
    door.ahead = 0
    door.result = .done
    let start = air.time
    #expect(try send(.time).sent.count == 1)
    #expect(air.time - start < 200_000_000)
  }

  @Test func whoIsRefusedByTimeComesBackUnderAChallenge() throws {
    let door = door
    door.refusesTime = true
    // It is heard too late to be asked for a challenge first.
    air.script = { air in air.sent.isEmpty ? nil : door.next(air) }
    let (outcome, sent) = try send(.either)
    guard case .answered(let answer) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(answer.result == .done && sent.map(\.isByChallenge) == [false, true])
    #expect(sent[0].plaintext.press == sent[1].plaintext.press, "one intent")
    #expect(Set(sent[1...].map(\.freshness)) == Set(door.challenges.map(Freshness.challenge)), "none that was over")
  }

  @Test func whatTheDoorShowsIsTakenLastWhereItShowsNothingElseInTime() throws {
    // A clock that isn't trusted ends no challenge, and this one lasts longer than the holder waits.
    let bench = try SendingBench(challengeSeconds: 60)
    let (door, air) = (bench.door, bench.air)
    door.clockTrusted = false
    door.refusesTime = true
    door.endsChallenges = false
    air.script = { air in air.sent.isEmpty ? nil : door.next(air) }
    let (outcome, sent) = try bench.send(.either)
    #expect(outcome.isDone && sent.map(\.isByChallenge) == [false, true])
  }

  @Test func aChallengeThatWasPreparedAndLeftAsideIsStillThisIntents() throws {
    let bench = try SendingBench(challengeSeconds: 5)
    let recorded = try bench.door.recorded(1, bench.air)[0]
    // The door is heard first; what is stronger comes while its frame is made ready.
    bench.air.pass(.milliseconds(60))
    bench.attack { air in (air.next(every: 100_000_000, before: 50_000_000), recorded, -20) }
    let (outcome, sent) = try bench.send(.challenge)
    #expect(outcome.isDone && sent.count == 2)
  }

  @Test func aDoorThatDisagreesIsStillTakenByChallenge() throws {
    door.ahead = 40
    #expect(try send(.challenge).sent.count == 1)
  }

  @Test func timeFramesAreAnsweredAsWell() throws {
    guard case .answered(let answer) = try send(.time).outcome else {
      Issue.record("no answer")
      return
    }
    #expect(answer.result == .done)
    #expect(air.time < 5_500_000_000, "the rest of the first slot, and no more")
  }

  @Test func anotherDoorsBeaconsAndReflectedFramesAreNothing() throws {
    let door = door
    let other = try present(DoorNumber(rawValue: 2))
    var sentOut = 0
    air.script = { air in
      sentOut += 1
      let at = air.time + 50_000_000
      // In turn: another door's beacon, one whose first bit is 0, and the holder's own frame.
      switch sentOut % 3 {
      case 0: return (try? door.beacon(at: at, wall: air.wall, number: other)).map { (at, $0, -30) }
      case 1: return (at, [0x02, 0x01, 0x06, 0x11, 0x07] + [UInt8](repeating: 0x11, count: 16), -30)
      default: return air.sent.last.map { (at, $0.data.bytes, -30) } ?? (at, [], nil)
      }
    }
    #expect(try send(.challenge).outcome == .noBeacon)
    #expect(try send(.time).outcome == .over)
  }
}

@Suite struct BeaconLogTests {
  private let now = BootInstant(nanoseconds: 10_000_000_000)

  private func beacon(_ random: UInt64, slot: UInt8 = 0, trusted: Bool = true) throws -> Beacon {
    Beacon(
      challenge: Challenge(random: random), door: try present(DoorNumber(rawValue: 1)),
      state: DoorStateByte(.locked, clockTrusted: trusted), slotLow: slot)
  }

  @Test func theStrongestThatAgreesComesFirst() throws {
    var log = BeaconLog()
    #expect(log.isEmpty && log.choice(slot: 0, skewSlots: 2, period: .seconds(2), at: now) == nil)
    log.take(try beacon(1), rssi: -80, at: now)
    log.take(try beacon(2), rssi: -50, at: now)
    log.take(try beacon(3, slot: 100), rssi: -10, at: now)
    #expect(
      log.choice(slot: 0, skewSlots: 2, period: .seconds(2), at: now)?.heard.beacon.challenge == Challenge(random: 2))
    let next = log.choice(slot: 0, skewSlots: 2, period: .seconds(2), except: [Challenge(random: 2)], at: now)
    #expect(next?.heard.beacon.challenge == Challenge(random: 1))
    #expect(log.slotsOff(slot: 0, skewSlots: 2, at: now) == nil)
    #expect(
      log.choice(slot: 50, skewSlots: 2, period: .seconds(2), at: now)?.heard.rssi == -10,
      "where none agrees, the strongest")
    #expect(log.slotsOff(slot: 50, skewSlots: 2, at: now) == 50)
    let known = log.take(try beacon(1), rssi: -20, at: now)
    #expect(!known && log.choice(slot: 0, skewSlots: 2, period: .seconds(2), at: now)?.heard.rssi == -20)
  }

  @Test func aFloodIsBoundedAndTheStrongStay() throws {
    var log = BeaconLog()
    log.take(try beacon(1_000_000), rssi: -40, at: now)
    for number in 0..<5_000 as Range<UInt64> { log.take(try beacon(number), rssi: -90, at: now) }
    #expect(
      log.choice(slot: 0, skewSlots: 2, period: .seconds(2), at: now)?.heard.beacon.challenge
        == Challenge(random: 1_000_000))
  }

  @Test func theOneHeardMostOftenStandsOutOfACrowd() throws {
    var log = BeaconLog()
    var choice: BeaconLog.Choice?
    for copy in 0..<4 as Range<Int64> {
      let now = now + .milliseconds(100 * copy)
      log.take(try beacon(1), rssi: -80, at: now)
      for other in 1..<100 as Range<UInt64> {
        let forged = try beacon(100 * UInt64(copy + 1) + other)
        // Copies in one breath count as one.
        for _ in 0..<5 { log.take(forged, rssi: -20, at: now) }
      }
      choice = log.choice(slot: 0, skewSlots: 2, period: .seconds(2), at: now)
      #expect(choice?.isDoubtful == (copy < 3))
    }
    #expect(choice?.heard.beacon.challenge == Challenge(random: 1) && choice?.heard.hearings == 4)
  }

  @Test func whatIsNoLongerShownGivesWayToWhatIs() throws {
    var log = BeaconLog()
    log.take(try beacon(1), rssi: -20, at: now)
    log.take(try beacon(2), rssi: -90, at: now + .seconds(2))
    let choice = log.choice(slot: 0, skewSlots: 2, period: .seconds(2), at: now + .seconds(2))
    #expect(choice?.heard.beacon.challenge == Challenge(random: 2))
  }

  @Test func whatIsOldIsForgotten() throws {
    var log = BeaconLog()
    log.take(try beacon(1), rssi: -40, at: now)
    log.take(try beacon(2), rssi: -90, at: now + .seconds(5))
    #expect(
      log.choice(slot: 0, skewSlots: 2, period: .seconds(2), at: now + .seconds(5))?.heard.beacon.challenge
        == Challenge(random: 2))
  }
  /// The challenge that is chosen, by its random part.
  private func choice(
    _ log: BeaconLog, by order: BeaconLog.Order = .strongest, at seconds: Double
  ) -> Challenge? {
    let moment = now + .milliseconds(Int(seconds * 1_000))
    return log.choice(slot: 0, skewSlots: 2, period: .seconds(2), by: order, at: moment)?.heard.beacon.challenge
  }

  @Test func whatIsNewGoesFirst() throws {
    var log = BeaconLog()
    for copy in 0..<20 as Range<Int64> {
      let now = now + .milliseconds(100 * copy)
      for old in 1...4 as ClosedRange<UInt64> { log.take(try beacon(old), rssi: -20, at: now) }
      if copy == 18 { log.take(try beacon(5), rssi: -90, at: now) }
    }
    #expect(choice(log, by: .newest(since: now + .milliseconds(150)), at: 1.9) == Challenge(random: 5))
    #expect(choice(log, by: .steadiest(since: now + .milliseconds(150)), at: 1.9) == Challenge(random: 5))
    #expect(choice(log, at: 1.9) != Challenge(random: 5))
    #expect(choice(log, by: .newest(since: now + .milliseconds(1_850)), at: 1.9) != Challenge(random: 5))
  }

  @Test func ofACrowdOfNewOnesOnlyWhatStandsOutCounts() throws {
    var log = BeaconLog()
    for copy in 0..<15 as Range<Int64> {
      let now = now + .milliseconds(100 * copy)
      log.take(try beacon(1), rssi: -50, at: now)
      // From the third on, one that stands still; from the seventh on, another; and a new one each time.
      if copy >= 3 { log.take(try beacon(2), rssi: -90, at: now) }
      if copy >= 7 { log.take(try beacon(3), rssi: -90, at: now) }
      log.take(try beacon(100 + UInt64(copy)), rssi: -20, at: now)
    }
    let since = now + .milliseconds(150)
    #expect(choice(log, by: .newest(since: since), at: 1.4) == Challenge(random: 3))
    #expect(choice(log, by: .steadiest(since: since), at: 1.4) == Challenge(random: 2))
    // Where none of the new ones stands out, it is as before.
    #expect(choice(log, by: .newest(since: now + .milliseconds(850)), at: 1.4) == Challenge(random: 1))
  }

  @Test func whatWasHeardForLongerThanADoorShowsAChallengeIsNone() throws {
    var log = BeaconLog()
    for copy in 0...32 as ClosedRange<Int64> { log.take(try beacon(1), rssi: -20, at: now + .milliseconds(100 * copy)) }
    #expect(choice(log, at: 3) == Challenge(random: 1))
    #expect(choice(log, at: 3.1) == nil)
    // Nor where it was silent for a while: a door never shows a challenge again.
    log.take(try beacon(1), rssi: -20, at: now + .seconds(60))
    #expect(choice(log, at: 60) == nil)
    log.take(try beacon(2), rssi: -90, at: now + .seconds(60))
    #expect(choice(log, at: 60) == Challenge(random: 2))
  }
}
