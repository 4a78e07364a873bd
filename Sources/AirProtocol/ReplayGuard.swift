/// Decides whether an authentic frame is new (protocol.md, "What the door does with a frame", steps 3 to 6).
///
/// A plain value without clock, storage or radio: the caller passes the time in, makes the marks durable and acts.
/// One guard serves all keys of a daemon; a key is one credential at one door. Nothing that isn't authentic gets here.
public struct ReplayGuard: Sendable {
  /// What the door knows about the moment in which a frame is judged.
  public struct Moment: Sendable {
    /// CLOCK_BOOTTIME.
    public let boot: Duration
    /// The door's own slot.
    public let slot: UInt64
    /// Whether the door's clock is trusted.
    public let clockTrusted: Bool
    /// Number of the newest challenge first sent before now; nil where none was.
    public let newestChallenge: UInt64?

    public init(boot: Duration, slot: UInt64, clockTrusted: Bool, newestChallenge: UInt64? = nil) {
      self.boot = boot
      self.slot = slot
      self.clockTrusted = clockTrusted
      self.newestChallenge = newestChallenge
    }
  }

  /// Frames of one credential that are decided within `rateWindow`; those beyond only move the mark in memory.
  static let rateLimit = 10
  static let rateWindow = Duration.seconds(10)
  /// How long after its first hearing the same frame is answered again, and still called repeated.
  static let answerAgain = Duration.seconds(4)
  static let repeatLimit = Duration.seconds(5)

  private let clock: SlotClock
  private let pressWindow: Duration
  /// Time marks of all credentials that ever used a door here, by key.
  private var marks: [Int: TimeMark] = [:]
  /// What else is remembered of those that used one of late.
  private var histories: [Int: CredentialHistory] = [:]
  /// By door: time frames of slots up to these are refused, whatever the marks say (protocol.md, "After a restart").
  private var floors: [DoorNumber: UInt64] = [:]

  /// - Parameter clock: the site's slots; their length and skew give the windows of repetition.
  public init(clock: SlotClock) {
    self.clock = clock
    pressWindow = clock.pressWindow
  }

  /// Puts back a mark that was durable before a restart.
  public mutating func restore(_ mark: TimeMark, forKey key: Int) {
    marks[key] = mark
  }

  /// Puts back a press that was durable before a restart; `heard` may lie before the machine's start (negative).
  public mutating func restore(_ press: RememberedPress, forKey key: Int) {
    histories[key, default: CredentialHistory()].remember(press)
  }

  /// The marks may not be the newest, or the clock has only now become trusted: refuses, at these doors, time frames of
  /// slots up to (slot + skewSlots).
  ///
  /// Marks beyond that, which a clock once far ahead has left, come down to it at all doors.
  ///
  /// - Returns: the floor.
  @discardableResult
  public mutating func raiseFloor(atSlot slot: UInt64, doors: some Sequence<DoorNumber>) -> UInt64 {
    let top = slot.addingClamped(UInt64(clock.skewSlots))
    for door in doors { floors[door] = top }
    for (key, mark) in marks where mark.slot > top { marks[key] = TimeMark(slot: top, sequence: .max) }
    return top
  }

  /// Judges an authentic frame, and moves this credential's marks where the frame is handled.
  ///
  /// - Parameter challengeNumber: which challenge it is, counted as they are drawn; nil for a time frame.
  public mutating func judge(_ command: VerifiedCommand, at moment: Moment, challengeNumber: UInt64? = nil) -> Verdict {
    var history = histories[command.key] ?? CredentialHistory()
    var mark = marks[command.key]
    defer {
      histories[command.key] = history
      marks[command.key] = mark
    }
    history.forget(before: moment, clock: clock, pressWindow: pressWindow)

    // Step 3: the very same frame.
    if let first = history.firstHearing(of: command.frame) {
      let age = moment.boot - first
      if age <= Self.repeatLimit { return .repeated(answerAgain: age <= Self.answerAgain) }
      return .replayed(first: history.noteReplay(of: command, at: moment.boot))
    }
    // Step 4: order.
    guard history.isAbove(command, mark: mark, challengeNumber: challengeNumber) else {
      return .replayed(first: history.noteReplay(of: command, at: moment.boot))
    }
    let refusal = refusalOfTime(command, at: moment)
    let lifted = history.handle(
      command, at: moment, challengeNumber: challengeNumber, skewSlots: clock.skewSlots, isRefused: refusal != nil)
    if refusal == nil && moment.clockTrusted { mark = max(mark ?? lifted, lifted) }
    guard history.countHandled(at: moment.boot) else { return .slowDown }
    // Step 5: content.
    guard let content = command.plaintext.command else { return .malformed }
    // Step 6: the same intent in another frame.
    if let result = history.result(ofPress: command.plaintext.press, content) {
      // This frame is handled as well: the window runs anew, so that a long press stays one.
      history.remember(
        RememberedPress(press: command.plaintext.press, command: content, result: result, heard: moment.boot))
      return .repeatedPress(result: result)
    }
    if let refusal { return .refused(refusal) }
    return .fresh(content)
  }

