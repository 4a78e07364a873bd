/// What a door's contact and its exit tell, beside what was granted: opened, closed, forced, held open, restored
/// (docs/door-monitor.md).
///
/// A plain state machine: it reads no input and knows no clock. Moments are durations since the machine's start; those
/// of what was seen may lie before what is known already.
public struct DoorMonitor: Hashable, Sendable {
  /// What a door is allowed.
  public struct Settings: Hashable, Sendable {
    /// For how long behind an exit, or behind the end of a grant, an opening still belongs to it.
    public let shunt: Duration
    /// How long the door may stand open beyond what was granted before it is warned about; nil: for ever.
    public let heldOpenWarning: Duration?
    /// The same before the alarm, counted from the same moment; nil: no alarm.
    public let heldOpenAlarm: Duration?

    /// - Returns: nil where a span is negative, or the alarm doesn't come behind the warning.
    public init?(shunt: Duration, heldOpenWarning: Duration?, heldOpenAlarm: Duration?) {
      let spans = [shunt, heldOpenWarning, heldOpenAlarm].compactMap(\.self)
      if spans.contains(where: { $0 < .zero }) { return nil }
      if let heldOpenWarning, let heldOpenAlarm, heldOpenWarning >= heldOpenAlarm { return nil }
      self.shunt = shunt
      self.heldOpenWarning = heldOpenWarning
      self.heldOpenAlarm = heldOpenAlarm
    }
  }

  /// How the door stands.
  public enum Contact: String, CaseIterable, Hashable, Sendable {
    /// Not observed yet, or no longer.
    case unknown
    case closed
    case open
  }

  /// What a door is alarmed about; the raw values are those of `status`.
  public enum Alarm: String, CaseIterable, Hashable, Sendable {
    /// It was opened without a grant and without an exit.
    case forced
    case heldOpen = "held-open"
  }

  /// Why an opening is none to be alarmed about.
  public enum Cause: String, Hashable, Sendable {
    case grant
    case exit
  }

  /// What is to be told.
  public enum Event: Hashable, Sendable {
    /// The door was opened, for a reason with its record; nil: for none that is known.
    case opened(Cause?, record: Int64?)
    case closed
    /// It was opened without a grant and without an exit.
    case forced
    /// It stands open for longer than it should: the alarm comes next.
    case heldOpenWarning
    case heldOpen
    /// It is closed again behind an alarm.
    case restored
  }

  /// A time in which somebody may open the door.
  private struct Permit: Hashable {
    let cause: Cause
    let record: Int64?
    let from: Duration
    /// Nil: it goes on until something ends it.
    var until: Duration?
    /// Whether what comes behind its end still belongs to it; not any more once the door was opened and closed.
    var isShunted = true
    var isUsed = false
  }

  /// For how long an opening waits for its reason: the contact may be faster than the handle's own switch, or its
  /// thread.
  public static let patience = Duration.milliseconds(500)
  /// What is seen is never so late that more of them matter.
  private static let keptPermits = 8

  private var settings: Settings
  public private(set) var contact = Contact.unknown
  public private(set) var alarm: Alarm?
  private var isWarned = false
  private var permits: [Permit] = []
  /// When a command last opened the lock, or kept it open; nil: none did.
  public private(set) var grantedAt: Duration?
  /// When the door was opened, while it is open.
  private var openedAt: Duration?
  /// Whether the reason of that is still awaited.
  private var isUnexplained = false
  /// Since when somebody asks to get out, without a pause; nil: nobody does now.
  public private(set) var exitSince: Duration?

  /// A door that nobody has looked at.
  public init(_ settings: Settings) { self.settings = settings }

  /// Goes on with other spans.
  public mutating func adopt(_ settings: Settings) { self.settings = settings }

  /// Nobody will see the door close any more: an alarm is over.
  public mutating func endAlarm() { alarm = nil }

  // MARK: - What is permitted

  /// A command opens the lock, or keeps it open.
  ///
  /// - Parameters:
  ///   - end: until when commands keep it open.
  ///   - record: the command's.
  public mutating func grant(until end: DoorMode.Hold, record: Int64?, now: Duration) {
    limit(to: end, now: now)
    if end == .none { return }
    grantedAt = now
    switch end {
    case .none: break
    case .until(let moment): add(Permit(cause: .grant, record: record, from: now, until: moment))
    case .indefinite: add(Permit(cause: .grant, record: record, from: now, until: nil))
    }
    // Who lets somebody in takes over a door that stands open; an alarm stays on until it is closed.
    isWarned = false
  }

  /// A command ends what others had granted, or leaves less of it.
  public mutating func limit(to end: DoorMode.Hold, now: Duration) {
    let latest: Duration
    switch end {
    case .none: latest = now
    case .until(let moment): latest = max(moment, now)
    case .indefinite: return
    }
    for place in permits.indices where permits[place].cause == .grant {
      permits[place].until = min(permits[place].until ?? latest, latest)
    }
  }

  /// Somebody asks to get out: that is never refused, and no alarm.
  ///
  /// - Parameters:
  ///   - pulse: how long the lock opens for that.
  ///   - record: the exit's.
  ///   - at: when it was asked.
  public mutating func requestExit(for pulse: Duration, record: Int64?, at: Duration) -> [Event] {
    exitSince = exitSince ?? at
    add(Permit(cause: .exit, record: record, from: at, until: at + pulse))
    guard isUnexplained, let openedAt, let permit = permit(at: openedAt) else { return [] }
    isUnexplained = false
    return [opened(by: permit)]
  }

