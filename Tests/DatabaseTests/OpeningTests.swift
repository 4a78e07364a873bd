import Glibc
import POSIX
import TestSupport
import Testing

@testable import Database

@Suite("Opening, and files that are wrong")
struct OpeningTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func error(_ path: String, _ access: Connection.Access = .create) -> DatabaseError? {
    #expect(throws: DatabaseError.self) {
      let connection = try Connection(path: path, access: access, journal: .writeAheadLog, busyTimeout: .zero)
      try connection.execute("CREATE TABLE IF NOT EXISTS t (v)")
    }
  }

  @Test(arguments: [Connection.Journal.writeAheadLog, .rollback])
  func createsAFileForItsOwnerOnly(_ journal: Connection.Journal) throws {
    let path = directory("a.db")
    let connection = try Connection(path: path, journal: journal)
    try connection.execute("CREATE TABLE t (v)")
    #expect(try fileStatus(path)?.permissions == 0o600)
    if journal == .writeAheadLog { #expect(try fileStatus(path + "-wal")?.permissions == 0o600) }
    #expect(try connection.integer("PRAGMA synchronous") == 2)
    #expect(try connection.integer("PRAGMA foreign_keys") == 1)
  }

  @Test func opensWhatIsThere() throws {
    let path = directory("a.db")
    do { try Connection(path: path).execute("CREATE TABLE t (v)") }
    #expect(try Connection(path: path, access: .readWrite).integer("SELECT count(*) FROM t") == 0)
    #expect(try Connection(path: path, access: .readOnly).integer("SELECT count(*) FROM t") == 0)
  }

  @Test func createsNothingUnlessAsked() {
    let path = directory("missing.db")
    for access in [Connection.Access.readOnly, .readWrite] {
      #expect(error(path, access)?.kind == .cannotOpen)
      #expect(!directory.has("missing.db"))
    }
  }

  @Test(arguments: ["", "a\0b"])
  func refusesWhatIsNoFileName(_ path: String) { #expect(error(path)?.kind == .cannotOpen) }

  @Test(arguments: [":memory:", "file:x?mode=memory"])
  func takesAnOddNameForAFile(_ name: String) throws {
    // Relative to this process's working directory, so that the path starts with what SQLite would interpret.
    let path = "\(name)\(UInt32.random(in: 0 ... .max))"
    defer { unsafe unlink(path) }
    try Connection(path: path).execute("CREATE TABLE t (v)")
    #expect(try fileStatus(path)?.size ?? 0 > 0)
  }

  @Test func saysThatADirectoryIsMissing() {
    let error = error("\(directory.path)/nowhere/a.db")
    #expect(error?.kind == .cannotOpen)
    #expect(error?.message.contains("No such file or directory") == true)
  }

  @Test func saysThatItIsADirectory() { #expect(error(directory.path)?.kind == .notADatabase) }

  @Test(arguments: [100, 4096])
  func refusesAFileThatIsNoDatabase(_ size: Int) throws {
    let path = try directory.write("a.db", bytes: [UInt8](repeating: 0x41, count: size))
    let error = error(path)
    #expect(error?.kind == .notADatabase)
    #expect(error?.description == "\(path): not an SQLite database")
  }

  @Test func saysThatAPageIsDamaged() throws {
    let path = directory("a.db")
    do {
      let connection = try Connection(path: path, journal: .rollback)
      try connection.execute("CREATE TABLE t (v)")
      for _ in 0..<20 { try connection.run("INSERT INTO t (v) VALUES (?)", [UInt8](repeating: 1, count: 1_000)) }
    }
    var bytes = try directory.read("a.db")
    bytes.replaceSubrange(4_096..<6_096, with: repeatElement(0xFF, count: 2_000))
    try directory.write("a.db", bytes: bytes)
    let connection = try Connection(path: path)
    let error = #expect(throws: DatabaseError.self) { _ = try connection.integer("SELECT count(v) FROM t") }
    #expect(error?.kind == .corrupt)
  }

  @Test func refusesToWriteThroughAReader() throws {
    let path = directory("a.db")
    do { try Connection(path: path).execute("CREATE TABLE t (v)") }
    let reader = try Connection(path: path, access: .readOnly)
    let error = #expect(throws: DatabaseError.self) { try reader.run("INSERT INTO t (v) VALUES (1)") }
    #expect(error?.kind == .readOnly)
  }

  @Test(.enabled(if: geteuid() != 0, "root may write anywhere"))
  func saysThatTheDirectoryIsReadOnly() throws {
    unsafe chmod(directory.path, 0o500)
    #expect(error(directory("a.db"))?.kind == .permission)
  }

  @Test(.enabled(if: SmallFileSystem.isPossible, "mounting needs CAP_SYS_ADMIN"))
  func saysThatTheDiskIsFullAndGoesOnWhenItIsNot() throws {
    let fileSystem = try SmallFileSystem(in: directory, size: "512k")
    let connection = try Connection(path: fileSystem("a.db"), journal: .writeAheadLog)
    try connection.execute("CREATE TABLE t (v)")
    let error = #expect(throws: DatabaseError.self) {
      while true { try connection.run("INSERT INTO t (v) VALUES (?)", [UInt8](repeating: 1, count: 4_000)) }
    }
    #expect(error?.kind == .noSpace)
    #expect(!connection.inTransaction)
    let kept = try connection.integer("SELECT count(*) FROM t") ?? 0
    #expect(kept > 10)
    try fileSystem.remount(size: "2m")
    try connection.run("INSERT INTO t (v) VALUES (1)")
    #expect(try connection.integer("SELECT count(*) FROM t") == kept + 1)
  }

  @Test(.enabled(if: SmallFileSystem.isPossible, "mounting needs CAP_SYS_ADMIN"))
  func saysThatTheFileSystemIsReadOnly() throws {
    let fileSystem = try SmallFileSystem(in: directory, size: "512k")
    do { try Connection(path: fileSystem("a.db"), journal: .rollback).execute("CREATE TABLE u (v)") }
    try fileSystem.remount(size: "512k", readOnly: true)
    #expect(error(fileSystem("a.db"))?.kind == .readOnly)
    #expect(error(fileSystem("new.db"))?.kind == .cannotOpen)
  }
}

@Suite("Result codes as classes")
struct KindTests {
  @Test(
    arguments: [
      (5, 0, .busy), (261, 0, .busy), (517, 0, .busy), (6, 0, .busy), (13, 0, .noSpace), (778, 28, .noSpace),
      (778, 122, .noSpace), (778, 27, .noSpace), (778, 5, .inputOutput), (266, 0, .inputOutput), (14, 2, .cannotOpen),
      (14, 13, .permission), (14, 30, .readOnly), (8, 0, .readOnly), (1544, 0, .readOnly), (26, 0, .notADatabase),
      (11, 0, .corrupt), (779, 0, .corrupt), (2067, 0, .constraint), (1, 0, .misuse), (21, 0, .misuse), (7, 0, .other),
    ] as [(Int32, Int32, DatabaseError.Kind)])
  func maps(_ code: Int32, _ systemError: Int32, _ kind: DatabaseError.Kind) {
    #expect(DatabaseError.Kind(code: code, systemError: systemError) == kind)
  }
}
