internal import CSQLite

/// A compiled SQL statement of one connection, run as often as wanted.
///
/// It is reset after each run, so it never holds a read transaction open between calls.
@safe public final class Statement {
  /// The SQL as the caller wrote it.
  public let sql: String
  let connection: Connection
  let handle: OpaquePointer
  private var isRunning = false

  /// Compiles `sql`, which holds exactly one statement.
  init(_ connection: Connection, _ sql: String) throws(DatabaseError) {
    let (result, compiled, rest) = unsafe compile(sql, connection.handle)
    guard result == SQLITE_OK else { throw connection.error(result, sql) }
    guard let handle = unsafe compiled else { throw connection.error(.misuse, "no SQL statement", sql: sql) }
    guard sql.utf8.suffix(rest).allSatisfy({ $0 == 0x20 || $0 == 0x0A || $0 == 0x3B }) else {
      _ = unsafe sqlite3_finalize(handle)
      throw connection.error(.misuse, "more than one SQL statement", sql: sql)
    }
    self.sql = sql
    self.connection = connection
    unsafe self.handle = handle
  }

  deinit {
    // Repeats the error of the last step, which that step's caller had.
    _ = unsafe sqlite3_finalize(handle)
  }

  /// Runs it with values for all its parameters, `?` in order, ignoring rows.
  ///
  /// - Returns: how many rows it inserted, updated or deleted.
  @discardableResult
  public func run(_ values: any SQLConvertible...) throws(DatabaseError) -> Int { try run(values) }

  // Below, each row has a name: the optimiser of Swift 6.3.1 crashes where a noncopyable temporary is lent to a closure
  // with typed throws ("forwardToInit", in the generic specialiser).

  /// Runs it and calls `body` for each row.
  public func forEachRow(
    _ values: any SQLConvertible..., body: (borrowing Row) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    try start(values)
    defer { finish() }
    while try step() {
      let row = Row(self)
      try body(row)
    }
  }

  /// Runs it and makes an element of each row.
  public func map<Element>(
    _ values: any SQLConvertible..., element: (borrowing Row) throws(DatabaseError) -> Element
  ) throws(DatabaseError) -> [Element] {
    try start(values)
    defer { finish() }
    var elements: [Element] = []
    while try step() {
      let row = Row(self)
      elements.append(try element(row))
    }
    return elements
  }

  /// Runs it as far as its first row; nil where there is none.
  public func first<Element>(
    _ values: any SQLConvertible..., element: (borrowing Row) throws(DatabaseError) -> Element
  ) throws(DatabaseError) -> Element? {
    try first(values, element: element)
  }

  func run(_ values: [any SQLConvertible]) throws(DatabaseError) -> Int {
    try start(values)
    defer { finish() }
    while try step() {}
    return Int(unsafe sqlite3_changes64(connection.handle))
  }

  func first<Element>(
    _ values: [any SQLConvertible], element: (borrowing Row) throws(DatabaseError) -> Element
  ) throws(DatabaseError) -> Element? {
    try start(values)
    defer { finish() }
    guard try step() else { return nil }
    let row = Row(self)
    return try element(row)
  }

  private func start(_ values: [any SQLConvertible]) throws(DatabaseError) {
    guard !isRunning else { throw connection.error(.misuse, "statement used while it runs", sql: sql) }
    let count = Int(unsafe sqlite3_bind_parameter_count(handle))
    guard values.count == count else {
      throw connection.error(.misuse, "\(count) parameters but \(values.count) values", sql: sql)
    }
    isRunning = true
    for (index, value) in values.enumerated() {
      let result = bind(value.sqlValue, at: Int32(index + 1))
      guard result == SQLITE_OK else {
        let error = connection.error(result, sql)
        finish()
        throw error
      }
    }
  }

  private func step() throws(DatabaseError) -> Bool {
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw connection.error(code, sql)
    }
  }

  private func finish() {
    // Both repeat or can't have errors: the step's own was thrown already.
    _ = unsafe sqlite3_reset(handle)
    _ = unsafe sqlite3_clear_bindings(handle)
    isRunning = false
  }

  /// Hands one value to SQLite, which copies it.
  private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
    switch value {
    case .null: return unsafe sqlite3_bind_null(handle, index)
    case .integer(let number): return unsafe sqlite3_bind_int64(handle, index, number)
    case .real(let number): return unsafe sqlite3_bind_double(handle, index, number)
    case .text(let text):
      // The C string's pointer is never nil, as that of an empty buffer would be: nil would bind a NULL.
      let count = UInt64(text.utf8.count)
      return unsafe text.withCString { unsafe csqlite_bind_text(handle, index, $0, count) }
    case .blob(let bytes):
      if bytes.isEmpty { return unsafe sqlite3_bind_zeroblob(handle, index, 0) }
      return unsafe bytes.withUnsafeBytes { buffer in
        unsafe csqlite_bind_blob(handle, index, buffer.baseAddress, UInt64(buffer.count))
      }
    }
  }
}

/// Compiles the first statement of `sql`; also answers how many bytes stand behind it.
private func compile(_ sql: String, _ connection: OpaquePointer) -> (Int32, OpaquePointer?, Int) {
  let count = sql.utf8.count
  return unsafe sql.withCString { start in
    var compiled: OpaquePointer?
    var tail: UnsafePointer<CChar>?
    let result = unsafe sqlite3_prepare_v3(
      connection, start, Int32(clamping: count), UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, &tail)
    let rest = unsafe tail.map { unsafe count - ($0 - start) } ?? 0
    return unsafe (result, compiled, rest)
  }
}
