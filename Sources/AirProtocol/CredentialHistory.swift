/// What a door remembers of one credential that used it of late, its time mark aside.
///
/// The memory of `ReplayGuard`.
struct CredentialHistory: Sendable {
  /// More handled frames than this are forgotten, oldest first; they are called replayed then, not repeated.
  static let handledLimit = 32
  /// More replays than this under living freshness are only counted.
  static let replayLimit = 16
  /// More presses than this are forgotten, oldest first.
  ///
  /// The rate limit keeps an honest count far below.
  static let pressLimit = 32

  private struct Hearing {
    let frame: Frame
    let freshness: Freshness
    let at: Duration
  }

  private struct Replay {
    let freshness: Freshness
    let sequence: UInt8
    let at: Duration
  }

  private struct ChallengeMark {
    let number: UInt64
    let sequence: UInt8
  }

  /// How long a challenge frame can matter, far beyond any challenge's life (two periods of at most 60 s).
  static let challengeMemory = Duration.seconds(600)

  private var challengeMark: ChallengeMark?
  /// Challenges up to this number are over for this credential: a time frame was handled after they were first sent.
  private var endedChallenges: UInt64?
  private var hearings: [Hearing] = []
  private var replays: [Replay] = []
  private var presses: [RememberedPress] = []
  private var handledTimes: [Duration] = []
  private var lastHandled: Duration?

  /// Drops what can't matter any more: frames of slots that aren't accepted now, presses beyond their window.
  mutating func forget(before moment: ReplayGuard.Moment, clock: SlotClock, pressWindow: Duration) {
    if !hearings.isEmpty {
      hearings.removeAll { !Self.isLive($0.freshness, at: moment, skewSlots: clock.skewSlots, heard: $0.at) }
    }
    if !replays.isEmpty {
      replays.removeAll { !Self.isLive($0.freshness, at: moment, skewSlots: clock.skewSlots, heard: $0.at) }
    }
    if !presses.isEmpty { presses.removeAll { moment.boot - $0.heard > pressWindow } }
    handledTimes.removeAll { moment.boot - $0 >= ReplayGuard.rateWindow }
  }

  /// Whether nothing is left that could matter.
  ///
  /// What is known of a challenge that is long over doesn't.
  func isEmpty(at boot: Duration) -> Bool {
    guard hearings.isEmpty && replays.isEmpty && presses.isEmpty else { return false }
    return lastHandled.map { boot - $0 > Self.challengeMemory } ?? true
  }

  /// When the very same frame was first heard; nil where it wasn't.
  func firstHearing(of frame: Frame) -> Duration? { hearings.first { $0.frame == frame }?.at }

  /// Whether this replay is the first of its credential, freshness and sequence, and so worth a log line.
  mutating func noteReplay(of command: VerifiedCommand, at boot: Duration) -> Bool {
    let (freshness, sequence) = (command.freshness, command.plaintext.sequence)
    guard !replays.contains(where: { $0.freshness == freshness && $0.sequence == sequence }),
      replays.count < Self.replayLimit
    else { return false }
    replays.append(Replay(freshness: freshness, sequence: sequence, at: boot))
    return true
  }

  /// Step 4: whether the frame is above this credential's mark of its kind.
  func isAbove(_ command: VerifiedCommand, mark: TimeMark?, challengeNumber: UInt64?) -> Bool {
    let sequence = command.plaintext.sequence
    switch command.freshness {
    case .time(let slot):
      guard let mark else { return true }
      return TimeMark(slot: slot, sequence: sequence) > mark
    case .challenge:
      guard let number = challengeNumber else { return false }
      if let endedChallenges, number <= endedChallenges { return false }
      guard let challengeMark else { return true }
      return (number, sequence) > (challengeMark.number, challengeMark.sequence)
    }
  }

  /// The frame passed step 4: remembers it, and answers the time mark that it gives where time marks may be lifted.
  ///
  /// - Parameter isRefused: it is a time frame that can't be judged now: it may be an old one, and ends no challenge.
  mutating func handle(
    _ command: VerifiedCommand, at moment: ReplayGuard.Moment, challengeNumber: UInt64?, skewSlots: Int, isRefused: Bool
  ) -> TimeMark {
    lastHandled = moment.boot
    if hearings.count >= Self.handledLimit { hearings.removeFirst() }
    hearings.append(Hearing(frame: command.frame, freshness: command.freshness, at: moment.boot))
    let sequence = command.plaintext.sequence
    switch command.freshness {
    case .time(let slot):
      if let newest = moment.newestChallenge, !isRefused { endedChallenges = max(endedChallenges ?? 0, newest) }
      return TimeMark(slot: slot, sequence: sequence)
    case .challenge:
      if let number = challengeNumber { challengeMark = ChallengeMark(number: number, sequence: sequence) }
      return TimeMark(slot: moment.slot.addingClamped(UInt64(skewSlots)), sequence: .max)
    }
  }

  /// Counts a handled frame; false where it is beyond the limit of its window.
  mutating func countHandled(at boot: Duration) -> Bool {
    handledTimes.removeAll { boot - $0 >= ReplayGuard.rateWindow }
    guard handledTimes.count < ReplayGuard.rateLimit else { return false }
    handledTimes.append(boot)
    return true
  }

  /// Step 6: the result that the same press of the same command had.
  func result(ofPress press: UInt8, _ command: Command) -> UInt8? {
    presses.first { $0.press == press && $0.command == command }?.result
  }

  mutating func remember(_ press: RememberedPress) {
    presses.removeAll { $0.press == press.press && $0.command == press.command }
    if presses.count >= Self.pressLimit { presses.removeFirst() }
    presses.append(press)
  }

  /// Whether a frame of that freshness could still be looked up now.
  ///
  /// A challenge's life is the caller's to know; its frames are kept for as long as they can be called repeated, and
  /// their mark does the rest.
  private static func isLive(
    _ freshness: Freshness, at moment: ReplayGuard.Moment, skewSlots: Int, heard: Duration
  ) -> Bool {
    switch freshness {
    case .time(let slot): slot.addingClamped(UInt64(skewSlots)) >= moment.slot
    case .challenge: moment.boot - heard <= challengeMemory
    }
  }
}
