internal import CSQLite

/// The row that a statement stands on; valid inside the closure that it is given to.
///
/// Columns count from 0. SQLite's own silent conversions don't happen: a value of another type is an error that names
/// the column.
public struct Row: ~Copyable {
  private let statement: Statement

  init(_ statement: Statement) { self.statement = statement }

  /// How many columns the row has.
  public var count: Int { Int(unsafe sqlite3_column_count(statement.handle)) }

  /// Whether the column holds NULL.
  public func isNull(_ column: Int) -> Bool { type(column) == SQLITE_NULL }

  /// The integer in a column.
  public func integer(_ column: Int) throws(DatabaseError) -> Int64 {
    guard type(column) == SQLITE_INTEGER else { throw unexpected(column, expected: "an integer") }
    return unsafe sqlite3_column_int64(statement.handle, Int32(column))
  }

  /// The integer in a column that fits the type, for example `row.integer(2, as: UInt8.self)`.
  public func integer<Number: FixedWidthInteger>(
    _ column: Int, as type: Number.Type
  ) throws(DatabaseError) -> Number {
    guard let number = Number(exactly: try integer(column)) else {
      throw unexpected(column, expected: "an integer from \(Number.min) to \(Number.max)")
    }
    return number
  }

  /// The integer in a column, or nil where it holds NULL.
  public func optionalInteger(_ column: Int) throws(DatabaseError) -> Int64? {
    isNull(column) ? nil : try integer(column)
  }

  /// The integer in a column that fits the type, or nil where it holds NULL.
  public func optionalInteger<Number: FixedWidthInteger>(
    _ column: Int, as type: Number.Type
  ) throws(DatabaseError) -> Number? {
    isNull(column) ? nil : try integer(column, as: type)
  }

  /// Whether the column holds 1; any other value than 0 and 1 is an error.
  public func flag(_ column: Int) throws(DatabaseError) -> Bool {
    switch try integer(column) {
    case 0: return false
    case 1: return true
    default: throw unexpected(column, expected: "0 or 1")
    }
  }

  /// The number in a column.
  public func real(_ column: Int) throws(DatabaseError) -> Double {
    guard type(column) == SQLITE_FLOAT else { throw unexpected(column, expected: "a number with a fraction") }
    return unsafe sqlite3_column_double(statement.handle, Int32(column))
  }

  /// The text in a column, which must be well-formed UTF-8.
  public func text(_ column: Int) throws(DatabaseError) -> String {
    guard type(column) == SQLITE_TEXT else { throw unexpected(column, expected: "text") }
    guard let text = unsafe withBytes(column, { unsafe String(validating: $0, as: UTF8.self) }) else {
      throw unexpected(column, expected: "text in UTF-8")
    }
    return text
  }

  /// The text in a column, or nil where it holds NULL.
  public func optionalText(_ column: Int) throws(DatabaseError) -> String? {
    isNull(column) ? nil : try text(column)
  }

  /// A copy of the bytes in a column.
  public func blob(_ column: Int) throws(DatabaseError) -> [UInt8] {
    guard type(column) == SQLITE_BLOB else { throw unexpected(column, expected: "bytes") }
    return unsafe withBytes(column) { unsafe Array($0) }
  }

  /// A copy of the bytes in a column that must be `count` long.
  public func blob(_ column: Int, count: Int) throws(DatabaseError) -> [UInt8] {
    let bytes = try blob(column)
    guard bytes.count == count else { throw unexpected(column, expected: "\(count) bytes") }
    return bytes
  }

  /// A copy of the bytes in a column, or nil where it holds NULL.
  public func optionalBlob(_ column: Int) throws(DatabaseError) -> [UInt8]? {
    isNull(column) ? nil : try blob(column)
  }

  /// Calls `body` with the bytes in a column in place, for example to put a secret where it will be wiped.
  public func withBlob<Result>(_ column: Int, _ body: (Span<UInt8>) -> Result) throws(DatabaseError) -> Result {
    guard type(column) == SQLITE_BLOB else { throw unexpected(column, expected: "bytes") }
    return unsafe withBytes(column) { unsafe body($0.span) }
  }

  /// An error of kind `unexpectedValue` that names the column: for a value that has the type but not the form.
  public func unexpected(_ column: Int, expected: String) -> DatabaseError {
    let name = unsafe sqlite3_column_name(statement.handle, Int32(clamping: column)).map { unsafe String(cString: $0) }
    return statement.connection.error(
      .unexpectedValue, "column \(name ?? "\(column)"): expected \(expected), found \(found(column))",
      sql: statement.sql)
  }

  /// SQLite's type code; NULL for a column that doesn't exist, which SQLite leaves undefined.
  private func type(_ column: Int) -> Int32 {
    (0..<count).contains(column) ? unsafe sqlite3_column_type(statement.handle, Int32(column)) : SQLITE_NULL
  }

  /// What stands in a column, without its content, which may be a secret.
  private func found(_ column: Int) -> String {
    switch type(column) {
    case SQLITE_NULL: "nothing"
    case SQLITE_INTEGER: "an integer"
    case SQLITE_FLOAT: "a number with a fraction"
    case SQLITE_TEXT: "text of \(unsafe sqlite3_column_bytes(statement.handle, Int32(column))) bytes"
    default: "\(unsafe sqlite3_column_bytes(statement.handle, Int32(column))) bytes"
    }
  }

  /// The bytes of a text or blob; valid until the statement's next step.
  private func withBytes<Result>(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    // The pointer first, then the length (sqlite.org/c3ref/column_blob.html); text also from a UTF-16 database.
    let start =
      unsafe type(column) == SQLITE_TEXT
      ? UnsafeRawPointer(sqlite3_column_text(statement.handle, Int32(column)))
      : sqlite3_column_blob(statement.handle, Int32(column))
    let length = Int(unsafe sqlite3_column_bytes(statement.handle, Int32(column)))
    guard let start = unsafe start, length > 0 else {
      return unsafe body(UnsafeBufferPointer(start: nil, count: 0))
    }
    return unsafe body(UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: length))
  }
}
