internal import AccessControl
internal import Database
internal import POSIX

/// The ledger's one connection and its statements, for whoever holds the ledger's lock.
final class LedgerStore {
  let connection: Connection
  /// How many events are kept.
  let eventLimit: Int64
  let volatilePath: String?
  var volatile: VolatileNumber?
  /// Whether the disk held the newest state when it was opened, or what it lacked was made up for since.
  var isNewest: Bool
  private(set) var number: Int64
  private let events: EventTable
  private let numbering: Statement
  private let marking: Statement
  private let spending: Statement
  private let switching: Statement

  init(path: String, volatileDirectory: String?, eventLimit: Int64) throws(DatabaseError) {
    connection = try Connection(path: path, journal: .writeAheadLog)
    try connection.requireSound()
    try connection.migrate(to: .ledger)
    self.eventLimit = eventLimit
    events = try EventTable(connection)
    numbering = try connection.prepare(numberingQuery)
    marking = try connection.prepare(markingQuery)
    spending = try connection.prepare(spendingQuery)
    switching = try connection.prepare(switchingQuery)
    let row = try connection.prepare("SELECT id, number FROM ledger").first { (row) throws(DatabaseError) in
      (id: try row.text(0), number: try row.integer(1))
    }
    guard let row, row.number < .max else { throw connection.error(.corrupt, "damaged: the row of the ledger is gone") }
    number = row.number
    volatilePath = volatileDirectory.map { "\($0)/ledger-\(row.id)" }
    isNewest = volatilePath.map { VolatileNumber.fits(row.number, path: $0) } ?? false
  }

  /// Makes one durable transaction, with its number on the disk and in volatile storage.
  ///
  /// - Parameter recorded: the time of a trusted clock; nil leaves the last record's time.
  func transaction<Result>(
    recorded: WallTime?, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let next = number + 1
    volatile?.intendNext()
    let result = try connection.transaction { () throws(DatabaseError) in
      let result = try body()
      guard try numbering.run(next, recorded?.milliseconds) == 1 else {
        throw connection.error(.corrupt, "damaged: the row of the ledger is gone")
      }
      return result
    }
    number = next
    volatile?.commit(next)
    return result
  }

  /// Records an entry, inside a transaction.
  ///
  /// - Returns: the event's id.
  func write(_ entry: LedgerEntry) throws(DatabaseError) -> Int64 {
    if let door = entry.doorNumber {
      if let credential = entry.event.credential {
        if let mark = entry.mark { try marking.run(door, credential.text, Int64(clamping: mark.slot), mark.sequence) }
        if entry.consumesUse { try spending.run(door, credential.text) }
      }
      if let mode = entry.mode { try write(mode, door) }
    }
    try events.insert(entry.event, doorNumber: entry.doorNumber)
    let id = connection.lastInsertedRow
    try events.prune(newest: id, limit: eventLimit)
    return id
  }

  private func write(_ mode: SavedMode, _ door: UInt16) throws(DatabaseError) {
    let hold: (kind: Int, until: Int64?) =
      switch mode.hold {
      case .none: (0, nil)
      case .until(let moment): (1, moment)
      case .indefinite: (2, nil)
      }
    try switching.run(door, mode.isLockedDown, hold.kind, hold.until, mode.pulseUntil)
  }
}

/// The last record's time only rises: a record within a step back of the clock must not make the earlier time good.
private let numberingQuery = """
  UPDATE ledger SET number = ?1, recorded = max(coalesce(recorded, ?2), coalesce(?2, recorded)) WHERE one = 1
  """

/// Only upwards: nothing that must rise ever falls by a record.
private let markingQuery = """
  INSERT INTO credential (door, id, slot, sequence) VALUES (?, ?, ?, ?)
  ON CONFLICT (door, id) DO UPDATE SET slot = excluded.slot, sequence = excluded.sequence
  WHERE slot IS NULL OR (excluded.slot, excluded.sequence) > (slot, sequence)
  """

/// Stays at the most that fits, which no limit exceeds.
private let spendingQuery = """
  INSERT INTO credential (door, id, uses) VALUES (?, ?, 1)
  ON CONFLICT (door, id) DO UPDATE SET uses = min(uses + 1, 4294967295)
  """

private let switchingQuery = """
  INSERT INTO door (number, locked_down, hold, hold_until, pulse_until) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (number) DO UPDATE SET locked_down = excluded.locked_down, hold = excluded.hold,
  hold_until = excluded.hold_until, pulse_until = excluded.pulse_until
  """
