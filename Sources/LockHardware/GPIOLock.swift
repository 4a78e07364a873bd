public import POSIX
public import RelayGuard

/// A lock whose relays hang at GPIO lines, each held by a guard: a program of its own that shuts by itself.
///
/// This process never holds a line. It tells the guards until when, and that it lives; when it doesn't they shut. All lines
/// move together, and where one fails all are closed. A guard that ended is reported, and another is started, whose
/// first act is to request the line at its safe value.
public final class GPIOLock: Lock {
  private let driver: LockDriver

  /// - Parameters:
  ///   - name: the door's id.
  ///   - program: the guard's, an absolute path.
  ///   - lines: at least one.
  ///   - report: called on the lock's thread for each movement and failure, the closing at the start among them.
  /// - Throws: where the system gives no thread.
  public init(name: String, program: String, lines: [RelayLine], report: @escaping LockReporter) throws(Errno) {
    let commands = lines.map { line in
      var options = RelayOptions(line)
      options.consumer = String("latchkey \(name)".prefix(31))
      return [program] + options.arguments
    }
    driver = try LockDriver(name: name, Relays(commands), report)
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
}
