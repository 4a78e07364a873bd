import LockHardware
import POSIX
import TestSupport

/// What a lock told, to wait for.
final class Reports: Sendable {
  private let reports = Monitor<[LockReport]>([])
  private let seen = Monitor(0)

  var reporter: LockReporter { { [self] report in reports.withLock { $0.append(report) } } }

  /// The next report, which comes within twenty seconds.
  func next() throws -> LockReport {
    let index = seen.withLock { index in
      defer { index += 1 }
      return index
    }
    guard let report = reports.wait(until: .now() + .seconds(20), { $0.count > index ? $0[index] : nil }) else {
      throw TestError("no report from the lock; so far \(reports.withLock { $0 })")
    }
    return report
  }

  /// All so far.
  var all: [LockReport.Event] { reports.withLock { $0.map(\.event) } }
}
