import TestSupport
import Testing

@testable import Database

@Suite("Statements and rows")
struct StatementTests {
  let directory: TemporaryDirectory
  let connection: Connection

  init() throws {
    directory = try TemporaryDirectory()
    connection = try Connection(path: directory("a.db"), journal: .writeAheadLog)
    try connection.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v ANY) STRICT")
  }

  @Test(
    arguments: [
      .null, .integer(0), .integer(.min), .integer(.max), .real(0.5), .text(""), .text("Zoë"), .text("a\0b"), .blob([]),
      .blob([0, 255, 1]),
    ] as [SQLValue])
  func storesWhatItIsGiven(_ value: SQLValue) throws {
    try connection.run("INSERT INTO t (v) VALUES (?)", value)
    let found = try connection.prepare("SELECT v FROM t").first { (row) throws(DatabaseError) -> SQLValue in
      switch value {
      case .null: row.isNull(0) ? .null : .text("not null")
      case .integer: .integer(try row.integer(0))
      case .real: .real(try row.real(0))
      case .text: .text(try row.text(0))
      case .blob: .blob(try row.blob(0))
      }
    }
    #expect(found == value)
  }

  @Test func refusesAColumnOfAnotherTypeByName() throws {
    try connection.run("INSERT INTO t (v) VALUES (?)", [UInt8](repeating: 7, count: 3))
    let statement = try connection.prepare("SELECT v FROM t")
    let error = #expect(throws: DatabaseError.self) {
      _ = try statement.first { (row) throws(DatabaseError) in try row.text(0) }
    }
    #expect(error?.kind == .unexpectedValue)
    #expect(error?.message == "column v: expected text, found 3 bytes")
    // The statement is usable after an error in the closure.
    #expect(try statement.first { (row) throws(DatabaseError) in try row.blob(0, count: 3) } == [7, 7, 7])
  }

  @Test func refusesAnIntegerThatDoesNotFit() throws {
    try connection.run("INSERT INTO t (v) VALUES (?)", 256)
    let statement = try connection.prepare("SELECT v FROM t")
    let error = #expect(throws: DatabaseError.self) {
      _ = try statement.first { (row) throws(DatabaseError) in try row.integer(0, as: UInt8.self) }
    }
    #expect(error?.message == "column v: expected an integer from 0 to 255, found an integer")
  }

  @Test func refusesTextThatIsNotUTF8() throws {
    try connection.execute("INSERT INTO t (v) VALUES (CAST(x'ff41' AS TEXT))")
    let error = #expect(throws: DatabaseError.self) {
      _ = try connection.prepare("SELECT v FROM t").first { (row) throws(DatabaseError) in try row.text(0) }
    }
    #expect(error?.kind == .unexpectedValue)
  }

  @Test func refusesAColumnThatDoesNotExist() throws {
    try connection.run("INSERT INTO t (v) VALUES (1)")
    for column in [-1, 1, Int.max] {
      #expect(throws: DatabaseError.self) {
        _ = try connection.prepare("SELECT v FROM t").first { (row) throws(DatabaseError) in try row.integer(column) }
      }
    }
  }

  @Test func givesBytesInPlace() throws {
    try connection.run("INSERT INTO t (v) VALUES (?)", [1, 2, 3] as [UInt8])
    let sum = try connection.prepare("SELECT v FROM t").first { (row) throws(DatabaseError) in
      try row.withBlob(0) { bytes in
        var sum = 0
        for index in bytes.indices { sum += Int(bytes[index]) }
        return sum
      }
    }
    #expect(sum == 6)
  }

  @Test(arguments: [
    ("SELECT", "misuse"), ("", "no SQL statement"), ("SELECT 1; SELECT 2", "more than one SQL statement"),
    ("SELECT v FROM nowhere", "no such table: nowhere"), ("SELECT \"v\", \"x\" FROM t", "no such column: x"),
  ])
  func refusesBadSQL(_ sql: String, _ words: String) throws {
    let error = #expect(throws: DatabaseError.self) { _ = try connection.prepare(sql) }
    #expect(error?.kind == .misuse)
    #expect(error?.sql == sql)
    if words != "misuse" { #expect(error?.message == words) }
  }

  @Test func refusesTheWrongNumberOfValues() throws {
    let error = #expect(throws: DatabaseError.self) { try connection.run("INSERT INTO t (v) VALUES (?)", 1, 2) }
    #expect(error?.message == "1 parameters but 2 values")
  }

  @Test func refusesAStatementInsideItself() throws {
    for _ in 0..<2 { try connection.run("INSERT INTO t (v) VALUES (?)", 1) }
    let statement = try connection.prepare("SELECT v FROM t")
    let error = #expect(throws: DatabaseError.self) {
      try statement.forEachRow { (row) throws(DatabaseError) in
        try statement.forEachRow { (row) throws(DatabaseError) in _ = try row.integer(0) }
      }
    }
    #expect(error?.kind == .misuse)
    #expect(try statement.map { (row) throws(DatabaseError) in try row.integer(0) } == [1, 1])
  }

  @Test func namesABrokenRuleOfTheTables() throws {
    try connection.run("INSERT INTO t (k, v) VALUES (1, 1)")
    let error = #expect(throws: DatabaseError.self) { try connection.run("INSERT INTO t (k, v) VALUES (1, 2)") }
    #expect(error?.kind == .constraint)
    #expect(error?.message == "UNIQUE constraint failed: t.k")
  }

  @Test func countsChangesAndRows() throws {
    #expect(try connection.run("INSERT INTO t (v) VALUES (1), (2), (3)") == 3)
    #expect(connection.lastInsertedRow == 3)
    #expect(try connection.run("DELETE FROM t WHERE v > ?", 1) == 2)
    #expect(try connection.integer("SELECT count(*) FROM t") == 1)
    #expect(try connection.integer("SELECT v FROM t WHERE v > 5") == nil)
  }

  @Test func keepsTheConnectionOpenWhileAStatementLives() throws {
    var other: Connection? = try Connection(path: directory("b.db"))
    let statement = try other?.prepare("SELECT 42")
    other = nil
    #expect(try statement?.first { (row) throws(DatabaseError) in try row.integer(0) } == 42)
  }
}
