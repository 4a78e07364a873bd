internal import AccessControl
internal import Configuration
internal import LockHardware
internal import POSIX
internal import RelayGuard

/// What a door sees of itself: its contact, its exit, and what it makes of them (docs/door-monitor.md).
struct MonitorSettings: Hashable, Sendable {
  /// Where an input comes from.
  enum Input: Hashable, Sendable {
    /// A GPIO line, and how long it must say the same.
    case gpio(RelayLine, debounce: Duration)
    /// A named pipe, of which a line says what is.
    case pipe(String)
    /// The serial board that is the door's lock.
    case board
  }

  /// What sounds while an alarm is on.
  struct Siren: Hashable, Sendable {
    /// Lines that move together, each held by a relay guard; at least one.
    let lines: [RelayLine]
    /// For how long at most, from when the alarm began; nil: until it ends.
    let limit: Duration?
  }

  /// What is there to see.
  let inputs: [InputRole: Input]
  /// For how long an exit opens the lock; nil: not at all, the way out needs no lock.
  let exitPulse: Duration?
  /// Whether the lock closes as soon as the door is shut again.
  let relocksOnClose: Bool
  let spans: DoorMonitor.Settings
  /// Nil: the door has none.
  let siren: Siren?

  /// Nothing to see.
  static let none = MonitorSettings(inputs: [:], exitPulse: nil, relocksOnClose: false, spans: .standard, siren: nil)

  static let keys = [
    "sensor", "request-to-exit", "exit-pulse", "relock-on-close", "shunt", "held-open-warning", "held-open-alarm",
    "siren",
  ]
  static let defaultDebounce = Duration.milliseconds(30)
  static let defaultSirenLimit = Duration.seconds(60)
  private static let sirenRange = Duration.seconds(1)...Duration.seconds(3_600)
  private static let shuntRange = Duration.zero...Duration.seconds(3_600)
  private static let openRange = Duration.seconds(1)...Duration.seconds(86_400)

  /// An exit has to be told before `DoorMonitor` loses its patience with an opening that nothing explains yet.
  fileprivate static func debounceRange(of role: InputRole) -> ClosedRange<Duration> {
    switch role {
    case .sensor: .zero ... .seconds(1)
    case .exit: .zero ... .milliseconds(300)
    }
  }

  private init(
    inputs: [InputRole: Input], exitPulse: Duration?, relocksOnClose: Bool, spans: DoorMonitor.Settings, siren: Siren?
  ) {
    self.inputs = inputs
    self.exitPulse = exitPulse
    self.relocksOnClose = relocksOnClose
    self.spans = spans
    self.siren = siren
  }

  /// Reads `keys` of a door.
  ///
  /// - Parameters:
  ///   - pulse: what an exit opens for where nothing else is said.
  ///   - lock: the door's, whose board may have inputs.
  init(_ fields: ConfigurationMapping, pulse: Duration, lock: LockSettings, folder: String) throws {
    try Self.require(
      .sensor, for: ["relock-on-close", "shunt", "held-open-warning", "held-open-alarm", "siren"], in: fields)
    try Self.require(.exit, for: ["exit-pulse"], in: fields)
    var inputs: [InputRole: Input] = [:]
    for role in InputRole.allCases {
      inputs[role] = try fields[role.rawValue].map { try Input($0, role, lock, folder: folder) }
    }
    self.inputs = inputs
    exitPulse = try fields["exit-pulse"].map { try $0.durationOrNone(in: DoorSettings.pulseRange) } ?? pulse
    relocksOnClose = try fields["relock-on-close"]?.boolean() ?? false
    spans = try Self.spans(fields)
    siren = try fields["siren"].map { field in
      let parts = try field.mapping(["gpio", "for"])
      return Siren(
        lines: try LockSettings.lines(parts.required("gpio")),
        limit: try parts["for"].map { try $0.durationOrNone(in: Self.sirenRange) } ?? Self.defaultSirenLimit)
    }
  }

