internal import LockHardware
internal import POSIX
internal import Synchronization

/// The short way from an exit to the lock: on the thread of the input that hears it, past the door's, which may be waiting for
/// a disk (decision 0088).
///
/// The door's thread learns of the exit as well, and tells the lock the same: nothing changes by that.
package final class ExitWay: Sendable {
  private struct Destination {
    var lock: NumberedLock?
    /// How long an exit opens for; nil: not at all.
    var pulse: Duration?
    /// Whether the lock's own board is what hears it.
    var isBoard = false
  }

  private let destination = Mutex(Destination())

  /// It leads nowhere yet.
  init() {}

  /// From here on it leads to that lock; nil: nowhere.
  func lead(to lock: NumberedLock?) { destination.withLock { $0.lock = lock } }

  /// Goes on under other settings.
  func adopt(_ settings: MonitorSettings) {
    destination.withLock { destination in
      destination.pulse = settings.inputs[.exit] == nil ? nil : settings.exitPulse
      destination.isBoard = settings.inputs[.exit] == .board
    }
  }

  /// Lets somebody out, where that is what an input says.
  func take(_ report: InputReport) {
    guard report.reading == .exitAsked else { return }
    destination.withLock { destination in
      guard let pulse = destination.pulse else { return }
      destination.lock?.lock.letOut(until: report.toldAt + pulse)
    }
  }

  /// The same of what a lock says: of its board's input.
  func take(_ report: LockReport, of lock: LockID) {
    guard case .seen(.exit, let reading) = report.event,
      destination.withLock({ $0.isBoard && $0.lock?.id == lock })
    else { return }
    take(InputReport(reading, at: report.at))
  }
}
