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
    case .command(let commands): try CommandLock(name: door.text, commands, report: report)
    case .gpio(let lines):
      try GPIOLock(name: door.text, program: Self.relayGuard, lines: lines, report: report)
    case .serial(let port, let baud):
      try SerialBoardLock(name: door.text, path: port, baud: baud, report: report)
    }
  }

  /// The guard that belongs to this very daemon: beside it, else where an installation under the same prefix has it.
  ///
  /// Not from PATH: whoever could change that would hold the lock.
  static var relayGuard: String {
    // After an upgrade the kernel writes " (deleted)" behind the name of the program that runs; its folder stays.
    let folder = linkTarget("/proc/self/exe").map { directoryName($0) } ?? "/usr/sbin"
    let beside = "\(folder)/latchkey-relay"
    return fileExists(beside) ? beside : "\(directoryName(folder))/libexec/latchkey/latchkey-relay"
  }
}

extension MonitorSettings.Siren {
  /// The siren, silent: a lock whose open is its sounding.
  ///
  /// - Parameter report: hears of each movement, on the siren's thread.
  func make(door: Identifier, report: @escaping LockReporter) throws(Errno) -> any Lock {
    try GPIOLock(name: "\(door.text) siren", program: LockSettings.relayGuard, lines: lines, report: report)
  }
}

private func fileExists(_ path: String) -> Bool {
  do throws(FileError) { return try fileStatus(path) != nil } catch { return false }
}

/// The lock of a recording: nothing moves, and nobody waits for it.
struct RecordedLock: Lock {
  func open(until: BootInstant?, for cause: LockCause?) {}
  func letOut(until: BootInstant) {}
  func close(for cause: LockCause?, endingExitsBy known: BootInstant?) {}
  var standingOrders: StandingOrders { StandingOrders(opens: false, letsOut: false) }
  func refresh() {}
  func beginStop() {}
  func stop() {}
}