  private static func require(_ role: InputRole, for keys: [String], in fields: ConfigurationMapping) throws {
    if fields[role.rawValue] != nil { return }
    for case let field? in keys.map({ fields[$0] }) {
      throw field.complaint("expected the key “\(role.rawValue)” beside it")
    }
  }

  private static func spans(_ fields: ConfigurationMapping) throws -> DoorMonitor.Settings {
    let standard = DoorMonitor.Settings.standard
    let (warning, alarm) = (fields["held-open-warning"], fields["held-open-alarm"])
    let spans = DoorMonitor.Settings(
      shunt: try fields["shunt"]?.duration(in: shuntRange) ?? standard.shunt,
      heldOpenWarning: try warning.map { try $0.durationOrNone(in: openRange) } ?? standard.heldOpenWarning,
      heldOpenAlarm: try alarm.map { try $0.durationOrNone(in: openRange) } ?? standard.heldOpenAlarm)
    if let spans { return spans }
    let words = [("held-open-warning", standard.heldOpenWarning), ("held-open-alarm", standard.heldOpenAlarm)].map {
      "\($0), which is \($1?.components.seconds ?? 0)s where it isn't set"
    }
    throw (alarm ?? warning ?? fields.owner).complaint(
      alarm == nil ? "expected less than \(words[1])" : "expected more than \(words[0])")
  }
}

extension MonitorSettings.Input {
  fileprivate init(_ field: ConfigurationReader, _ role: InputRole, _ lock: LockSettings, folder: String) throws {
    let kinds = try field.mapping(["gpio", "pipe", "serial"])
    let (kind, value) = try kinds.only()
    switch kind {
    case "pipe": self = .pipe(try path(value, in: folder))
    case "serial":
      if !value.isNull { _ = try value.mapping([]) }
      guard case .serial = lock else {
        throw value.complaint("expected a lock of the kind serial: this is an input of its board")
      }
      self = .board
    default:
      let fields = try value.mapping(RelayLine.keys + ["debounce"])
      self = .gpio(
        try RelayLine(fields),
        debounce: try fields["debounce"]?.duration(in: MonitorSettings.debounceRange(of: role))
          ?? MonitorSettings.defaultDebounce)
    }
  }
}

extension MonitorSettings.Input: CustomStringConvertible {
  /// What no other input or relay may have; nil where each door has its own.
  var place: [String]? {
    switch self {
    case .gpio(let line, _): [line.chip, line.place.text]
    case .pipe(let path): pipePlace(path)
    case .board: nil
    }
  }

  var description: String {
    switch self {
    case .gpio(let line, _): "line \(line.place.text) of \(line.chip)"
    case .pipe(let path): path
    case .board: "the lock's board"
    }
  }
}

/// A pipe that is there is what it is, by whatever name.
private func pipePlace(_ path: String) -> [String] {
  do throws(FileError) {
    if let identity = try fileStatus(path)?.identity { return ["pipe", "\(identity)"] }
  } catch {
    // Its name is all that is known of it.
  }
  return [path]
}

extension DoorMonitor.Settings {
  /// Five seconds behind a grant or an exit, a warning after half a minute, an alarm after a minute.
  static let standard: DoorMonitor.Settings = {
    let settings = DoorMonitor.Settings(
      shunt: .seconds(5), heldOpenWarning: .seconds(30), heldOpenAlarm: .seconds(60))
    // No input comes here: the spans above are constants in the order that they need, and every test of a door makes them.
    guard let settings else { preconditionFailure("the standard spans make sense") }
    return settings
  }()
}

extension MonitorSettings.Input {
  /// The input, read by a thread of its own; nil where the lock is its reader.
  func make(
    _ role: InputRole, door: Identifier, report: @escaping InputReporter
  ) throws(Errno) -> (any DoorInput)? {
    switch self {
    case .gpio(let line, let debounce):
      try GPIOInput(name: door.text, role: role, line: line, debounce: debounce, report: report)
    case .pipe(let path): try PipeInput(name: door.text, role: role, path: path, report: report)
    case .board: nil
    }
  }
}
