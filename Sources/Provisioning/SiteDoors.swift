public import AccessControl
public import AirProtocol
internal import Database

/// A door as the key keeper knows it.
public struct SiteDoor: Hashable, Sendable {
  public let id: Identifier
  public let name: DisplayName
  /// Its number on the air, never another door's.
  public let number: DoorNumber
  /// The serial of its last bundle; 0: none was made.
  public let serial: Int64
  /// How many credentials are for it, those that are disabled or revoked too.
  public let credentials: Int
}

extension Site {
  /// All doors, sorted by id.
  public func doors() throws(SiteError) -> [SiteDoor] {
    try database { () throws(DatabaseError) in
      try connection.prepare(doorQuery + " ORDER BY door.id").map { (row) throws(DatabaseError) in try SiteDoor(row) }
    }
  }

  /// The door of that id.
  public func door(_ id: Identifier) throws(SiteError) -> SiteDoor {
    guard let door = try findDoor(id) else { throw .unknownDoor(id) }
    return door
  }

  /// Adds a door.
  ///
  /// - Parameter number: nil for the next one that was never given; a number that was is refused.
  public func addDoor(
    _ id: Identifier, name: DisplayName, number: DoorNumber? = nil, now: Int64
  ) throws(SiteError) -> SiteDoor {
    try writing { () throws(SiteError) in
      guard try findDoor(id) == nil else { throw .doorExists(id) }
      let holder = try database { () throws(DatabaseError) in
        try connection.prepare("SELECT id FROM door WHERE name = ?").first(name.text) { (row) throws(DatabaseError) in
          try row.identifier(0)
        }
      }
      if let holder { throw .doorNameTaken(name, by: holder) }
      let number = try give(number, to: id, now: now)
      try database { () throws(DatabaseError) in
        try connection.run("INSERT INTO door (id, number, name) VALUES (?, ?, ?)", id.text, number.rawValue, name.text)
      }
      return try door(id)
    }
  }

  /// Removes a door; its number stays given, its credentials lose it.
  ///
  /// - Returns: the door as it was, and the credentials that were for it, sorted.
  public func removeDoor(_ id: Identifier) throws(SiteError) -> (door: SiteDoor, credentials: [Identifier]) {
    try writing { () throws(SiteError) in
      let door = try door(id)
      return try database { () throws(DatabaseError) in
        let query = """
          SELECT credential.id FROM access JOIN credential ON credential.row = access.credential
          WHERE access.door = ? ORDER BY credential.id
          """
        let credentials = try connection.prepare(query).map(id.text) { (row) throws(DatabaseError) in
          try row.identifier(0)
        }
        try connection.run("DELETE FROM door WHERE id = ?", id.text)
        return (door, credentials)
      }
    }
  }

  /// Gives a door a new number, for a new controller in the place of one that was stolen or broke.
  ///
  /// Its credentials stay; the keys of the old number open nothing once the new bundle is in use.
  /// - Returns: the door as it was and as it is.
  public func replaceDoor(_ id: Identifier, now: Int64) throws(SiteError) -> (old: SiteDoor, new: SiteDoor) {
    try writing { () throws(SiteError) in
      let old = try door(id)
      let number = try give(nil, to: id, now: now)
      try database { () throws(DatabaseError) in
        try connection.run("UPDATE door SET number = ? WHERE id = ?", number.rawValue, id.text)
      }
      return (old, try door(id))
    }
  }

  /// Runs `body` in one transaction that has the write lock from its start.
  func writing<Result>(_ body: () throws(SiteError) -> Result) throws(SiteError) -> Result {
    try connection.transaction(.writing, failure: SiteError.database, body)
  }

  private func findDoor(_ id: Identifier) throws(SiteError) -> SiteDoor? {
    try database { () throws(DatabaseError) in
      try connection.prepare(doorQuery + " WHERE door.id = ?").first(id.text) { (row) throws(DatabaseError) in
        try SiteDoor(row)
      }
    }
  }

  /// Marks a number as given for good.
  private func give(_ wanted: DoorNumber?, to id: Identifier, now: Int64) throws(SiteError) -> DoorNumber {
    let number = if let wanted { wanted } else { try nextNumber() }
    let owner = try database { () throws(DatabaseError) in
      try connection.prepare("SELECT door FROM number WHERE number = ?").first(number.rawValue) {
        (row) throws(DatabaseError) in try row.identifier(0)
      }
    }
    if let owner { throw .numberTaken(number, by: owner) }
    try database { () throws(DatabaseError) in
      try connection.run("INSERT INTO number (number, door, given) VALUES (?, ?, ?)", number.rawValue, id.text, now)
    }
    return number
  }

  /// The one after the highest that was given; at the end of the range the lowest that wasn't.
  private func nextNumber() throws(SiteError) -> DoorNumber {
    let next = try database { () throws(DatabaseError) in
      if let highest = try connection.integer("SELECT max(number) FROM number"), highest >= 65535 {
        return try connection.integer(
          """
          SELECT candidate FROM (SELECT 1 AS candidate UNION ALL SELECT number + 1 FROM number)
          WHERE candidate <= 65535 AND candidate NOT IN (SELECT number FROM number) ORDER BY candidate LIMIT 1
          """)
      }
      return try connection.integer("SELECT coalesce(max(number), 0) + 1 FROM number")
    }
    guard let next, let number = DoorNumber(rawValue: UInt16(clamping: next)) else { throw .noNumberLeft }
    return number
  }
}

private let doorQuery = """
  SELECT door.id, door.name, door.number, number.serial, (SELECT count(*) FROM access WHERE access.door = door.id)
  FROM door JOIN number ON number.number = door.number
  """

extension SiteDoor {
  fileprivate init(_ row: borrowing Row) throws(DatabaseError) {
    id = try row.identifier(0)
    name = try row.displayName(1)
    number = try row.doorNumber(2)
    serial = try row.integer(3)
    credentials = try row.integer(4, as: Int.self)
  }
}
