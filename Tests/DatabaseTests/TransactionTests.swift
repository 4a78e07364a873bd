import TestSupport
import Testing

@testable import Database

@Suite("Transactions")
struct TransactionTests {
  struct Refused: Error, Equatable {
    let why: String

    init(why: String) { self.why = why }
    init(_ error: DatabaseError) { why = error.message }
  }

  let directory: TemporaryDirectory
  let connection: Connection

  init() throws {
    directory = try TemporaryDirectory()
    connection = try Connection(path: directory("a.db"), journal: .writeAheadLog)
    try connection.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER) STRICT")
  }

  var count: Int64? { get throws { try connection.integer("SELECT count(*) FROM t") } }

  @Test func keepsWhatReturns() throws {
    let answer = try connection.transaction { () throws(DatabaseError) in
      try connection.run("INSERT INTO t (v) VALUES (1)")
      return "done"
    }
    #expect(answer == "done")
    #expect(try count == 1)
    #expect(!connection.inTransaction)
  }

  @Test func undoesWhatThrows() throws {
    let error = #expect(throws: Refused.self) {
      try connection.transaction(failure: Refused.init) { () throws(Refused) in
        do { try connection.run("INSERT INTO t (v) VALUES (1)") } catch { throw Refused(why: "insert") }
        throw Refused(why: "second thoughts")
      }
    }
    #expect(error == Refused(why: "second thoughts"))
    #expect(try count == 0)
    #expect(!connection.inTransaction)
  }

  @Test func undoesWhatADatabaseErrorEnds() throws {
    #expect(throws: DatabaseError.self) {
      try connection.transaction { () throws(DatabaseError) in
        try connection.run("INSERT INTO t (k, v) VALUES (1, 1)")
        try connection.run("INSERT INTO t (k, v) VALUES (1, 2)")
      }
    }
    #expect(try count == 0)
  }

  @Test func doesNotNest() throws {
    let error = #expect(throws: DatabaseError.self) {
      try connection.transaction { () throws(DatabaseError) in
        try connection.run("INSERT INTO t (v) VALUES (1)")
        try connection.transaction { () throws(DatabaseError) in }
      }
    }
    #expect(error?.kind == .misuse)
    #expect(try count == 0)
  }

  @Test func isBusyWhileAnotherWrites() throws {
    let other = try Connection(path: directory("a.db"), busyTimeout: .zero)
    try connection.transaction { () throws(DatabaseError) in
      try connection.run("INSERT INTO t (v) VALUES (1)")
      let error = #expect(throws: DatabaseError.self) { try other.run("INSERT INTO t (v) VALUES (2)") }
      #expect(error?.kind == .busy)
      #expect(error?.message == "another process holds this database; try later")
      // A reader sees the state before, and isn't kept waiting.
      #expect(try other.integer("SELECT count(*) FROM t") == 0)
    }
    try other.run("INSERT INTO t (v) VALUES (2)")
    #expect(try count == 2)
  }

  @Test func seesOneStateWhileReading() throws {
    let other = try Connection(path: directory("a.db"), busyTimeout: .zero)
    try other.transaction(.reading) { () throws(DatabaseError) in
      _ = try other.integer("SELECT count(*) FROM t")
      try connection.run("INSERT INTO t (v) VALUES (1)")
      #expect(try other.integer("SELECT count(*) FROM t") == 0)
    }
    #expect(try other.integer("SELECT count(*) FROM t") == 1)
  }

  @Test func saysWhenThereIsNoSpace() throws {
    try connection.execute("PRAGMA max_page_count=4")
    let big = [UInt8](repeating: 1, count: 20_000)
    let error = #expect(throws: DatabaseError.self) {
      try connection.transaction { () throws(DatabaseError) in
        try connection.run("INSERT INTO t (v) VALUES (1)")
        try connection.execute("CREATE TABLE b (v BLOB) STRICT")
        try connection.run("INSERT INTO b (v) VALUES (?)", big)
      }
    }
    #expect(error?.kind == .noSpace)
    #expect(error?.message == "no space left to write")
    #expect(!connection.inTransaction)
    // What fits still goes.
    try connection.run("INSERT INTO t (v) VALUES (1)")
    #expect(try count == 1)
  }
}
