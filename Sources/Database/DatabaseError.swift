internal import CSQLite
internal import Glibc

/// What SQLite refused, in a form that a caller can act on and a person can read.
public struct DatabaseError: Error, Hashable, Sendable {
  /// The classes of failure that callers tell apart.
  public enum Kind: Hashable, Sendable {
    /// Another connection or process holds the database; trying later may help (exit 75).
    case busy
    /// Disk or quota full (exit 73).
    case noSpace
    /// The file or its directory can't be written (exit 73).
    case readOnly
    /// The file or its directory can't be reached at all: no such directory, not a file.
    case cannotOpen
    /// The permissions of the file or directory forbid it (exit 77).
    case permission
    /// The file is no SQLite database (exit 65).
    case notADatabase
    /// The file is damaged (exit 65).
    case corrupt
    /// A newer version of the program wrote the file; `name` is the first migration that this one doesn't know.
    case newerVersion(name: String)
    /// A database, but of another kind than asked for: its application id or its migrations differ.
    case otherSchema
    /// A uniqueness, foreign key or check rule of the tables forbids it.
    case constraint
    /// A stored value isn't of the type or form that the reader expects.
    case unexpectedValue
    /// The disk failed to read or write.
    case inputOutput
    /// A fault of the calling program: bad SQL, a nested transaction, a statement used while it runs.
    case misuse
    /// Anything else, for example lack of memory.
    case other
  }

  public let kind: Kind
  /// The database file as the caller named it.
  public let path: String
  /// SQLite's extended result code (sqlite.org/rescode.html); 0 where the wrapper itself refused.
  public let code: Int32
  /// What went wrong, in words, without the path.
  public let message: String
  /// The SQL that failed, where there is one; it never holds values.
  public let sql: String?

  public init(kind: Kind, path: String, code: Int32 = 0, message: String, sql: String? = nil) {
    self.kind = kind
    self.path = path
    self.code = code
    self.message = message
    self.sql = sql
  }
}

extension DatabaseError: CustomStringConvertible {
  /// One line: file, what went wrong, and the SQL where the program itself is at fault.
  public var description: String {
    guard let sql, kind == .misuse || kind == .other || kind == .constraint else { return "\(path): \(message)" }
    return "\(path): \(message) (in \"\(sql)\")"
  }
}

extension DatabaseError {
  /// The error for a result code of a connection, made at once after the call that failed.
  ///
  /// - Parameter handle: the connection, or nil where there is none yet.
  init(code: Int32, handle: OpaquePointer?, path: String, sql: String?) {
    let systemError = unsafe handle.map { unsafe sqlite3_system_errno($0) } ?? 0
    let kind = Kind(code: code, systemError: systemError)
    let text = unsafe handle.flatMap { unsafe sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
    let words = unsafe text.map { unsafe String(cString: $0) } ?? "error \(code)"
    self.init(
      kind: kind, path: path, code: code, message: kind.words(sqlite: words, systemError: systemError), sql: sql)
  }
}

extension DatabaseError.Kind {
  /// The class of an extended result code; the system's error number tells a full disk from a failing one.
  init(code: Int32, systemError: Int32) {
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: self = .busy
    case SQLITE_FULL: self = .noSpace
    case SQLITE_READONLY: self = .readOnly
    case SQLITE_PERM, SQLITE_AUTH: self = .permission
    case SQLITE_CANTOPEN: self = DatabaseError.Kind(systemError: systemError) ?? .cannotOpen
    case SQLITE_IOERR: self = DatabaseError.Kind(systemError: systemError) ?? .inputOutput
    case SQLITE_NOTADB: self = .notADatabase
    case SQLITE_CORRUPT: self = .corrupt
    case SQLITE_CONSTRAINT: self = .constraint
    case SQLITE_ERROR, SQLITE_MISUSE, SQLITE_RANGE, SQLITE_MISMATCH, SQLITE_SCHEMA: self = .misuse
    default: self = .other
    }
  }

  private init?(systemError: Int32) {
    switch systemError {
    case ENOSPC, EDQUOT, EFBIG: self = .noSpace
    case EROFS: self = .readOnly
    case EACCES, EPERM: self = .permission
    default: return nil
    }
  }

  /// What a person reads; "database is locked" and its like are never shown.
  fileprivate func words(sqlite: String, systemError: Int32) -> String {
    let reason = systemError == 0 ? sqlite : unsafe String(cString: strerror(systemError))
    return switch self {
    case .busy: "another process holds this database; try later"
    case .noSpace: "no space left to write"
    case .readOnly: "can't be written: the file, its directory or the file system is read-only"
    case .permission: "not permitted to read or write it, or to create files in its directory"
    case .cannotOpen: "can't be opened: \(reason)"
    case .notADatabase: "not an SQLite database"
    case .corrupt: "damaged: \(sqlite)"
    case .inputOutput: "the disk failed to read or write: \(reason)"
    default: sqlite
    }
  }
}
