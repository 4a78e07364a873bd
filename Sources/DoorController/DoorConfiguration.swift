public import AccessControl
internal import Configuration
public import HCI
public import LatchkeyCrypto
internal import Ledger
internal import POSIX
internal import RelayGuard

/// `latchkeyd.yaml`, read and checked (cli.md, "config/latchkeyd.yaml").
///
/// Paths are relative to the file.
public struct DoorConfiguration: Sendable {
  /// What vouches for the machine's clock.
  public enum ClockSource: String, CaseIterable, Sendable {
    /// The kernel, which must call it synchronised.
    case synchronised
    /// A battery; the kernel's word counts as well.
    case battery
  }

  public let radio: RadioSpec
  public let beaconRadio: BeaconRadio
  /// Which commands the radio is told to scan with.
  public let radioCommands: CommandChoice
  /// Whether an adapter that the kernel's own host has is taken from it.
  public let takesOver: Bool
  /// The site's Ed25519 key: what verifies bundles.
  public let siteKey: VerificationKey
  /// Path of the ledger.
  public let statePath: String
  /// Folder of the volatile copy of the ledger's transaction number; it must not survive a reboot.
  public let volatileDirectory: String
  public let clock: ClockSource
  /// How many events the ledger keeps.
  public let keptEvents: Int64
  /// Where the metrics go; nil: nowhere.
  public let metricsPath: String?
  /// Path of the control socket.
  public let controlPath: String
  public let doors: [DoorSettings]

  /// What `keep-events` is where it isn't set.
  static let defaultKeptEvents = Ledger.defaultEventLimit
  static let defaultVolatileDirectory = "/run/latchkey"
  /// The control socket of a daemon whose configuration names none.
  public static let defaultControlPath = controlPath(in: defaultVolatileDirectory)

  private static func controlPath(in volatileDirectory: String) -> String { volatileDirectory + "/control.sock" }

  /// Where the daemon with that configuration has its control socket.
  public static func controlPath(ofConfigurationAt path: String) throws(DaemonError) -> String {
    try DaemonError.wrapping { try load(path: path).controlPath }
  }

  /// Reads a configuration file.
  ///
  /// - Throws: one complaint that names file, line and field, and what was expected there.
  public static func load(path: String) throws(LoadError) -> DoorConfiguration {
    do {
      // It names the programs that move locks, and the key that rules are signed with.
      try requireNotWritableByOthers(path)
      let text = try readFile(path, limit: YAMLLimits().size)
      let root = ConfigurationReader(try YAMLNode(parsing: text, file: path), file: path)
      return try DoorConfiguration(root, folder: directoryName(path))
    } catch let error as LoadError {
      throw error
    } catch let error as FileError {
      throw .file(error)
    } catch {
      throw .configuration("\(error)")
    }
  }

  // The errors of its parts are of several types; `load` makes one of them.
  init(_ root: ConfigurationReader, folder: String) throws {
    let fields = try root.mapping([
      "radio", "radio-commands", "take-over", "beacon-radio", "site-key", "state", "volatile", "clock", "keep-events",
      "doors", "metrics", "control",
    ])
    let radioText = try fields["radio"]?.text() ?? "hci:0"
    do {
      radio = try RadioSpec(radioText).relative(to: folder)
    } catch {
      throw (fields["radio"] ?? root).complaint("\(error)")
    }
    radioCommands = try fields["radio-commands"]?.word(CommandChoice.self) ?? .automatic
    takesOver = try fields["take-over"]?.boolean() ?? false
    beaconRadio = try BeaconRadio(fields["beacon-radio"], other: radio, folder: folder)
    siteKey = try fields.required("site-key").value("the site's key, 43 characters of base64url") {
      VerificationKey(siteKeyText: $0)
    }
    statePath = try fields["state"].map { try path($0, in: folder) } ?? absolute("state.db", in: folder)
    volatileDirectory =
      try fields["volatile"].map { try path($0, in: folder) } ?? Self.defaultVolatileDirectory
    clock = try fields["clock"]?.word(ClockSource.self) ?? .synchronised
    keptEvents =
      try fields["keep-events"]?.integer(in: Ledger.smallestEventLimit...1_000_000_000) ?? Self.defaultKeptEvents
    metricsPath = try fields["metrics"].map { try path($0, in: folder) }
    controlPath =
      try fields["control"].map { try socketPath($0, in: folder) } ?? Self.controlPath(in: volatileDirectory)
    var doors: [DoorSettings] = []
    for (key, value) in try fields.required("doors").entries() {
      guard let id = Identifier(key) else { throw value.complaint("expected \(Identifier.expectation)") }
      doors.append(try DoorSettings(id: id, value, folder: folder))
    }
    guard !doors.isEmpty else { throw try fields.required("doors").complaint("expected at least one door") }
    self.doors = doors
    try requireOwnLines(fields.required("doors"))
    try requireOwnPaths(fields["metrics"], fields["control"])
  }

