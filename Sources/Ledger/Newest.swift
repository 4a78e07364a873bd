internal import Database
public import POSIX

extension Ledger {
  /// Refuses, from now on and at every door named, time frames of slots up to the floor, whoever sends them.
  ///
  /// For the moment when the clock becomes trusted, with (slot then + skewSlots): what may have been forgotten lies
  /// below. The floor is durable, so the state counts as the newest from here on, also after a restart in the same boot.
  /// A lower floor than recorded changes nothing. Name all doors: one that isn't named gets no floor.
  /// - Parameter floors: door numbers and slots, whose first bit is 0.
  public func raiseFloors(_ floors: [UInt16: UInt64], at time: WallTime) throws(LedgerError) {
    try change(recorded: time) { (store) throws(DatabaseError) in
      for (door, slot) in floors.sorted(by: { $0.key < $1.key }) {
        try store.connection.run(raising, door, Int64(clamping: slot))
      }
    }
    store.withLock(waking: false) { store in
      store.isNewest = true
      store.startVolatile()
    }
  }

  /// Says that from here on marks may be missing, because the clock isn't trusted: the next start counts as one whose
  /// state isn't the newest, until `raiseFloors`.
  public func forgetNewest() {
    store.withLock(waking: false) { store in
      store.isNewest = false
      store.volatile = nil
      store.startVolatile()
    }
  }

  /// Takes back what a clock that was ahead has left in the future, so that it doesn't lock holders out for good.
  ///
  /// Marks and floors above a door's ceiling come down to it, so that slots up to the ceiling are refused and later ones
  /// count again; the last record's time becomes that of the event.
  /// - Parameters:
  ///   - ceilings: door numbers and the highest slot that can have been accepted honestly.
  ///   - event: what the log says of it; its time is that of the corrected, trusted clock.
  /// - Returns: the event's id.
  @discardableResult
  public func takeBackFuture(_ ceilings: [UInt16: UInt64], _ event: LedgerEvent) throws(LedgerError) -> Int64 {
    try change(recorded: event.time) { (store) throws(DatabaseError) in
      for (door, slot) in ceilings.sorted(by: { $0.key < $1.key }) {
        let ceiling = Int64(clamping: slot)
        try store.connection.run(
          "UPDATE credential SET slot = ?1, sequence = 255 WHERE door = ?2 AND slot > ?1", ceiling, door)
        try store.connection.run("UPDATE door SET floor = ?1 WHERE number = ?2 AND floor > ?1", ceiling, door)
      }
      try store.connection.run("UPDATE ledger SET recorded = ?", event.time.milliseconds)
      return try store.write(LedgerEntry(event))
    }
  }

  /// The slot up to which a door refuses time frames; nil where none was set.
  public func floor(ofDoor door: UInt16) throws(LedgerError) -> UInt64? {
    try read { (store) throws(DatabaseError) in
      try store.connection.integer("SELECT floor FROM door WHERE number = ?", door).map { UInt64(clamping: $0) }
    }
  }

  /// When a trusted clock last recorded; nil where none ever did.
  ///
  /// A clock behind it isn't to be trusted.
  public func lastRecordTime() throws(LedgerError) -> WallTime? {
    try read { (store) throws(DatabaseError) in
      try store.connection.integer("SELECT recorded FROM ledger").map { WallTime(milliseconds: $0) }
    }
  }
}

extension LedgerStore {
  /// Keeps the number in volatile storage from now on, where this is the newest state; otherwise takes the line away.
  ///
  /// A state that isn't the newest must not become so by a second start: the line stays away until the floors are up.
  func startVolatile() {
    guard let volatilePath else { return }
    if isNewest {
      volatile = try? VolatileNumber(path: volatilePath, committed: number)
      if volatile != nil { return }
    }
    try? removeFile(volatilePath)
  }

  /// Whether a number should be in volatile storage, but isn't.
  var volatileIsLost: Bool { isNewest && volatilePath != nil && volatile?.isLost ?? true }
}

private let raising = """
  INSERT INTO door (number, floor) VALUES (?, ?)
  ON CONFLICT (number) DO UPDATE SET floor = excluded.floor WHERE floor IS NULL OR excluded.floor > floor
  """
