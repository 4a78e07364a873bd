public import POSIX
internal import Synchronization

/// A lock whose board is at the end of a serial line (docs/serial-board.md).
///
/// The board closes by itself when an opening's time is over, and lets go of a hold when it doesn't hear the daemon any more: it
/// outlives nobody. It is asked for its status while nothing moves, and its battery is reported.
public final class SerialBoardLock: Lock {
  private let driver: LockDriver

  /// - Parameters:
  ///   - name: the door's id.
  ///   - path: of the line's device, which needn't be there yet.
  ///   - baud: one of `SerialPort.speeds`.
  ///   - report: called on the lock's thread for each movement and failure, the closing at the start among them, and for
  ///     what becomes of the battery.
  /// - Throws: where the system gives no thread.
  public convenience init(name: String, path: String, baud: UInt32, report: @escaping LockReporter) throws(Errno) {
    try self.init(name: name, path: path, baud: baud, timing: BoardTiming(baud: baud), report: report)
  }

  init(name: String, path: String, baud: UInt32, timing: BoardTiming, report: @escaping LockReporter) throws(Errno) {
    driver = try LockDriver(name: name, Shared(path: path, baud: baud, timing: timing, report: report), report)
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

  /// The board as an actuator; only the lock's thread ever asks it.
  private final class Shared: Actuator {
    var closesByItself: Bool { true }

    private let board: Mutex<SerialBoard>

    init(path: String, baud: UInt32, timing: BoardTiming, report: @escaping LockReporter) {
      board = Mutex(
        SerialBoard(
          link: BoardLink(path: path, baud: baud, timing: timing, report: report), timing: timing, report: report))
    }

    func move(_ target: LockPosition, _ watch: LockDriver.Watch) -> Movement {
      board.withLock { $0.move(target, watch) }
    }

    func adjust(_ position: LockPosition, _ watch: LockDriver.Watch) -> Movement {
      // A board that is closed has nothing to be told.
      position == .open ? board.withLock { $0.move(.open, watch) } : .done
    }

    func rest(at position: LockPosition, until deadline: BootInstant?, _ watch: LockDriver.Watch) -> Movement {
      board.withLock { $0.rest(at: position, until: deadline, watch) }
    }

    func linger(until deadline: BootInstant?, _ watch: LockDriver.Watch) {
      _ = board.withLock { $0.rest(at: nil, until: deadline, watch) }
    }
  }
}