  /// A serial line has one device at its end: the radio, or the board of one door.
  ///
  /// A GPIO line is one relay, of a lock or a siren, or one input, a pipe one input.
  private func requireOwnLines(_ field: ConfigurationReader) throws {
    var radios = [radio]
    if case .other(let other) = beaconRadio { radios.append(other) }
    var taken: [String: String] = [:]
    for case .serial(let path, _, _) in radios { taken[path] = "a radio" }
    var places: Set<[String]> = []
    for (door, value) in zip(doors, try field.entries().map(\.value)) {
      switch door.lock {
      case .serial(let port, _):
        if let other = taken.updateValue("door \(door.id)", forKey: port) {
          throw field.complaint("expected a serial line of its own for door \(door.id); \(port) has \(other)")
        }
      case .gpio(let lines):
        for line in lines where !places.insert([line.chip, line.place.text]).inserted {
          throw value.complaint(
            "line \(line.place.text) of \(line.chip) is in use already: a relay belongs to one lock")
        }
      case .dryRun, .command: break
      }
      for input in door.monitor.inputs.values {
        guard let place = input.place, !places.insert(place).inserted else { continue }
        throw value.complaint("\(input) is in use already: an input belongs to one door, and means one thing")
      }
      for line in door.monitor.siren?.lines ?? []
      where !places.insert([line.chip, line.place.text]).inserted {
        throw value.complaint(
          "line \(line.place.text) of \(line.chip) is in use already: a siren has relays of its own")
      }
    }
  }

  /// What is written again and again, or made anew, must be nothing that has to last.
  private func requireOwnPaths(_ metrics: ConfigurationReader?, _ control: ConfigurationReader?) throws {
    var lasting = ["", ".lock", ".serials", "-wal", "-shm"].map { statePath + $0 } + doors.map(\.bundlePath)
    if let control, lasting.contains(controlPath) {
      throw control.complaint("expected a socket of its own; that file is the state's or a bundle")
    }
    lasting += [controlPath, controlPath + ".lock"]
    if let metrics, let metricsPath, lasting.contains(metricsPath) {
      throw metrics.complaint("expected a file of its own; that one is the state's, a bundle or the control socket")
    }
  }
}

/// Where a door's beacons and answers are sent.
public enum BeaconRadio: Hashable, Sendable {
  /// By the radio that listens.
  case same
  /// By another one, for a radio that doesn't advertise while it scans.
  case other(RadioSpec)
  /// Nowhere: the doors send nothing, and take time frames only.
  case none

  init(_ field: ConfigurationReader?, other radio: RadioSpec, folder: String) throws {
    guard let field else {
      self = .same
      return
    }
    let text = try field.text()
    if text == "none" {
      self = .none
      return
    }
    do {
      let spec = try RadioSpec(text).relative(to: folder)
      self = spec == radio ? .same : .other(spec)
    } catch {
      throw field.complaint("\(error); or none")
    }
  }
}

/// One door of the configuration.
public struct DoorSettings: Sendable {
  public let id: Identifier
  public let bundlePath: String
  public let lock: LockSettings
  /// How long an `unlock` opens.
  public let pulse: Duration
  /// The most that an `unlock` with a number of seconds opens.
  public let longestPulse: Duration
  public let freshness: FreshnessPolicy
  /// Those of `hold`, `release` and `lockdown` that a time frame may give as well.
  public let allowedByTime: PermissionSet
  /// The weakest signal that counts, in dBm; nil: any.
  public let minRSSI: Int8?
  /// What the door sees of itself.
  let monitor: MonitorSettings

