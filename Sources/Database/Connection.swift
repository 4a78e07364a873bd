internal import CSQLite
internal import Glibc

/// A connection to one SQLite database, for one thread at a time.
///
/// It isn't Sendable: whoever owns it (an actor, a thread, a lock) decides who calls. Statements keep it open.
@safe public final class Connection {
  /// What the caller wants to do with the file.
  public enum Access: Hashable, Sendable {
    /// Only read; a missing file is an error.
    case readOnly
    /// Read and write; a missing file is an error.
    case readWrite
    /// Read and write; a missing file is created with mode 0600.
    case create
  }

  /// How a transaction is made durable (sqlite.org/pragma.html#pragma_journal_mode).
  public enum Journal: String, Sendable {
    /// Write-ahead log: one fdatasync a transaction, readers beside the writer, files `-wal` and `-shm` beside it.
    case writeAheadLog = "wal"
    /// Rollback journal: several fsyncs a transaction, and one file when nobody writes.
    case rollback = "delete"
  }

  /// The database file as the caller named it.
  public let path: String
  let handle: OpaquePointer

  /// Opens a database; every transaction on it is durable when it returns (`synchronous=FULL`).
  ///
  /// - Parameters:
  ///   - journal: nil leaves what the file has.
  ///   - busyTimeout: how long one call waits for another process that holds the database; to the millisecond.
  /// - Throws: kinds `cannotOpen`, `permission`, `readOnly`, `notADatabase`, `corrupt`, `busy`, `noSpace`.
  public init(
    path: String, access: Access = .create, journal: Journal? = nil, busyTimeout: Duration = .seconds(5)
  ) throws(DatabaseError) {
    self.path = path
    unsafe handle = try openHandle(path, access)
    // From here on `deinit` closes: all stored properties are set.
    try check(unsafe sqlite3_busy_timeout(handle, milliseconds(busyTimeout)))
    try harden()
    if let journal, access != .readOnly { try set(journal) }
  }

  deinit {
    // Never fails: it is put off while statements are left, and they retain the connection.
    _ = unsafe sqlite3_close_v2(handle)
  }

  /// Runs one or several statements that take no values and whose rows don't matter.
  public func execute(_ sql: String) throws(DatabaseError) {
    let result = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw error(result, sql) }
  }

  /// Compiles exactly one statement, for use many times.
  public func prepare(_ sql: String) throws(DatabaseError) -> Statement { try Statement(self, sql) }

  /// Compiles and runs one statement with values for its parameters, once.
  ///
  /// - Returns: how many rows it inserted, updated or deleted.
  @discardableResult
  public func run(_ sql: String, _ values: any SQLConvertible...) throws(DatabaseError) -> Int {
    try Statement(self, sql).run(values)
  }

  /// The integer that a query's first row starts with; nil without a row or where it is NULL.
  public func integer(_ sql: String, _ values: any SQLConvertible...) throws(DatabaseError) -> Int64? {
    try Statement(self, sql).first(values) { (row) throws(DatabaseError) in try row.optionalInteger(0) } ?? nil
  }

  /// Looks at the structure of the whole file, as far as it can be told without reading every index twice
  /// (sqlite.org/pragma.html#pragma_quick_check): a file that was cut off is found here, and not by half of its rows.
  ///
  /// - Throws: kind `corrupt`.
  public func requireSound() throws(DatabaseError) {
    var status = stat()
    if let pageSize = try integer("PRAGMA page_size"), pageSize > 0, unsafe stat(path, &status) == 0,
      Int64(status.st_size) % pageSize != 0
    {
      throw error(.corrupt, "damaged: cut off within a page of \(pageSize) bytes")
    }
    let found = try prepare("PRAGMA quick_check(1)").first { (row) throws(DatabaseError) in try row.text(0) }
    guard found == "ok" else { throw error(.corrupt, "damaged: \(found ?? "nothing can be read")") }
  }

  /// The row id of the last successful insert on this connection.
  public var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

  /// Whether a transaction is open.
  public var inTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// An error of the caller's own about this database, for example a stored value that breaks a rule.
  public func error(_ kind: DatabaseError.Kind, _ message: String, sql: String? = nil) -> DatabaseError {
    DatabaseError(kind: kind, path: path, message: message, sql: sql)
  }

  /// The error for a result code, made at once after the call that failed.
  func error(_ code: Int32, _ sql: String? = nil) -> DatabaseError {
    unsafe DatabaseError(code: code, handle: handle, path: path, sql: sql)
  }

  private func check(_ code: Int32) throws(DatabaseError) {
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Settings that every connection has: nothing in a file may run code or weaken durability.
  private func harden() throws(DatabaseError) {
    let options: [(Int32, Int32)] = [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_DQS_DML, 0),
      (SQLITE_DBCONFIG_DQS_DDL, 0), (SQLITE_DBCONFIG_ENABLE_FKEY, 1),
    ]
    for (option, on) in options { try check(unsafe csqlite_configure(handle, option, on)) }
    try execute("PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY")
    // Reads the file's header, so that a file that is no database is refused here.
    _ = try integer("PRAGMA schema_version")
  }

  private func set(_ journal: Journal) throws(DatabaseError) {
    let mode = try prepare("PRAGMA journal_mode=\(journal.rawValue)").first { (row) throws(DatabaseError) in
      try row.text(0)
    }
    guard mode == journal.rawValue else {
      throw error(.cannotOpen, "can't be opened: the file system allows no journal of kind \(journal.rawValue)")
    }
  }
}

/// Opens a handle that the caller owns; closes what SQLite leaves open when it fails.
private func openHandle(_ path: String, _ access: Connection.Access) throws(DatabaseError) -> OpaquePointer {
  guard !path.utf8.contains(0), !path.isEmpty else {
    throw DatabaseError(kind: .cannotOpen, path: path, message: "can't be opened: not a file name")
  }
  var status = stat()
  if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
    throw DatabaseError(kind: .notADatabase, path: path, message: "not a regular file")
  }
  // SQLite takes "file:…" and ":memory:" for more than a file name, unless a path starts with "/" or "./".
  let name = path.hasPrefix("/") ? path : "./" + path
  if access == .create {
    // SQLite itself would create it readable for everyone; its journals inherit the mode. O_EXCL: a descriptor of
    // an existing database must not be closed here, since that drops the process's locks on it (fcntl(2)).
    let descriptor = unsafe csqlite_create_file(name)
    if descriptor >= 0 { close(descriptor) }
  }
  let flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
  var opened: OpaquePointer?
  let result = unsafe sqlite3_open_v2(
    name, &opened, flags | (access == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE), nil)
  guard result == SQLITE_OK, let handle = unsafe opened else {
    let error = unsafe DatabaseError(code: result, handle: opened, path: path, sql: nil)
    _ = unsafe sqlite3_close_v2(opened)
    throw error
  }
  return unsafe handle
}

/// Whole milliseconds, from 0 to the most that SQLite takes.
private func milliseconds(_ duration: Duration) -> Int32 {
  let (seconds, attoseconds) = duration.components
  let whole = min(max(seconds, 0), Int64(Int32.max) / 1_000 - 1)
  return Int32(max(0, whole * 1_000 + attoseconds / 1_000_000_000_000_000))
}
