internal import AccessControl
internal import LockHardware
internal import POSIX

extension LockSettings {
  /// The lock that these settings describe, closed.
  ///
  /// - Parameter report: hears of each movement, on the lock's thread.
  func makeLock(door: Identifier, report: @escaping LockReporter) throws(Errno) -> any Lock {
    switch self {
    case .dryRun: try DryRunLock(name: door.text, report: report)
    case .command(let unlock, let lock, let limit):
      try CommandLock(
        name: door.text, LockCommands(unlock: unlock, lock: lock, timeLimit: limit), report: report)
    case .serial(let port, let baud):
      try SerialBoardLock(name: door.text, path: port, baud: baud, report: report)
    }
  }
}

/// The lock of a recording: nothing moves, and nobody waits for it.
struct RecordedLock: Lock {
  func open(until: BootInstant?) {}
  func close() {}
  func refresh() {}
  func beginStop() {}
  func stop() {}
}
