import TestSupport
import Testing

@testable import Database

@Suite("Migrations")
struct MigrationTests {
  static let first = Migration("0001-people", sql: "CREATE TABLE person (name TEXT NOT NULL) STRICT")
  static let second = Migration("0002-age", sql: "ALTER TABLE person ADD COLUMN age INTEGER")
  static let broken = Migration("0003-broken") { (connection) throws(DatabaseError) in
    try connection.execute("ALTER TABLE person ADD COLUMN height INTEGER")
    throw connection.error(.constraint, "no")
  }

  static func schema(_ migrations: Migration..., id: Int32 = 7) -> Schema {
    Schema(applicationID: id, name: "people database", migrations: migrations)
  }

  let directory: TemporaryDirectory
  let connection: Connection

  init() throws {
    directory = try TemporaryDirectory()
    connection = try Connection(path: directory("a.db"))
  }

  @Test func makesEachStepOnce() throws {
    #expect(try connection.migrate(to: Self.schema(Self.first)))
    try connection.run("INSERT INTO person (name) VALUES ('Ada')")
    #expect(try !connection.migrate(to: Self.schema(Self.first)))
    #expect(try connection.migrate(to: Self.schema(Self.first, Self.second)))
    #expect(try connection.integer("SELECT count(*) FROM person WHERE age IS NULL") == 1)
    #expect(try connection.integer("SELECT count(*) FROM migration") == 2)
    try connection.requireCurrent(Self.schema(Self.first, Self.second))
  }

  @Test func refusesANewerFile() throws {
    try connection.migrate(to: Self.schema(Self.first, Self.second))
    let error = #expect(throws: DatabaseError.self) { try connection.migrate(to: Self.schema(Self.first)) }
    #expect(error?.kind == .newerVersion(name: "0002-age"))
    #expect(error?.message == "people database of a newer version: this program doesn't know the step 0002-age")
  }

  @Test func refusesAnotherKindOfFile() throws {
    try connection.migrate(to: Self.schema(Self.first))
    for schema in [Self.schema(Self.first, id: 8), Self.schema(Self.second)] {
      let error = #expect(throws: DatabaseError.self) { try connection.migrate(to: schema) }
      #expect(error?.kind == .otherSchema)
    }
    let foreign = try Connection(path: directory("b.db"))
    try foreign.execute("CREATE TABLE x (y)")
    let error = #expect(throws: DatabaseError.self) { try foreign.migrate(to: Self.schema(Self.first)) }
    #expect(error?.description == "\(directory("b.db")): not a people database")
  }

  @Test func leavesTheFileAsItWasWhenAStepFails() throws {
    try connection.migrate(to: Self.schema(Self.first))
    #expect(throws: DatabaseError.self) {
      try connection.migrate(to: Self.schema(Self.first, Self.second, Self.broken))
    }
    try connection.requireCurrent(Self.schema(Self.first))
    #expect(throws: DatabaseError.self) { try connection.prepare("SELECT age FROM person") }
  }

  @Test func aReaderNeverMigrates() throws {
    try connection.migrate(to: Self.schema(Self.first))
    let reader = try Connection(path: directory("a.db"), access: .readOnly)
    let error = #expect(throws: DatabaseError.self) {
      try reader.requireCurrent(Self.schema(Self.first, Self.second))
    }
    #expect(error?.kind == .otherSchema)
    #expect(throws: DatabaseError.self) { try reader.migrate(to: Self.schema(Self.first, Self.second)) }
  }
}
