public import AccessControl
internal import LockHardware
internal import POSIX

/// Closes every lock of a configuration, and silences its sirens, without radio, bundles or ledger (`latchkeyd close`).
public enum LockClosing {
  /// What became of one lock or siren.
  public struct Outcome: Sendable {
    public let door: Identifier
    /// Whether it is the door's siren, whose closed is silent.
    public let isSiren: Bool
    /// Whether it is of a run that hasn't ended well, and in the configuration no more.
    public let isOfLastRun: Bool
    /// Why it isn't closed, or isn't known to be; nil where it is.
    public let failure: String?
  }

  /// What `latchkeyd close` did.
  public struct Report: Sendable {
    /// What became of each lock, in the order of the configuration; behind them those of a run that hasn't ended well, where
    /// the configuration has them no more, and the sirens.
    public let outcomes: [Outcome]
    /// Why something that a run has left couldn't be closed.
    public let warnings: [String]
    /// Why the configuration's own locks aren't known; nil where they are.
    public let problem: DaemonError?
  }

  private typealias Target = (door: Identifier, lock: LockSettings, isSiren: Bool, isOfLastRun: Bool)

  /// Closes what the configuration names, and what a run has left that hasn't ended well, and waits for it.
  ///
  /// - Throws: nothing has moved: the configuration can't be read and no run has left anything, a daemon is in charge of the
  ///   locks, or it can't be seen whether one is.
  public static func run(configurationPath: String) throws(DaemonError) -> Report {
    let configuration: DoorConfiguration
    do throws(LoadError) { configuration = try DoorConfiguration.load(path: configurationPath) } catch {
      let problem = DaemonError(error)
      let (outcomes, warnings) = closeOfOtherStates(configurationPath, than: nil)
      if outcomes.isEmpty, warnings.isEmpty { throw problem }
      return Report(outcomes: outcomes, warnings: warnings, problem: problem)
    }
    do throws(FileError) {
      let lock = try charge(ofState: configuration.statePath)
      defer { withExtendedLifetime(lock) {} }
      return close(configuration, configurationPath)
    } catch {
      switch error.problem {
      case .busy:
        throw .busy("a daemon runs with \(configuration.statePath), and is in charge of the locks: ask it, or end it")
      // Another user's daemon would have its locks moved under it.
      case .system(_, .permissionDenied), .system(_, .notPermitted): throw .file(error)
      // A disk that is full or read-only is no reason to leave a lock open.
      default: return close(configuration, configurationPath)
      }
    }
  }

  private static func close(_ configuration: DoorConfiguration, _ configurationPath: String) -> Report {
    let left = recorded(ofState: configuration.statePath)
    let targets: [Target] =
      configuration.doors.map { ($0.id, $0.lock, false, false) }
      + (left.locks?.missing(in: configuration.doors) ?? []).map { ($0.id, .command($0.commands), false, true) }
      + configuration.doors.compactMap { door in
        door.monitor.siren.map { (door.id, .gpio($0.lines), true, false) }
      }
    let outcomes = close(targets)
    let others = closeOfOtherStates(configurationPath, than: configuration.statePath)
    return Report(
      outcomes: outcomes + others.outcomes, warnings: (left.warning.map { [$0] } ?? []) + others.warnings, problem: nil)
  }

  /// The same for a daemon that can't start, whatever else is wrong; where another is in charge, or that can't be seen, nothing.
  static func runQuietly(_ configurationPath: String) {
    do throws(DaemonError) { _ = try run(configurationPath: configurationPath) } catch {
      // Why it can't start is told already.
    }
  }

  /// What a run has left; a file that is another's, whose programs aren't run, or that can't be read is warned of.
  private static func recorded(ofState statePath: String) -> (locks: LocksInCharge?, warning: String?) {
    let path = LocksInCharge.path(ofState: statePath)
    do { return (try LocksInCharge(reading: path), nil) } catch {
      return (nil, "what a run has left in \(path) isn't closed: \(error)")
    }
  }

  /// Closes what runs under that configuration have left whose state was another, or isn't known, since nothing can be read
  /// of the configuration: a service's states are where its manager says.
  private static func closeOfOtherStates(
    _ configurationPath: String, than own: String?
  ) -> (outcomes: [Outcome], warnings: [String]) {
    let ending = LocksInCharge.path(ofState: "")
    let folders = ProcessEnvironment["STATE_DIRECTORY"]?.split(separator: ":") ?? []
    let paths = folders.flatMap { folder in directoryEntries(String(folder)).sorted().map { "\(folder)/\($0)" } }
    var outcomes: [Outcome] = []
    var warnings: [String] = []
    for path in paths where path.hasSuffix(ending) {
      let state = String(path.dropLast(ending.count))
      if state == own { continue }
      let (left, warning) = recorded(ofState: state)
      if let warning { warnings.append(warning) }
      guard let left, left.configuration == LocksInCharge.absolute(configurationPath) else { continue }
      do throws(FileError) {
        let lock = try charge(ofState: state)
        defer { withExtendedLifetime(lock) {} }
        outcomes += close(left.doors.map { ($0.id, .command($0.commands), false, true) })
      } catch {
        // A daemon is in charge of them.
      }
    }
    return (outcomes, warnings)
  }

  /// Takes what a daemon holds as long as it runs; nil where none has it.
  ///
  /// The file isn't made where there is none: made by root, it would keep the daemon's own user from its state.
  private static func charge(ofState statePath: String) throws(FileError) -> FileLock? {
    let path = statePath + ".lock"
    guard try fileStatus(path) != nil else { return nil }
    return try FileLock.acquire(path)
  }

  private static func close(_ targets: [Target]) -> [Outcome] {
    // All begin before the first is waited for: each closes first, and again when it is stopped.
    let closing = targets.map { door, settings, isSiren, isOfLastRun in
      let word = Monitor(LockWord.nothing)
      let lock: (any Lock)?
      do throws(Errno) {
        lock = try settings.makeLock(door: door) { report in
          if let new = LockWord(report.event) { word.withLock(waking: false) { $0 = new } }
        }
      } catch {
        lock = nil
        word.withLock(waking: false) { $0 = .failed(.closed, "\(error)") }
      }
      lock?.beginStop()
      return (door: door, isSiren: isSiren, isOfLastRun: isOfLastRun, lock: lock, word: word)
    }
    return closing.map { door, isSiren, isOfLastRun, lock, word in
      lock?.stop()
      let failure: String? =
        switch word.withLock(waking: false, { $0 }) {
        case .stands(.closed): nil
        case .failed(_, let reason): reason
        case .nothing, .stands(.open): "the \(isSiren ? "siren" : "lock") hasn't said that it is closed"
        }
      return Outcome(door: door, isSiren: isSiren, isOfLastRun: isOfLastRun, failure: failure)
    }
  }
}
