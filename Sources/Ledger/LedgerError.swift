internal import Database
internal import POSIX

/// Why the ledger couldn't read or record.
public struct LedgerError: Error, Hashable, Sendable {
  /// The classes of failure that callers tell apart.
  public enum Kind: Hashable, Sendable {
    /// Another process holds the state (exit 75).
    case busy
    /// Disk or quota full (exit 73).
    case noSpace
    /// The state can't be written: read-only file, directory or file system (exit 73).
    case readOnly
    /// The permissions of the file or directory forbid it (exit 77).
    case permission
    /// The file or its directory can't be reached (exit 73).
    case cannotOpen
    /// The file is no ledger, or damaged (exit 65).
    case damaged
    /// A newer version of the program wrote the file (exit 65).
    case newerVersion
    /// A bundle's serial says that it isn't the newest (exit 65).
    case bundleRefused
    /// Anything else; the state is as it was before.
    case failed
  }

  public let kind: Kind
  /// One line: the file and what went wrong.
  public let message: String

  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}

extension LedgerError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

extension LedgerError {
  init(_ error: DatabaseError) {
    let kind: Kind =
      switch error.kind {
      case .busy: .busy
      case .noSpace: .noSpace
      case .readOnly: .readOnly
      case .permission: .permission
      case .cannotOpen: .cannotOpen
      case .notADatabase, .corrupt, .otherSchema, .unexpectedValue: .damaged
      case .newerVersion: .newerVersion
      case .constraint, .inputOutput, .misuse, .other: .failed
      }
    self.init(kind, error.description)
  }

  init(_ error: FileError) {
    let kind: Kind =
      switch error.problem {
      case .busy: .busy
      case .system(_, .noSpace), .system(_, .quotaExceeded): .noSpace
      case .system(_, .readOnlyFileSystem): .readOnly
      case .notPrivate, .system(_, .permissionDenied), .system(_, .notPermitted): .permission
      case .system: .cannotOpen
      default: .damaged
      }
    self.init(kind, error.description)
  }
}

/// Runs what may throw a database's error where a ledger's is wanted.
func ledger<Result>(_ body: () throws(DatabaseError) -> Result) throws(LedgerError) -> Result {
  do throws(DatabaseError) { return try body() } catch { throw LedgerError(error) }
}
