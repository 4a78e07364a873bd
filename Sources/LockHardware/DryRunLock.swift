public import POSIX

/// A lock that moves nothing and tells everything: for demonstrations, replays and first steps.
public final class DryRunLock: Lock {
  private let driver: LockDriver

  /// - Parameters:
  ///   - name: the door's id; names the thread.
  ///   - report: called on the lock's thread for each movement, the closing at the start among them.
  /// - Throws: where the system gives no thread.
  public init(name: String, report: @escaping LockReporter) throws(Errno) {
    driver = try LockDriver(name: name, Nothing(), report)
  }

  /// A lock that nobody holds any more is stopped.
  deinit { driver.stop() }

  public func open(until: BootInstant?, for cause: LockCause?) { driver.open(until: until, for: cause) }

  public func letOut(until: BootInstant) { driver.letOut(until: until) }

  public func close(for cause: LockCause?, endingExitsBy known: BootInstant?) {
    driver.close(for: cause, endingExitsBy: known)
  }

  public var standingOrders: StandingOrders { driver.standingOrders }

  public func refresh() { driver.refresh() }

  public func beginStop() { driver.beginStop() }

  public func stop() { driver.stop() }

  private struct Nothing: Actuator {
    func move(_ target: LockPosition, _ watch: LockDriver.Watch) -> Movement { .done }
  }
}
