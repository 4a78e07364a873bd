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
/// frame under the challenge of the door's beacon, and under at most two others where no answer comes.
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

  private let duration: Duration
  private let wallNow: () -> WallTime
  private let bootNow: () -> BootInstant

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
    let byChallenge: Bool
    switch choice {
    case .time: byChallenge = false
    case .challenge: byChallenge = true
    case .either:
      switch try awaitBeacon(&ongoing, air, until: bootNow() + Self.beaconPatience) {
      case .cancelled: return .cancelled
      case .over, .enough: byChallenge = !ongoing.ear.beacons.isEmpty
      }
    }
    return byChallenge
      ? try sendByChallenge(&ongoing, air, report) : try sendByTime(&ongoing, air, report)
  }

  /// An intent under way.
  private struct Ongoing {
    var intent: Intent
    var ear: Ear

    var clock: SlotClock { intent.door.credential.site.slotClock }
  }
}

// By time.
extension Sending {
  private func sendByTime(
    _ ongoing: inout Ongoing, _ air: some Air, _ report: (Event) -> Void
  ) throws(SendingError) -> Outcome {
    guard try begin(&ongoing, air, report) else { return .cancelled }
    var sentAt = (boot: bootNow(), wall: wallNow())
    let deadline = sentAt.boot + duration
    var due = ongoing.intent.nextFrameDue(sentAt: sentAt)
    var doubtful: BootInstant?
    while true {
      // Whoever says another time may not be the door, which is heard within a moment.
      doubtful = slotsOff(ongoing) == nil ? nil : doubtful ?? bootNow()
      let doubtEnd = doubtful.map { $0 + Self.clockPatience }
      if let doubtEnd, bootNow() >= doubtEnd { try requireClock(ongoing) }
      switch try listen(&ongoing, air, until: min(deadline, doubtEnd ?? due ?? deadline)) {
      case .cancelled: return .cancelled
      case .enough:
        if let answer = ongoing.ear.answer { return .answered(answer) }
        continue
      case .over: break
      }
      if bootNow() >= deadline { return .over }
      if doubtful != nil || due.map({ bootNow() < $0 }) ?? true { continue }
      if case .transmit(let transmission) = try next(&ongoing) {
        try advertise(transmission, &ongoing, air, report)
        sentAt = (bootNow(), wallNow())
        due = ongoing.intent.nextFrameDue(sentAt: sentAt)
      } else {
        // The clock was set back meanwhile: nothing new until it gets there.
        due = bootNow() + Intent.frameLife
      }
    }
  }

  /// Waits for a free slot and sends the first frame; false where it was cancelled.
  private func begin(
    _ ongoing: inout Ongoing, _ air: some Air, _ report: (Event) -> Void
  ) throws(SendingError) -> Bool {
    let clock = ongoing.clock
    // A new state, or 256 frames in one slot while the clock is behind by what a door accepts, explain so much.
    let patience = Duration.seconds(clock.slotSeconds * (clock.skewSlots + 1))
    while true {
      try requireClock(ongoing)
      switch try next(&ongoing) {
      case .transmit(let transmission):
        try advertise(transmission, slotsBehind: ongoing.intent.slotsBehind, &ongoing, air, report)
        return true
      case .goOn: return true
      case .wait(let slot):
        let start = WallTime(seconds: clock.start(ofSlot: slot))
        let left = start - wallNow()
        guard left <= patience else { throw .usedUp(until: start) }
        report(.waiting(until: start))
        let deadline = bootNow() + left
        while bootNow() < deadline {
          if try listen(&ongoing, air, until: deadline) == .cancelled { return false }
        }
      }
    }
  }

  /// No time frame is sent to a door whose beacons all say another time.
  private func requireClock(_ ongoing: Ongoing) throws(SendingError) {
    if let off = slotsOff(ongoing) { throw .clockOff(slots: off) }
  }

  private func slotsOff(_ ongoing: Ongoing) -> Int? {
    let clock = ongoing.clock
    return ongoing.ear.beacons.slotsOff(
      slot: clock.slot(at: wallNow().seconds), skewSlots: clock.skewSlots, at: bootNow())
  }

  private func next(_ ongoing: inout Ongoing) throws(SendingError) -> Intent.Step {
    do throws(TransmissionError) { return try ongoing.intent.next(now: wallNow()) } catch { throw .transmission(error) }
  }
}