  /// The frame was decided and the decision is durable: its press is known from now on.
  ///
  /// A result of 8 (this freshness isn't accepted here now) isn't remembered: the holder comes back with the other one.
  public mutating func decided(_ command: VerifiedCommand, _ content: Command, result: UInt8, at boot: Duration) {
    guard result != AnswerResult.freshnessRefused.rawValue else { return }
    histories[command.key, default: CredentialHistory()].remember(
      RememberedPress(press: command.plaintext.press, command: content, result: result, heard: boot))
  }

  /// The time mark of a key, for the ledger; nil before its first time frame.
  public func timeMark(ofKey key: Int) -> TimeMark? { marks[key] }

  /// Lets go of what can't matter any more; to be called now and then, for example once a slot.
  public mutating func sweep(at moment: Moment) {
    for key in histories.keys {
      histories[key]?.forget(before: moment, clock: clock, pressWindow: pressWindow)
      if histories[key]?.isEmpty(at: moment.boot) ?? false { histories[key] = nil }
    }
  }

  /// Time frames of slots up to that one are refused, as before a restart.
  public mutating func restore(floor slot: UInt64, ofDoor door: DoorNumber) { floors[door] = slot }

  /// The floor of a door; nil where none was ever raised, so that nothing is known of what it heard before.
  public func floor(ofDoor door: DoorNumber) -> UInt64? { floors[door] }

  /// Carries what is known over to another numbering of the keys, after a reload; keys that are gone are forgotten.
  public func renumbered(clock: SlotClock, _ newKey: (Int) -> Int?) -> ReplayGuard {
    var result = ReplayGuard(clock: clock)
    result.floors = floors
    for (key, mark) in marks {
      if let key = newKey(key) { result.marks[key] = mark }
    }
    for (key, history) in histories {
      if let key = newKey(key) { result.histories[key] = history }
    }
    return result
  }

  /// Why a time frame can't be judged now, though it is authentic and above the mark.
  private func refusalOfTime(_ command: VerifiedCommand, at moment: Moment) -> TimeRefusal? {
    guard case .time(let slot) = command.freshness else { return nil }
    if !moment.clockTrusted { return .clockUntrusted }
    if let floor = floors[command.door], slot <= floor { return .marksMayBeStale(acceptedFrom: floor.addingClamped(1)) }
    return nil
  }
}

extension ReplayGuard {
  /// What becomes of an authentic frame.
  public enum Verdict: Hashable, Sendable {
    /// Step 3: heard already, moments ago; whether the first answer is sent again.
    case repeated(answerAgain: Bool)
    /// Steps 3 and 4: old; `first` where this credential, freshness and sequence weren't reported yet.
    case replayed(first: Bool)
    /// More than ten in ten seconds: the mark moved in memory, nothing else happens.
    case slowDown
    /// Step 5: the mark moved, no answer.
    case malformed
    /// Step 6: the intent was handled; the first one's result, with state and detail of now, answers it.
    case repeatedPress(result: UInt8)
    /// Handled, but time can't be judged now; answered with 8, no mark lifted.
    case refused(TimeRefusal)
    /// New: to be decided.
    case fresh(Command)
  }

  /// Why an authentic time frame above the mark isn't accepted now.
  public enum TimeRefusal: Hashable, Sendable {
    case clockUntrusted
    /// After a restart whose marks may be stale; time frames count again from that slot on.
    case marksMayBeStale(acceptedFrom: UInt64)
  }
}

/// The highest (slot, sequence) of a credential at a door that was handled.
public struct TimeMark: Hashable, Comparable, Sendable {
  public let slot: UInt64
  public let sequence: UInt8

  public init(slot: UInt64, sequence: UInt8) {
    self.slot = slot
    self.sequence = sequence
  }

  public static func < (left: TimeMark, right: TimeMark) -> Bool {
    (left.slot, left.sequence) < (right.slot, right.sequence)
  }
}

/// An intent that was decided, kept as long as the same press could come again in another frame (step 6).
public struct RememberedPress: Hashable, Sendable {
  public let press: UInt8
  public let command: Command
  /// Result byte of its answer.
  public let result: UInt8
  /// When its last frame was heard, by CLOCK_BOOTTIME: the window of repetition begins there.
  public let heard: Duration

  public init(press: UInt8, command: Command, result: UInt8, heard: Duration) {
    self.press = press
    self.command = command
    self.result = result
    self.heard = heard
  }
}

extension UInt64 {
  /// The sum, or the greatest value where it doesn't fit.
  func addingClamped(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
