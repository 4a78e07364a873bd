internal import Database
public import POSIX

/// The log of a state that another process may hold: read only, beside its writer.
public final class LedgerLog {
  private let query: EventQuery
  private let connection: Connection

  /// Opens the state at `path`, which must exist.
  public init(path: String) throws(LedgerError) {
    do throws(DatabaseError) {
      connection = try Connection(path: path, access: .readOnly)
      try connection.requireCurrent(.ledger)
      query = try EventQuery(connection)
    } catch {
      throw LedgerError(error)
    }
  }

  /// At most `limit` events with ids above `id` and times from `time` on, oldest first.
  public func events(after id: Int64 = 0, since time: WallTime? = nil, limit: Int) throws(LedgerError) -> [StoredEvent]
  {
    try ledger { () throws(DatabaseError) in try query.events(after: id, since: time, limit: limit) }
  }
}
