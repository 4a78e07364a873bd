internal import AirProtocol
internal import HCI
internal import POSIX
internal import Provisioning

/// By challenge.
extension Sending {
  func sendByChallenge(
    _ ongoing: inout Ongoing, _ air: some Air, _ report: (Event) -> Void
  ) throws(SendingError) -> Outcome {
    var deadline = bootNow() + duration
    while true {
      let isOver = ongoing.tries.sent >= Self.challengeLimit
      let step = isOver ? nil : try transmission(&ongoing, air, until: deadline)
      switch step {
      case .cancelled: return .cancelled
      case .answered(let answer): return .answered(answer)
      case .frame(let transmission):
        try advertise(transmission, &ongoing, air, report)
        if ongoing.tries.sent == 0 { deadline = bootNow() + duration }
        ongoing.tries.note(sentAt: bootNow())
      case nil: break
      }
      if ongoing.tries.sent == 0 { return ongoing.ear.beacons.isEmpty ? .noBeacon : .noFreshChallenge }
      let isLast = ongoing.tries.sent >= Self.challengeLimit || step == nil
      let sentAt = bootNow()
      while true {
        let patience = ongoing.ear.beacons.isCrowded(at: bootNow()) ? Self.crowdedPatience : Self.challengePatience
        let turn = isLast ? deadline : min(deadline, sentAt + patience)
        if bootNow() >= turn { break }
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
    _ ongoing: inout Ongoing, _ air: some Air, until deadline: BootInstant
  ) throws(SendingError) -> ChallengeStep? {
    let clock = ongoing.clock
    var choosing: BootInstant?
    while true {
      let slot = clock.slot(at: wallNow().seconds)
      var turn = deadline
      if let choice = ongoing.ear.beacons.choice(
        slot: slot, skewSlots: clock.skewSlots, period: ongoing.period, by: ongoing.tries.order,
        except: ongoing.tries.taken, at: bootNow())
      {
        let challenge = choice.heard.beacon.challenge
        // Counted from when it came, not from when it was read.
        let since = choosing ?? choice.heard.lastHeard
        choosing = since
        turn = min(deadline, due(choice, since: since, ongoing, deadline))
        let isDue = bootNow() >= turn
        // Its frame is made, and noted on the disk, while a better beacon is waited for. That a challenge counts as used
        // and isn't used in the end does no harm; but who invents challenges isn't to fill the state with them.
        if ongoing.tries.ready[challenge] == nil,
          isDue || !choice.isDoubtful && ongoing.tries.ready.count < Self.challengeLimit
        {
          guard let frame = try next(&ongoing, under: challenge) else {
            // An intent began under that one before: the next challenge is waited for.
            ongoing.tries.taken.insert(challenge)
            choosing = nil
            continue
          }
          ongoing.tries.ready[challenge] = frame
        }
        if isDue, let frame = ongoing.tries.ready[challenge] {
          ongoing.tries.taken.insert(challenge)
          ongoing.tries.suspect(upTo: min(bootNow(), since + Self.beaconChoice))
          return .frame(frame)
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

  /// Until when a better beacon is waited for.
  ///
  /// - Parameter since: when there was one to be chosen.
  private func due(
    _ choice: BeaconLog.Choice, since: BootInstant, _ ongoing: Ongoing, _ deadline: BootInstant
  ) -> BootInstant {
    let tries = ongoing.tries
    // The first beacon is waited behind for a moment; what came since the last frame is taken at once.
    guard let turned = tries.turned else {
      return since + (choice.isDoubtful ? Self.crowdPatience : tries.taken.isEmpty ? Self.beaconChoice : .zero)
    }
    if choice.isNew {
      return choice.isDoubtful ? min(since + Self.crowdPatience, deadline + (.zero - Self.answerReserve)) : since
    }
    let change = turned + ongoing.period + Self.changeSlack
    if tries.areEnded { return change }
    // One of several that were there before is the door's by chance only. So its next challenge is waited for, where that
    // comes in time; but not for so long that the others couldn't be tried.
    let isLast = tries.sent == Self.challengeLimit - 1
    if choice.candidates > 1, change <= deadline, isLast || change - bootNow() <= Self.challengePatience {
      return change
    }
    return choice.isDoubtful ? since + Self.crowdPatience : since
  }

  func awaitBeacon(
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

/// What an intent has tried by challenge.
struct ChallengeTries {
  fileprivate(set) var taken: Set<Challenge> = []
  /// Frames that were made, and noted on the disk, also those that weren't sent yet.
  ///
  /// A challenge that was prepared and left aside for a stronger one may be the door's: for this intent it isn't used up.
  fileprivate(set) var ready: [Challenge: Transmission] = [:]
  fileprivate(set) var sent = 0
  /// Challenges first heard up to here had their chance, or are over.
  private var suspected: BootInstant?
  /// When the last frame was sent, or the door ended its challenges: within a period it shows another one.
  fileprivate(set) var turned: BootInstant?
  /// Whether the door takes none of those first heard up to then.
  fileprivate(set) var areEnded = false

  /// The second choice goes by what is new; the third as well, but by another measure, so that whoever fits the one
  /// doesn't fit the other.
  fileprivate var order: BeaconLog.Order {
    guard let suspected else { return .strongest }
    return sent < 2 ? .newest(since: suspected) : .steadiest(since: suspected)
  }

  /// The door has ended its challenges.
  ///
  /// - Parameter moment: until when those are first heard that it showed before.
  mutating func endChallenges(at now: BootInstant, heardUntil moment: BootInstant) {
    suspected = moment
    turned = now
    areEnded = true
  }

  /// A frame goes out under what was chosen up to that moment.
  fileprivate mutating func suspect(upTo moment: BootInstant) { if sent == 0 { suspected = moment } }

  fileprivate mutating func note(sentAt now: BootInstant) {
    sent += 1
    turned = now
    areEnded = false
  }
}

extension Sending.Ongoing {
  /// For how long the door shows a challenge.
  fileprivate var period: Duration { .seconds(intent.door.credential.site.challengeSeconds) }
}
