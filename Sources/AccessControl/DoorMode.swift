/// Whether a door is to be open, until when, and why: lockdown over hold over pulse (docs/door-modes.md).
///
/// Who wants to get out is let out in every mode. A plain state machine: it moves nothing and knows no clock. Moments
/// are durations since the machine's start; what it answers is for the lock to do.
public struct DoorMode: Hashable, Sendable {
  /// How long the door is kept unlocked.
  public enum Hold: Hashable, Sendable {
    case none
    case until(Duration)
    /// Until released.
    case indefinite
  }

  /// What the lock has to do now.
  public enum Change: Hashable, Sendable {
    /// Be open until that moment, instead of any earlier deadline; nil: without one.
    case open(until: Duration?)
    /// Be closed, without any deadline.
    case close
    case nothing
  }

  /// When the last `unlock` ends; may have passed.
  public private(set) var pulseUntil: Duration?
  /// Its moment may have passed.
  public private(set) var hold = Hold.none
  public private(set) var isLockedDown = false
  /// When the opening for the last exit ends; may have passed.
  ///
  /// No command ends it: egress is never blocked.
  public private(set) var exitUntil: Duration?

  /// A locked door.
  public init() {}

  init(hold: Hold, isLockedDown: Bool) {
    self.hold = hold
    self.isLockedDown = isLockedDown
  }

  /// Carries out a granted order.
  ///
  /// An order that opens does nothing in lockdown; the decision has denied it before.
  public mutating func apply(_ order: DoorOrder, now: Duration) -> Change {
    switch order {
    case .unlock(let duration):
      if isLockedDown { return .nothing }
      pulseUntil = max(pulseUntil ?? now, now + max(.zero, duration))
      return wanted(now: now)
    case .hold(let duration):
      if isLockedDown { return .nothing }
      hold = duration.map { .until(now + max(.zero, $0)) } ?? .indefinite
      return wanted(now: now)
    case .lock:
      shut()
      return wanted(now: now)
    case .release:
      if hold == .none { return .nothing }
      hold = .none
      return wanted(now: now)
    case .lockdown(end: false):
      shut()
      isLockedDown = true
      return wanted(now: now)
    case .lockdown(end: true):
      isLockedDown = false
      return .nothing
    case .status:
      return .nothing
    }
  }

  /// Lets somebody out, in lockdown as well.
  ///
  /// One that comes while the door is open makes no opening shorter; one that is over already changes nothing.
  public mutating func exit(until moment: Duration, now: Duration) -> Change {
    guard moment > now else { return .nothing }
    exitUntil = max(exitUntil ?? moment, moment)
    return wanted(now: now)
  }

  /// Forgets a pulse, a hold or an exit whose moment has come; `close` where that was the last reason to be open.
  ///
  /// The lock keeps its deadline by itself; this is how the log and the answers learn of it.
  public mutating func expire(now: Duration) -> Change {
    guard pulseUntil != nil || hold != .none || exitUntil != nil else { return .nothing }
    if let pulseUntil, pulseUntil <= now { self.pulseUntil = nil }
    if let exitUntil, exitUntil <= now { self.exitUntil = nil }
    if case .until(let moment) = hold, moment <= now { hold = .none }
    return pulseUntil == nil && hold == .none && exitUntil == nil ? .close : .nothing
  }

  /// Ends a pulse and an exit before their time, and nothing else: for the end of the program, which closes the lock,
  /// and for a door that locks again as soon as it is shut.
  public mutating func endPulse() {
    pulseUntil = nil
    exitUntil = nil
  }

  /// Ends what the lock has given up, so that nothing opens it again unasked; a lockdown stays.
  ///
  /// - Parameters:
  ///   - commands: whether pulse and hold are over.
  ///   - exits: whether exits are.
  public mutating func giveUp(commands: Bool, exits: Bool) {
    if commands { shut() }
    if exits { exitUntil = nil }
  }

  /// What a lock that knows nothing has to do: for the start, and after the hardware came back.
  public func wanted(now: Duration) -> Change {
    switch openUntil {
    case .none: return .close
    case .never: return .open(until: nil)
    case .moment(let moment): return moment > now ? .open(until: moment) : .close
    }
  }

  /// Until when commands keep the door open; an exit doesn't count.
  public var granted: Hold {
    guard case .until(let end) = hold else { return hold == .none ? pulseUntil.map { .until($0) } ?? .none : hold }
    return .until(max(end, pulseUntil ?? end))
  }

  /// When `expire` has to be called; nil where no moment is awaited.
  public var nextDeadline: Duration? {
    let holdEnd: Duration? = if case .until(let moment) = hold { moment } else { nil }
    return [holdEnd, pulseUntil, exitUntil].compactMap(\.self).min()
  }

  /// What the door says of itself.
  public func state(now: Duration) -> DoorState {
    if isLockedDown { return .lockedDown }
    switch hold {
    case .indefinite: return .heldOpen
    case .until(let moment) where moment > now: return .heldOpen
    default: return [pulseUntil, exitUntil].contains { $0.map { $0 > now } ?? false } ? .unlocked : .locked
    }
  }

  /// The answer frame's detail: seconds until it locks, rounded up; 65535 for no end, 0 where it is locked.
  public func secondsUntilLocked(now: Duration) -> UInt16 {
    switch openUntil {
    case .none: 0
    case .never: .max
    case .moment(let moment): moment > now ? UInt16(clamping: min(65_534, secondsRoundedUp(moment - now))) : 0
    }
  }

  private mutating func shut() {
    pulseUntil = nil
    hold = .none
  }

  private enum End {
    case none
    case moment(Duration)
    case never
  }

  /// The latest end of pulse, hold and exit; in lockdown there is neither pulse nor hold.
  private var openUntil: End {
    if hold == .indefinite { return .never }
    let holdEnd: Duration? = if case .until(let moment) = hold { moment } else { nil }
    return [holdEnd, pulseUntil, exitUntil].compactMap(\.self).max().map { .moment($0) } ?? .none
  }
}

/// Whole seconds that are enough for a duration of at most 292 years.
func secondsRoundedUp(_ duration: Duration) -> Int64 {
  let (seconds, attoseconds) = duration.components
  return attoseconds > 0 && seconds < .max ? seconds + 1 : seconds
}
