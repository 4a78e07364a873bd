/// One named step from one form of the tables to the next; published steps never change.
public struct Migration: Sendable {
  /// Unique within the schema, for example `0001-doors`.
  public let name: String
  let step: @Sendable (Connection) throws(DatabaseError) -> Void

  /// A step that is SQL alone.
  public init(_ name: String, sql: String) {
    self.name = name
    step = { (connection) throws(DatabaseError) in try connection.execute(sql) }
  }

  /// A step that computes.
  public init(_ name: String, step: @escaping @Sendable (Connection) throws(DatabaseError) -> Void) {
    self.name = name
    self.step = step
  }
}

/// The form of a database: what kind of file it is, and the steps that lead to its present tables.
public struct Schema: Sendable {
  /// Marks the file as of this kind (sqlite.org/pragma.html#pragma_application_id); not 0.
  public let applicationID: Int32
  /// What a file of this kind is called in errors, for example "site database".
  public let name: String
  /// The steps, oldest first.
  public let migrations: [Migration]

  public init(applicationID: Int32, name: String, migrations: [Migration]) {
    self.applicationID = applicationID
    self.name = name
    self.migrations = migrations
  }
}

extension Connection {
  /// Brings the file to the newest form of `schema` in one transaction; an empty file becomes one of this kind.
  ///
  /// - Returns: whether anything had to be done.
  /// - Throws: `newerVersion` where the file holds a step that isn't known here, `otherSchema` where it is of another
  ///   kind; nothing is changed then.
  @discardableResult
  public func migrate(to schema: Schema) throws(DatabaseError) -> Bool {
    if try pending(of: schema).isEmpty { return false }
    return try transaction { () throws(DatabaseError) in
      // Once more under the write lock: another process may have been first.
      let steps = try pending(of: schema)
      if steps.isEmpty { return false }
      try execute("PRAGMA application_id=\(schema.applicationID)")
      try execute("CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT")
      for step in steps {
        try step.step(self)
        try run("INSERT INTO migration (name) VALUES (?)", step.name)
      }
      return true
    }
  }

  /// Checks that the file is in the newest form of `schema`, without changing it: for read-only connections.
  public func requireCurrent(_ schema: Schema) throws(DatabaseError) {
    guard let first = try pending(of: schema).first else { return }
    throw error(.otherSchema, "an older \(schema.name): the step \(first.name) is still to be made by a writer")
  }

  /// The steps that the file hasn't seen yet.
  private func pending(of schema: Schema) throws(DatabaseError) -> ArraySlice<Migration> {
    let id = try integer("PRAGMA application_id") ?? 0
    if id == 0, try integer("SELECT count(*) FROM sqlite_schema") == 0 { return schema.migrations[...] }
    guard id == Int64(schema.applicationID) else { throw error(.otherSchema, "not a \(schema.name)") }
    let done = try prepare("SELECT name FROM migration ORDER BY number").map { (row) throws(DatabaseError) in
      try row.text(0)
    }
    for (name, known) in zip(done, schema.migrations) where name != known.name {
      throw error(.otherSchema, "not a \(schema.name): expected the step \(known.name), found \(name)")
    }
    guard done.count <= schema.migrations.count else {
      let name = done[schema.migrations.count]
      throw error(
        .newerVersion(name: name), "\(schema.name) of a newer version: this program doesn't know the step \(name)")
    }
    return schema.migrations[done.count...]
  }
}
