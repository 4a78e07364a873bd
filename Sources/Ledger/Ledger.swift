internal import Database
public import POSIX

/// What a door must not forget: marks, use counts, modes, accepted bundles and the log, in one file (`state.db`).
///
/// One process at a time holds it, by a lock on the file `….lock` beside it. Any thread may call; calls run one after the
/// other. Every change is one transaction that is durable when the call returns (docs/decisions/0013).
public final class Ledger: Sendable {
  /// How many events are kept where nothing else is said.
  public static let defaultEventLimit: Int64 = 1_000_000
  /// The fewest events that can be kept: the newest of them also say which presses were answered.
  public static let smallestEventLimit: Int64 = 10_000

  /// The file.
  public let path: String
  let store: Monitor<LedgerStore>
  private let lock: FileLock

  /// Opens or makes the state.
  ///
  /// - Parameters:
  ///   - volatileDirectory: where the transaction number is kept as well, in storage that a boot clears (`/run/…`); made
  ///     where it is missing. nil: the state is never known to be the newest.
  ///   - eventLimit: older events than so many go, some hundred at a time; at least `smallestEventLimit`.
  /// - Throws: kind `busy` where another process holds the state, and what is wrong with the file.
  public init(
    path: String, volatileDirectory: String?, eventLimit: Int64 = defaultEventLimit
  ) throws(LedgerError) {
    self.path = path
    do throws(FileError) { lock = try FileLock.acquire(path + ".lock") } catch { throw LedgerError(error) }
    try Ledger.requireWhatWasThere(path)
    let opened: LedgerStore
    do throws(DatabaseError) {
      opened = try LedgerStore(
        path: path, volatileDirectory: volatileDirectory, eventLimit: max(eventLimit, Self.smallestEventLimit))
    } catch {
      throw LedgerError(error)
    }
    opened.startVolatile()
    store = Monitor(opened)
  }

  /// Refuses a state that others can read or change, and one that is gone or empty though this door has run.
  ///
  /// The file of accepted serials is written behind the state, so it is never there alone by a crash. Beginning anew
  /// without a word would bring spent uses back, and end a lockdown.
  private static func requireWhatWasThere(_ path: String) throws(LedgerError) {
    do throws(FileError) {
      let state = try fileStatus(path)
      if state?.isRegular == true { try requirePrivate(path) }
      guard state == nil || state?.size == 0, try fileStatus(path + ".serials") != nil else { return }
    } catch {
      throw LedgerError(error)
    }
    throw LedgerError(
      .damaged,
      "\(path): empty or gone, though \(path).serials says that this door has run; put it back, or remove both")
  }

  /// Records an entry: mark, use, mode and event, in one durable transaction.
  ///
  /// - Returns: the event's id.
  /// - Throws: kind `noSpace` and others; nothing of the entry is recorded then, and nothing may be acted upon.
  @discardableResult
  public func record(_ entry: LedgerEntry) throws(LedgerError) -> Int64 {
    try change(recorded: entry.clockTrusted ? entry.event.time : nil) { (store) throws(DatabaseError) in
      try store.write(entry)
    }
  }

  /// Records that the door lives, at least once a minute: `lastRecordTime` is how a start knows a clock that went back.
  public func heartbeat(at time: WallTime, clockTrusted: Bool) throws(LedgerError) {
    try change(recorded: clockTrusted ? time : nil) { (_) throws(DatabaseError) in }
  }

  /// Whether the marks are the newest: the disk's transaction number is that in volatile storage, or `raiseFloors` has
  /// made up for the difference.
  public var isNewest: Bool { store.withLock(waking: false) { $0.isNewest } }

  /// Whether the number in volatile storage couldn't be kept: the next start will not know whether it has the newest.
  public var volatileNumberIsLost: Bool { store.withLock(waking: false) { $0.volatileIsLost } }

  func change<Result: Sendable>(
    recorded: WallTime?, _ body: (LedgerStore) throws(DatabaseError) -> Result
  ) throws(LedgerError) -> Result {
    do throws(DatabaseError) {
      return try store.withLock(waking: false) { (store) throws(DatabaseError) in
        let store = store
        return try store.transaction(recorded: recorded) { () throws(DatabaseError) in try body(store) }
      }
    } catch {
      throw LedgerError(error)
    }
  }

  func read<Result: Sendable>(
    _ body: (LedgerStore) throws(DatabaseError) -> Result
  ) throws(LedgerError) -> Result {
    do throws(DatabaseError) {
      return try store.withLock(waking: false) { (store) throws(DatabaseError) in try body(store) }
    } catch {
      throw LedgerError(error)
    }
  }
}
