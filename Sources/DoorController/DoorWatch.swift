internal import AccessControl
internal import LockHardware
internal import POSIX

/// Which of the inputs that this run has made.
struct InputID: Hashable, Sendable {
  let number: UInt64
}

/// What a door sees of itself at run time: its inputs, and what comes of what they say.
struct DoorWatch {
  /// An input that is read, or can't be.
  struct Input {
    let id: InputID
    let settings: MonitorSettings.Input
    /// Nil where it couldn't be made.
    let input: (any DoorInput)?
    /// Why it can't be read; nil where it can, or isn't known to fail.
    var problem: String?
  }

  private(set) var settings: MonitorSettings
  var monitor: DoorMonitor
  var inputs: [InputRole: Input] = [:]
  var siren: Siren?
  /// The record of the alarm that is on.
  var alarmRecord: Int64?
  /// When the last alarm began.
  var alarmSince: BootInstant?
  var records: [RecordBudget.Kind: RecordBudget] = [:]

  init(_ settings: MonitorSettings) {
    self.settings = settings
    monitor = DoorMonitor(settings.spans)
  }

  /// Goes on under other settings; inputs that stay as they were go on with all that they said.
  ///
  /// - Returns: what is to be told of those that are gone.
  mutating func adopt(_ new: MonitorSettings, lockIsNew: Bool, now: Duration) -> [DoorMonitor.Event] {
    settings = new
    monitor.adopt(new.spans)
    var events: [DoorMonitor.Event] = []
    for (role, input) in inputs
    where new.inputs[role] != input.settings || (lockIsNew && input.settings == .board) {
      input.input?.stop()
      inputs[role] = nil
      switch role {
      case .sensor: events = monitor.observe(isOpen: nil, at: now)
      case .exit: monitor.endExit(at: now)
      }
    }
    if new.inputs[.sensor] == nil { monitor.endAlarm() }
    return events
  }

  /// A command was carried out, and left that mode.
  ///
  /// - Parameter record: the command's.
  mutating func follow(_ order: DoorOrder, _ mode: DoorMode, record: Int64?, now: Duration) {
    switch order {
    case .unlock, .hold: monitor.grant(until: mode.granted, record: record, now: now)
    case .lock, .release, .lockdown(end: false): monitor.limit(to: mode.granted, now: now)
    case .status, .lockdown(end: true): break
    }
  }

  /// Ends the inputs, of which nothing is reported behind it, and begins to end the siren.
  mutating func stop() {
    siren?.lock?.beginStop()
    for input in inputs.values { input.input?.stop() }
    inputs = [:]
  }
}

/// Keeps a loose contact from filling the ledger: so many records of a kind a minute, and no more.
struct RecordBudget {
  /// What doesn't take another's place: a door that is moved to and fro hides no alarm, and no exit.
  enum Kind: String {
    case sights
    case alarms
    case exits

    init(of event: DoorEvent.Kind) {
      switch event {
      // Of sirens there is one failure for each alarm, about.
      case .forced, .heldOpenWarning, .heldOpen, .restored, .siren: self = .alarms
      case .exit: self = .exits
      default: self = .sights
      }
    }
  }

  static let limit = 60
  static let period = Duration.seconds(60)

  private var began: BootInstant?
  private var taken = 0

  /// Whether one more may be made; `isFirst` where it is the first that may not.
  mutating func take(now: BootInstant) -> (isGranted: Bool, isFirst: Bool) {
    if began.map({ now - $0 >= Self.period }) ?? true {
      began = now
      taken = 0
    }
    taken += 1
    return (taken <= Self.limit, taken == Self.limit + 1)
  }
}