  /// The exit was on when it was looked at first: that opens nothing, and explains an opening.
  public mutating func findExit(at: Duration) {
    exitSince = at
    add(Permit(cause: .exit, record: nil, from: at, until: at))
  }

  /// Nobody asks to get out any more.
  public mutating func endExit(at: Duration) {
    guard exitSince != nil else { return }
    exitSince = nil
    guard let last = permits.lastIndex(where: { $0.cause == .exit }) else { return }
    permits[last].until = max(permits[last].until ?? at, at)
  }

  /// Whether somebody who has asked to get out hasn't gone through yet.
  public func awaitsExit(now: Duration) -> Bool {
    exitSince != nil || permits.contains { $0.cause == .exit && !$0.isUsed && $0.until.map { $0 > now } ?? true }
  }

  /// The lock closes before its time, since the door is shut.
  public mutating func relock(now: Duration) {
    for place in permits.indices { permits[place].until = min(permits[place].until ?? now, now) }
  }

  // MARK: - What is seen

  /// The contact says how the door stands; saying the same again changes nothing.
  ///
  /// - Parameters:
  ///   - isOpen: nil: it can't be read any more.
  ///   - at: when it was seen.
  public mutating func observe(isOpen: Bool?, at: Duration) -> [Event] {
    let seen: Contact = isOpen.map { $0 ? .open : .closed } ?? .unknown
    guard seen != contact else { return [] }
    let before = contact
    contact = seen
    switch seen {
    case .unknown:
      // An alarm stays on: nobody saw the door close.
      let events = judgeUnexplained()
      openedAt = nil
      return events
    case .closed: return judgeUnexplained() + close(wasOpen: before == .open)
    case .open:
      openedAt = at
      // Of one that stood open when it was looked at nobody knows who opened it.
      if before == .unknown { return [.opened(nil, record: nil)] }
      if let permit = permit(at: at) { return [opened(by: permit)] }
      isUnexplained = true
      return []
    }
  }

  /// Looks whether the door was forced, or stands open for too long.
  public mutating func expire(now: Duration) -> [Event] {
    guard contact == .open, let openedAt else { return [] }
    var events: [Event] = []
    if isUnexplained, now - openedAt >= Self.patience { events += judgeUnexplained() }
    guard alarm == nil, !isUnexplained, let since = overdueSince else { return events }
    if !isWarned, let warning = settings.heldOpenWarning, now - since >= warning {
      isWarned = true
      events.append(.heldOpenWarning)
    }
    if let limit = settings.heldOpenAlarm, now - since >= limit {
      alarm = .heldOpen
      events.append(.heldOpen)
    }
    return events
  }

  /// When `expire` has to be called; nil where no moment is awaited.
  public var nextDeadline: Duration? {
    guard contact == .open, let openedAt else { return nil }
    if isUnexplained { return openedAt + Self.patience }
    guard alarm == nil, let since = overdueSince else { return nil }
    let warning = isWarned ? nil : settings.heldOpenWarning
    return (warning ?? settings.heldOpenAlarm).map { since + $0 }
  }

  // MARK: - Pieces

  /// From when on the door shouldn't stand open; nil: it may.
  private var overdueSince: Duration? {
    guard var since = openedAt else { return nil }
    for permit in permits where permit.cause == .grant {
      guard let until = permit.until else { return nil }
      since = max(since, until)
    }
    return since
  }

  private mutating func add(_ permit: Permit) {
    if permits.count == Self.keptPermits, let place = leastNeeded { permits.remove(at: place) }
    permits.append(permit)
  }

  /// The permit that covers nothing any more, or is the first that won't.
  ///
  /// Never the latest grant, from whose end "held open" is counted, and never the exit of who still asks.
  private var leastNeeded: Int? {
    let grants = permits.indices.filter { permits[$0].cause == .grant }
    let grant = grants.max { isOver($0, before: $1) }
    let exit = exitSince == nil ? nil : permits.lastIndex { $0.cause == .exit }
    return permits.indices.filter { $0 != grant && $0 != exit }.min { isOver($0, before: $1) }
  }

  private func isOver(_ place: Int, before other: Int) -> Bool {
    guard let end = coverEnd(permits[place]) else { return false }
    return coverEnd(permits[other]).map { end < $0 } ?? true
  }

  /// Until when an opening belongs to it; nil: until something ends it.
  private func coverEnd(_ permit: Permit) -> Duration? {
    permit.until.map { $0 + (permit.isShunted ? settings.shunt : .zero) }
  }

  /// The newest reason for an opening at that moment.
  private func permit(at moment: Duration) -> Int? {
    permits.lastIndex { permit in
      // The handle's switch may be a little behind the contact.
      let from = permit.cause == .exit ? permit.from - Self.patience : permit.from
      guard moment >= from else { return false }
      // Who holds the handle, or stands before the detector, still asks.
      if permit.cause == .exit, exitSince != nil { return true }
      return coverEnd(permit).map { moment <= $0 } ?? true
    }
  }

  private mutating func opened(by place: Int) -> Event {
    permits[place].isUsed = true
    return .opened(permits[place].cause, record: permits[place].record)
  }

  private mutating func judgeUnexplained() -> [Event] {
    guard isUnexplained else { return [] }
    isUnexplained = false
    alarm = .forced
    return [.opened(nil, record: nil), .forced]
  }

  private mutating func close(wasOpen: Bool) -> [Event] {
    let isRestored = alarm != nil
    openedAt = nil
    isWarned = false
    alarm = nil
    for place in permits.indices where permits[place].isUsed { permits[place].isShunted = false }
    guard wasOpen || isRestored else { return [] }
    return isRestored ? [.closed, .restored] : [.closed]
  }
}
