internal import AirProtocol
internal import HCI
internal import POSIX
internal import Provisioning

/// By challenge.
extension Sending {
  func sendByChallenge(
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
      if sent == 0 { return ongoing.ear.beacons.isEmpty ? .noBeacon : .noFreshChallenge }
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
    var ready: [Challenge: Transmission] = [:]
    while true {
      let slot = clock.slot(at: wallNow().seconds)
      var turn = deadline
      if let choice = ongoing.ear.beacons.choice(
        slot: slot, skewSlots: clock.skewSlots, except: taken, at: bootNow())
      {
        let challenge = choice.heard.beacon.challenge
        // The first beacon is waited behind for a moment; a second challenge is taken at once.
        let patience = choice.isDoubtful ? Self.crowdPatience : taken.isEmpty ? Self.beaconChoice : .zero
        // Counted from when it came, not from when it was read.
        let since = choosing ?? choice.heard.lastHeard
        choosing = since
        turn = min(deadline, since + patience)
        let isDue = bootNow() >= turn
        // Its frame is made, and noted on the disk, while a stronger beacon is waited for. That a challenge counts as used
        // and isn't used in the end does no harm; but who invents challenges isn't to fill the state with them.
        if ready[challenge] == nil, isDue || !choice.isDoubtful && ready.count < Self.challengeLimit {
          guard let frame = try next(&ongoing, under: challenge) else {
            // An intent began under that one before: the next challenge is waited for.
            taken.insert(challenge)
            choosing = nil
            continue
          }
          ready[challenge] = frame
        }
        if isDue, let frame = ready[challenge] {
          taken.insert(challenge)
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
