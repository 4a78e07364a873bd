public import AccessControl
internal import Database
public import POSIX

/// A door's state to look at, read only, beside the process that may hold it.
public final class LedgerView {
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

  /// How many uses a credential has spent at a door.
  public func usesSpent(ofDoor door: UInt16, credential: Identifier) throws(LedgerError) -> UInt32 {
    try ledger { () throws(DatabaseError) in
      try connection.prepare("SELECT uses FROM credential WHERE door = ? AND id = ?").first(door, credential.text) {
        (row) throws(DatabaseError) in try row.integer(0, as: UInt32.self)
      } ?? 0
    }
  }

  /// The mode that was recorded last for a door; a locked door where none was.
  public func mode(ofDoor door: UInt16) throws(LedgerError) -> SavedMode {
    try ledger { () throws(DatabaseError) in try Ledger.mode(ofDoor: door, connection) }
  }
}
