public import AccessControl
internal import LockHardware
internal import POSIX

/// Closes every lock of a configuration, without radio, bundles or ledger (`latchkeyd close`).
public enum LockClosing {
  /// What became of one lock.
  public struct Outcome: Sendable {
    public let door: Identifier
    /// Why it isn't closed, or isn't known to be; nil where it is.
    public let failure: String?
  }

  /// Closes what the configuration names, and waits for it.
  ///
  /// - Returns: what became of each door's lock, in the order of the configuration.
  /// - Throws: nothing has moved: the configuration can't be read, a daemon is in charge of the locks, or it can't be seen
  ///   whether one is.
  public static func run(configurationPath: String) throws(DaemonError) -> [Outcome] {
    let configuration = try DaemonError.wrapping { try DoorConfiguration.load(path: configurationPath) }
    do throws(FileError) {
      let lock = try charge(of: configuration)
      defer { withExtendedLifetime(lock) {} }
      return close(configuration)
    } catch {
      switch error.problem {
      case .busy:
        throw .busy("a daemon runs with \(configuration.statePath), and is in charge of the locks: ask it, or end it")
      // Another user's daemon would have its locks moved under it.
      case .system(_, .permissionDenied), .system(_, .notPermitted): throw .file(error)
      // A disk that is full or read-only is no reason to leave a lock open.
      default: return close(configuration)
      }
    }
  }

  /// The same for a daemon that can't start, whatever else is wrong; where another is in charge, nothing.
  static func runQuietly(_ configuration: DoorConfiguration) {
    do throws(FileError) {
      let lock = try charge(of: configuration)
      defer { withExtendedLifetime(lock) {} }
      _ = close(configuration)
    } catch {
      if error.problem != .busy { _ = close(configuration) }
    }
  }

  /// Takes what a daemon holds as long as it runs; nil where none has it.
  ///
  /// The file isn't made where there is none: made by root, it would keep the daemon's own user from its state.
  private static func charge(of configuration: DoorConfiguration) throws(FileError) -> FileLock? {
    let path = configuration.statePath + ".lock"
    guard try fileStatus(path) != nil else { return nil }
    return try FileLock.acquire(path)
  }

  private static func close(_ configuration: DoorConfiguration) -> [Outcome] {
    // All begin before the first is waited for: each closes first, and again when it is stopped.
    let closing = configuration.doors.map { door in
      let word = Monitor(LockWord.nothing)
      let lock: (any Lock)?
      do throws(Errno) {
        lock = try door.lock.makeLock(door: door.id) { report in
          if let new = LockWord(report.event) { word.withLock(waking: false) { $0 = new } }
        }
      } catch {
        lock = nil
        word.withLock(waking: false) { $0 = .failed(.closed, "\(error)") }
      }
      lock?.beginStop()
      return (door: door.id, lock: lock, word: word)
    }
    return closing.map { door, lock, word in
      lock?.stop()
      return switch word.withLock(waking: false, { $0 }) {
      case .stands(.closed): Outcome(door: door, failure: nil)
      case .failed(_, let reason): Outcome(door: door, failure: reason)
      case .nothing, .stands(.open): Outcome(door: door, failure: "the lock hasn't said that it is closed")
      }
    }
  }
}
