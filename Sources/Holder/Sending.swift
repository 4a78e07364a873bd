internal import Advertising
public import AirProtocol
public import HCI
internal import LatchkeyCrypto
public import POSIX
internal import Provisioning

/// Why an intent couldn't be sent.
public enum SendingError: Error, Hashable, Sendable {
  case radio(RadioError)
  case transmission(TransmissionError)
  /// Every slot until then is used up, and that is longer than a wrong clock or a first start explains.
  case usedUp(until: WallTime)
  /// The door's clock and the holder's disagree by so many slots: positive where the door's is ahead. Nothing was sent, or
  /// no more.
  case clockOff(slots: Int)
}

/// How a frame is bound to now.
public enum FreshnessChoice: String, CaseIterable, Sendable {
  case time
  case challenge
  /// By challenge where a beacon of the door is heard within a second, else by time.
  case either
}

/// Sends an intent until the door answers, or its time is over.
///
/// By time: its first frame as soon as a slot is free, and that of a later slot where it lasts so long. By challenge: a
/// frame under the challenge of the door's beacon, and under at most two others where no answer comes, new ones first.
public struct Sending {
  /// What happens meanwhile, for people and programs.
  public enum Event: Hashable, Sendable {
    /// The slots up to this moment are used up: it waits.
    case waiting(until: WallTime)
    /// This is on the air now; with the first frame, by how many slots the clock is behind, where that is more
    /// than a door accepts.
    case onAir(Transmission, slotsBehind: UInt64?)
  }

  /// How it ended.
  public enum Outcome: Hashable, Sendable {
    case answered(Answer)
    /// Its time is over.
    case over
    /// Its time was over before a beacon of the door was heard: nothing was sent.
    case noBeacon
    /// Its time was over before the door showed a challenge that wasn't used before: nothing was sent.
    case noFreshChallenge
    case cancelled
  }

  /// More challenges than these aren't taken for one intent (protocol.md, "Beacon frame").
  static let challengeLimit = 3
  /// How long one that is either way waits for a beacon.
  static let beaconPatience = Duration.seconds(1)
  /// How long a stronger beacon is waited for behind the first one: one and a half of a door's beacons.
  static let beaconChoice = Duration.milliseconds(150)
  /// How long one of a crowd of beacons is waited for to stand out: a door's next challenge has come by then.
  static let crowdPatience = Duration.seconds(2)
  /// How long a beacon that agrees is waited for behind one that says another time, while a frame is on the air.
  static let clockPatience = Duration.milliseconds(300)
  /// How long an answer is waited for under one challenge, before another one is taken.
  static let challengePatience = Duration.milliseconds(1_500)
  /// The same while more challenges are shown than a door has: all three have to fit into three seconds.
  static let crowdedPatience = Duration.seconds(1)
  /// How much later than a period a door's next challenge is heard at the latest: three beacons, two of them lost.
  static let changeSlack = Duration.milliseconds(300)
  /// How much of its time an intent keeps for the answer to its last frame.
  static let answerReserve = Duration.milliseconds(500)

  let duration: Duration
  let wallNow: () -> WallTime
  let bootNow: () -> BootInstant

  /// - Parameters:
  ///   - duration: how long it stays on the air, counted from its first frame; as long for a beacon before.
  ///   - wallNow: the clock that decides the slot.
  ///   - bootNow: the clock of `Air`.
  public init(
    for duration: Duration, wallNow: @escaping () -> WallTime = WallTime.now,
    bootNow: @escaping () -> BootInstant = BootInstant.now
  ) {
    self.duration = duration
    self.wallNow = wallNow
    self.bootNow = bootNow
  }

  /// Sends the intent; what was sent is still on the air when this returns.
  ///
  /// - Parameter heard: beacons of the door that were heard just before.
  public func send(
    _ intent: Intent, by choice: FreshnessChoice, over air: some Air, heard: BeaconLog = BeaconLog(),
    _ report: (Event) -> Void
  ) throws(SendingError) -> Outcome {
    var ongoing = Ongoing(
      intent: intent, ear: try Self.crypto { () throws(CryptoError) in try Ear(intent.door, heard: heard) })
    switch choice {
    case .challenge: return try sendByChallenge(&ongoing, air, report)
    case .time:
      guard try awaitClock(&ongoing, air) != .cancelled else { return .cancelled }
      return try sendByTime(&ongoing, air, report)
    case .either: return try sendEitherWay(&ongoing, air, report)
    }
  }

  private func sendEitherWay(
    _ ongoing: inout Ongoing, _ air: some Air, _ report: (Event) -> Void
  ) throws(SendingError) -> Outcome {
    guard try awaitBeacon(&ongoing, air, until: bootNow() + Self.beaconPatience) != .cancelled else {
      return .cancelled
    }
    if !ongoing.ear.beacons.isEmpty { return try sendByChallenge(&ongoing, air, report) }
    let outcome = try sendByTime(&ongoing, air, report)
    // A door that takes no time frames now doesn't remember the press: under a challenge it is still to be done.
    guard case .answered(let answer) = outcome, answer.result == .freshnessRefused else { return outcome }
    ongoing.ear.forgetFrames()
    // That frame has ended the challenges that the door showed up to now (protocol.md, "The two kinds of freshness"). It
    // hasn't where its clock isn't trusted, which looks the same: so they come last.
    let knowsThem = ongoing.ear.beacons.hasHeard(within: Self.changeSlack, at: bootNow())
    ongoing.tries.endChallenges(at: bootNow(), heardUntil: bootNow() + (knowsThem ? .zero : Self.changeSlack))
    let second = try sendByChallenge(&ongoing, air, report)
    return second == .noBeacon || second == .noFreshChallenge ? outcome : second
  }

  /// An intent under way.
  struct Ongoing {
    var intent: Intent
    var ear: Ear
    /// The first time frame, where it was made before it may be sent.
    var ready: Transmission?
    var tries = ChallengeTries()

    var clock: SlotClock { intent.door.credential.site.slotClock }
  }
}

extension Sending {
  func advertise(
    _ transmission: Transmission, slotsBehind: UInt64? = nil, _ ongoing: inout Ongoing, _ air: some Air,
    _ report: (Event) -> Void
  ) throws(SendingError) {
    do throws(CryptoError) { try ongoing.ear.expectAnswer(to: transmission) } catch {
      throw .transmission(.crypto(error))
    }
    do throws(RadioError) { try air.advertise(transmission.data) } catch { throw .radio(error) }
    report(.onAir(transmission, slotsBehind: slotsBehind))
  }

  func listen(
    _ ongoing: inout Ongoing, _ air: some Air, until deadline: BootInstant
  ) throws(SendingError) -> Listening {
    var ear = ongoing.ear
    defer { ongoing.ear = ear }
    let now = bootNow
    do throws(RadioError) {
      return try air.listen(until: deadline) { data, rssi in ear.take(data, rssi: rssi, at: now()) }
    } catch {
      throw .radio(error)
    }
  }

  private static func crypto<Value>(_ body: () throws(CryptoError) -> Value) throws(SendingError) -> Value {
    do throws(CryptoError) { return try body() } catch { throw .transmission(.crypto(error)) }
  }
}