  /// What a controller may report as a signal's strength, in dBm (Core Specification, Vol 4, Part E, 7.7.65.2).
  static let rssiRange: ClosedRange<Int8> = -127...20
  /// What may be set as a pulse; the longest one is what a command's argument can ask for.
  static let pulseRange = Duration.milliseconds(100)...Duration.seconds(255)

  static let defaultPulse = Duration.seconds(5)
  static let defaultLongestPulse = Duration.seconds(30)

  init(
    id: Identifier, bundlePath: String, lock: LockSettings, pulse: Duration, longestPulse: Duration,
    freshness: FreshnessPolicy, allowedByTime: PermissionSet, minRSSI: Int8?, monitor: MonitorSettings
  ) {
    self.id = id
    self.bundlePath = bundlePath
    self.lock = lock
    self.pulse = pulse
    self.longestPulse = longestPulse
    self.freshness = freshness
    self.allowedByTime = allowedByTime
    self.minRSSI = minRSSI
    self.monitor = monitor
  }

  init(id: Identifier, _ value: ConfigurationReader, folder: String) throws {
    let fields = try value.mapping(
      ["bundle", "lock", "pulse", "longest-pulse", "freshness", "allow-by-time", "min-rssi"] + MonitorSettings.keys)
    self.id = id
    bundlePath = try path(fields.required("bundle"), in: folder)
    lock = try LockSettings(try fields.required("lock"), folder: folder)
    pulse = try fields["pulse"]?.duration(in: Self.pulseRange) ?? Self.defaultPulse
    longestPulse = try fields["longest-pulse"]?.duration(in: Self.pulseRange) ?? Self.defaultLongestPulse
    guard pulse <= longestPulse else {
      let field = fields["pulse"] ?? value
      throw field.complaint("expected at most the longest pulse")
    }
    freshness = try fields["freshness"]?.word(FreshnessPolicy.self) ?? .challenge
    allowedByTime = try Self.exceptions(fields["allow-by-time"])
    minRSSI = try fields["min-rssi"]?.integer(in: Self.rssiRange)
    monitor = try MonitorSettings(fields, pulse: pulse, lock: lock, folder: folder)
  }

  private static func exceptions(_ field: ConfigurationReader?) throws -> PermissionSet {
    guard let field else { return [] }
    var set: PermissionSet = []
    for element in try field.elements() {
      let permission = try element.word(Permission.self)
      let one = PermissionSet(needed: permission)
      guard PermissionSet.needChallenge.contains(one) else {
        throw element.complaint("expected one of hold, release, lockdown; the others need no challenge")
      }
      set.insert(one)
    }
    return set
  }
}

/// The path of a socket, which the kernel takes up to 107 bytes of (unix(7)).
private func socketPath(_ field: ConfigurationReader, in folder: String) throws -> String {
  let path = try path(field, in: folder)
  guard path.utf8.count <= 107 else { throw field.complaint("expected a path of at most 107 bytes") }
  return path
}

/// A path that a field names.
func path(_ field: ConfigurationReader, in folder: String) throws -> String {
  let text = try field.text()
  guard !text.isEmpty, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
    throw field.complaint("expected a path, without control characters")
  }
  return absolute(text, in: folder)
}

extension RadioSpec {
  /// The same with a path relative to the file that names it.
  fileprivate func relative(to folder: String) throws -> RadioSpec {
    switch self {
    case .unix(let path): try RadioSpec("unix:" + absolute(path, in: folder))
    case .serial(let path, let baud, let flow):
      .serial(path: absolute(path, in: folder), baud: baud, flowControl: flow)
    default: self
    }
  }
}

/// A path as the file's reader means it: relative to the file, not to where the daemon was started.
private func absolute(_ path: String, in folder: String) -> String {
  path.hasPrefix("/") ? path : "\(folder)/\(path)"
}