// By challenge.
extension Sending {
  private func sendByChallenge(
    _ ongoing: inout Ongoing, _ air: some Air, _ report: (Event) -> Void
  ) throws(SendingError) -> Outcome {
    var taken: Set<Challenge> = []
    var sent = 0
    var deadline = bootNow() + duration
    while true {
      let step = sent < Self.challengeLimit ? try transmission(&ongoing, air, &taken, until: deadline) : nil
      switch step {
      case .cancelled: return .cancelled
      case .answered(let answer): return .answered(answer)
      case .frame(let transmission):
        try advertise(transmission, &ongoing, air, report)
        sent += 1
        if sent == 1 { deadline = bootNow() + duration }
      case nil: break
      }
      if sent == 0 { return .noBeacon }
      let isLast = sent >= Self.challengeLimit || step == nil
      let turn = isLast ? deadline : min(deadline, bootNow() + Self.challengePatience)
      while bootNow() < turn {
        switch try listen(&ongoing, air, until: turn) {
        case .cancelled: return .cancelled
        case .enough: if let answer = ongoing.ear.answer { return .answered(answer) }
        case .over: break
        }
      }
      if bootNow() >= deadline { return .over }
    }
  }

  private enum ChallengeStep: Equatable {
    case frame(Transmission)
    case answered(Answer)
    case cancelled
  }

  /// A frame under a challenge that wasn't taken yet, once a beacon shows one; nil where none does by the deadline.
  private func transmission(
    _ ongoing: inout Ongoing, _ air: some Air, _ taken: inout Set<Challenge>, until deadline: BootInstant
  ) throws(SendingError) -> ChallengeStep? {
    let clock = ongoing.clock
    var choosing: BootInstant?
    while true {
      let slot = clock.slot(at: wallNow().seconds)
      var turn = deadline
      if let choice = ongoing.ear.beacons.choice(
        slot: slot, skewSlots: clock.skewSlots, except: taken, at: bootNow())
      {
        // The first beacon is waited behind for a moment; a second challenge is taken at once.
        let patience = choice.isDoubtful ? Self.crowdPatience : taken.isEmpty ? Self.beaconChoice : .zero
        let since = choosing ?? bootNow()
        choosing = since
        turn = min(deadline, since + patience)
        if bootNow() >= turn {
          let challenge = choice.heard.beacon.challenge
          taken.insert(challenge)
          if let frame = try next(&ongoing, under: challenge) { return .frame(frame) }
          // An intent began under that one before: the next challenge is waited for.
          choosing = nil
          continue
        }
      } else {
        choosing = nil
      }
      if bootNow() >= deadline { return nil }
      switch try listen(&ongoing, air, until: turn) {
      case .cancelled: return .cancelled
      case .enough, .over: if let answer = ongoing.ear.answer { return .answered(answer) }
      }
    }
  }

  private func awaitBeacon(
    _ ongoing: inout Ongoing, _ air: some Air, until deadline: BootInstant
  ) throws(SendingError) -> Listening {
    while ongoing.ear.beacons.isEmpty, bootNow() < deadline {
      if try listen(&ongoing, air, until: deadline) == .cancelled { return .cancelled }
    }
    return .over
  }

  private func next(_ ongoing: inout Ongoing, under challenge: Challenge) throws(SendingError) -> Transmission? {
    do throws(TransmissionError) { return try ongoing.intent.next(under: challenge, now: wallNow()) } catch {
      throw .transmission(error)
    }
  }
}

extension Sending {
  private func advertise(
    _ transmission: Transmission, slotsBehind: UInt64? = nil, _ ongoing: inout Ongoing, _ air: some Air,
    _ report: (Event) -> Void
  ) throws(SendingError) {
    do throws(CryptoError) { try ongoing.ear.expectAnswer(to: transmission) } catch {
      throw .transmission(.crypto(error))
    }
    do throws(RadioError) { try air.advertise(transmission.data) } catch { throw .radio(error) }
    report(.onAir(transmission, slotsBehind: slotsBehind))
  }

  private func listen(
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

extension WallTime {
  /// How long from the second to the first; negative where the first is earlier.
  fileprivate static func - (later: WallTime, earlier: WallTime) -> Duration {
    let (seconds, overflow) = later.seconds.subtractingReportingOverflow(earlier.seconds)
    if overflow { return .seconds(later.seconds < 0 ? Int64.min : Int64.max) }
    return .seconds(seconds) + .nanoseconds(Int64(later.nanoseconds) - Int64(earlier.nanoseconds))
  }
}
