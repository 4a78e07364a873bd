internal import AccessControl
internal import HCI
internal import LockHardware
internal import POSIX

/// What a daemon is and does at one moment: metrics, `status` and `health` are views of it.
///
/// The door's thread makes one in microseconds; what it looks like to others is worked out elsewhere.
struct DaemonStatus: Sendable {
  /// The radio, and how well it hears.
  struct Radio: Sendable {
    /// As it is configured.
    var spec: String
    var condition: RadioCondition
    var since: WallTime
    /// How long it has been in this condition.
    var age: Duration
    /// What is wrong and what to do; nil where nothing is.
    var problem: String?
    /// What the controller said of itself when it was last on.
    var controller: ControllerInfo?
    /// How long ago the last report with data came; nil: none since the start.
    var lastReportAge: Duration?
    /// How often it was lost within the last ten minutes.
    var lossesLately = 0
  }

  /// Beacons and answers: whether they are on the air.
  struct Beacons: Sendable {
    /// In one word, for `status` and metrics.
    enum Condition: String, CaseIterable, Sendable {
      case on
      /// The configuration wants none.
      case off
      /// They are wanted, and not on the air.
      case failed
    }

    var condition: Condition
    /// What keeps them off the air, where that isn't the listening radio's own problem.
    var problem: String?
  }

  /// The wall clock, as far as time frames depend on it.
  struct Clock: Sendable {
    /// Why it isn't trusted, and what helps; nil where it is.
    var doubt: String?
    /// When the wait after a start ends; nil where there is none.
    var timeFramesFrom: WallTime?
  }

  /// A door with its lock and its rules.
  struct Door: Sendable {
    var id: Identifier
    var name: DisplayName
    var freshness: FreshnessPolicy
    var state: DoorState
    /// Seconds until it locks; 0 where it is locked, 65535 where no end is set.
    var secondsUntilLocked: UInt16
    var lock: LockWord
    /// Why the lock couldn't open, or didn't stay open, the last time that it should; nil where it did.
    var openingProblem: String?
    /// What is left in the battery of the lock's board, in percent; nil: there is none, or it isn't known.
    var battery: UInt8?
    var bundleSerial: Int64
    /// Unix seconds from which the bundle's rules count no more; nil: no end.
    var bundleEnd: Int64?
    /// How many credentials its bundle knows.
    var credentials: Int
    /// What it sees of itself; nil: nothing.
    var sight: Sight?
  }

  /// What a door sees of itself.
  struct Sight: Sendable {
    /// How the door stands; nil: it has no sensor.
    var contact: DoorMonitor.Contact?
    /// The alarm that is on.
    var alarm: DoorMonitor.Alarm?
    /// For how long somebody has been asking to get out without a pause; nil: nobody is.
    var exitAge: Duration?
    /// Inputs that can't be read, and why.
    var failures: [InputRole: String] = [:]
    /// What its siren does; nil: it has none, or that hasn't said anything yet.
    var siren: Siren.State?
  }

  /// Whether decisions can be recorded.
  struct Recording: Sendable {
    var last: WallTime?
    /// Id of the last event that this run recorded.
    var lastID: Int64?
    /// Why the last attempt failed; nil where it didn't.
    var problem: String?
    /// Whether the next start can't know that its state is the newest.
    var volatileIsLost: Bool
  }

  /// Configurations that were loaded anew.
  struct Reloads: Sendable {
    var done: UInt64 = 0
    var refused: UInt64 = 0
    /// When the running configuration was taken over.
    var lastSuccess: WallTime
    /// Why the newest one was refused; nil where it runs.
    var problem: String?
  }

  /// The metrics file.
  struct MetricsFile: Sendable {
    var failures: UInt64 = 0
    /// Why it couldn't be written the last time; nil where it could, or isn't asked for.
    var problem: String?
  }

  var time: WallTime
  var started: WallTime
  var uptime: Duration
  /// False in the last one, when it has ended.
  var isRunning: Bool
  var radio: Radio
  var beacons: Beacons
  var clock: Clock
  var doors: [Door]
  /// Doors that the configuration has no more, and whose lock couldn't be closed.
  var leftOpen: [Identifier] = []
  var recording: Recording
  var reloads: Reloads
  /// Whether it ends as soon as every lock is closed.
  var isToRestart = false
  var metricsFile: MetricsFile
  var counters: Counters
}

extension DoorState {
  /// The door's mode in one word, for `status` and metrics.
  var modeWord: String {
    switch self {
    case .unknown: "unknown"
    case .locked: "closed"
    case .unlocked: "open"
    case .heldOpen: "held"
    case .lockedDown: "lockdown"
    }
  }
}
