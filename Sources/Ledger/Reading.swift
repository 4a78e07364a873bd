public import AccessControl
internal import Database
public import POSIX

extension Ledger {
  /// What is known of the credentials that were used at a door, in the order of their ids' bytes.
  public func states(ofDoor door: UInt16) throws(LedgerError) -> [CredentialState] {
    try read { (store) throws(DatabaseError) in
      try store.connection.prepare(statesQuery).map(door) { (row) throws(DatabaseError) in try credentialState(row) }
    }
  }

  /// The presses that were answered at a door from a moment on, oldest first, as far as the newest 10,000 events tell.
  ///
  /// Presses of the future are among them: who set the clock back can't make the door forget one. Result 8 isn't: it
  /// isn't remembered (docs/protocol.md, step 6). What waited for the lock has the result of the lock's first record; where
  /// there is none it is "the lock failed": this process was killed between the two.
  public func presses(ofDoor door: UInt16, since time: WallTime) throws(LedgerError) -> [RecordedPress] {
    try read { (store) throws(DatabaseError) in
      try store.connection.prepare(pressesQuery).map(Ledger.smallestEventLimit, door, time.milliseconds) {
        (row) throws(DatabaseError) in try recordedPress(row)
      }
    }
  }

  /// The mode that was recorded last for a door; a locked door where none was.
  public func mode(ofDoor door: UInt16) throws(LedgerError) -> SavedMode {
    try read { (store) throws(DatabaseError) in try Ledger.mode(ofDoor: door, store.connection) }
  }

  static func mode(ofDoor door: UInt16, _ connection: Connection) throws(DatabaseError) -> SavedMode {
    try connection.prepare(modeQuery).first(door) { (row) throws(DatabaseError) in try savedMode(row) } ?? SavedMode()
  }

  /// At most `limit` events with ids above `id`, oldest first.
  public func events(after id: Int64 = 0, limit: Int) throws(LedgerError) -> [StoredEvent] {
    try read { (store) throws(DatabaseError) in
      try EventQuery(store.connection).events(after: id, since: nil, limit: limit)
    }
  }
}

private let statesQuery = "SELECT id, slot, sequence, uses FROM credential WHERE door = ? ORDER BY id"

private let pressesQuery = """
  SELECT id, credential, command, argument, press, coalesce(result, CASE (
    SELECT kind FROM event AS later WHERE later.id > coalesce(event.follows, event.id)
    AND later.follows = coalesce(event.follows, event.id) AND later.kind IN ('lock', 'lock-failed')
    ORDER BY later.id LIMIT 1) WHEN 'lock' THEN 1 ELSE 6 END), time FROM event
  WHERE id > (SELECT max(id) FROM event) - ? AND door_number = ? AND time >= ? AND press IS NOT NULL
  AND credential IS NOT NULL AND command IS NOT NULL AND argument IS NOT NULL
  AND (result <> 8 OR (result IS NULL AND kind IN ('granted', 'repeated'))) ORDER BY id
  """

private let modeQuery = "SELECT locked_down, hold, hold_until, pulse_until FROM door WHERE number = ?"

private func credentialState(_ row: borrowing Row) throws(DatabaseError) -> CredentialState {
  guard let id = try identifier(row, 0) else { throw row.unexpected(0, expected: "an id") }
  var mark: RecordedMark?
  if !row.isNull(1) {
    mark = RecordedMark(slot: try row.integer(1, as: UInt64.self), sequence: try row.integer(2, as: UInt8.self))
  }
  return CredentialState(credential: id, mark: mark, usesSpent: try row.integer(3, as: UInt32.self))
}

private func recordedPress(_ row: borrowing Row) throws(DatabaseError) -> RecordedPress {
  guard let credential = try identifier(row, 1) else { throw row.unexpected(1, expected: "an id") }
  return RecordedPress(
    event: try row.integer(0), credential: credential, command: try command(row, 2, try row.text(2)),
    argument: try row.integer(3, as: UInt8.self), press: try row.integer(4, as: UInt8.self),
    result: try row.integer(5, as: UInt8.self), time: WallTime(milliseconds: try row.integer(6)))
}

private func savedMode(_ row: borrowing Row) throws(DatabaseError) -> SavedMode {
  let hold: SavedMode.Hold =
    switch try row.integer(1) {
    case 0: .none
    case 1: .until(try row.integer(2))
    case 2: .indefinite
    default: throw row.unexpected(1, expected: "0, 1 or 2")
    }
  return SavedMode(isLockedDown: try row.flag(0), hold: hold, pulseUntil: try row.optionalInteger(3))
}
