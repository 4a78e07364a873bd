internal import AccessControl
internal import Database
internal import POSIX

/// The columns of an event, in the order in which both statements below take them.
private let columns = """
  time, kind, door_number, door, credential, holder, command, argument, by_challenge, sequence, press, reason, result,
  follows, detail
  """

/// Writes and reads the table of events.
struct EventTable {
  private let insertion: Statement
  private let pruning: Statement

  init(_ connection: Connection) throws(DatabaseError) {
    insertion = try connection.prepare(
      "INSERT INTO event (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    pruning = try connection.prepare("DELETE FROM event WHERE id <= ?")
  }

  /// Adds an event; the caller reads its id from the connection.
  func insert(_ event: LedgerEvent, doorNumber: UInt16?) throws(DatabaseError) {
    try insertion.run(
      event.time.milliseconds, event.kind, doorNumber, event.door?.text, event.credential?.text, event.holder?.text,
      event.command?.rawValue, event.argument, event.byChallenge, event.sequence, event.press, event.reason?.rawValue,
      event.result, event.follows, event.detail)
  }

  /// Takes away all but the newest `limit` events, some hundred at a time.
  func prune(newest id: Int64, limit: Int64) throws(DatabaseError) {
    if id > limit, id % 256 == 0 { try pruning.run(id - limit) }
  }
}

/// Reads events in the order of their ids.
struct EventQuery {
  private let statement: Statement

  init(_ connection: Connection) throws(DatabaseError) {
    statement = try connection.prepare(
      "SELECT id, \(columns) FROM event WHERE id > ? AND time >= ? ORDER BY id LIMIT ?")
  }

  /// At most `limit` events with an id above `id` and a time from `time` on.
  func events(after id: Int64, since time: WallTime?, limit: Int) throws(DatabaseError) -> [StoredEvent] {
    try statement.map(id, time?.milliseconds ?? .min, limit) { (row) throws(DatabaseError) in try storedEvent(row) }
  }
}

private func storedEvent(_ row: borrowing Row) throws(DatabaseError) -> StoredEvent {
  var event = LedgerEvent(try row.text(2), at: WallTime(milliseconds: try row.integer(1)))
  event.door = try identifier(row, 4)
  event.credential = try identifier(row, 5)
  event.holder = try row.optionalText(6).map { (text) throws(DatabaseError) in
    do throws(DisplayNameError) { return try DisplayName(text) } catch { throw row.unexpected(6, expected: "a name") }
  }
  event.command = try row.optionalText(7).map { (word) throws(DatabaseError) in try command(row, 7, word) }
  event.argument = try row.optionalInteger(8, as: UInt8.self)
  event.byChallenge = row.isNull(9) ? nil : try row.flag(9)
  event.sequence = try row.optionalInteger(10, as: UInt8.self)
  event.press = try row.optionalInteger(11, as: UInt8.self)
  event.reason = try row.optionalText(12).map { (code) throws(DatabaseError) in
    guard let reason = Reason(rawValue: code) else { throw row.unexpected(12, expected: "a reason's code") }
    return reason
  }
  event.result = try row.optionalInteger(13, as: UInt8.self)
  event.follows = try row.optionalInteger(14)
  event.detail = try row.optionalText(15)
  return StoredEvent(id: try row.integer(0), event: event)
}

/// The id in a column, or nil where it holds NULL.
func identifier(_ row: borrowing Row, _ column: Int) throws(DatabaseError) -> Identifier? {
  guard let text = try row.optionalText(column) else { return nil }
  guard let id = Identifier(text) else { throw row.unexpected(column, expected: "an id") }
  return id
}

/// The command that a column's word names.
func command(_ row: borrowing Row, _ column: Int, _ word: String) throws(DatabaseError) -> Permission {
  guard let command = Permission(rawValue: word) else { throw row.unexpected(column, expected: "a command") }
  return command
}
