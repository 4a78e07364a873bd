public import HCI
internal import Ledger
public import POSIX

/// Why a daemon can't start or go on; the program makes an exit code of it.
public enum DaemonError: Error, CustomStringConvertible, Sendable {
  /// A bad configuration, bundle, capture or ledger: the text names file, line or field.
  case badInput(String)
  case unknownID(String)
  case radio(RadioError)
  /// A file that can't be read, written or locked.
  case file(FileError)
  /// A lock couldn't be closed.
  case lockFailed(String)
  /// Another process holds the state.
  case busy(String)
  /// Nothing can be written.
  case cantWrite(String)
  case permission(String)
  /// The system refuses what every program may have.
  case system(String)

  /// Does something whose errors are of several types, and makes one of them.
  @discardableResult
  static func wrapping<Result>(_ body: () throws -> Result) throws(DaemonError) -> Result {
    do { return try body() } catch { throw DaemonError(error) }
  }

  init(_ error: any Error) {
    switch error {
    case let error as DaemonError: self = error
    case LoadError.file(let error): self = .file(error)
    case LoadError.ledger(let error): self.init(error)
    case let error as LoadError: self = .badInput("\(error)")
    case let error as CaptureError: self = .badInput("\(error)")
    case let error as FileError: self = .file(error)
    case let error as LedgerError: self.init(error)
    case let error as RadioError: self = .radio(error)
    default: self = .system("\(error)")
    }
  }

  private init(_ error: LedgerError) {
    switch error.kind {
    case .busy: self = .busy("\(error)")
    case .noSpace, .readOnly, .cannotOpen: self = .cantWrite("\(error)")
    case .permission: self = .permission("\(error)")
    case .damaged, .newerVersion, .bundleRefused: self = .badInput("\(error)")
    case .failed: self = .system("\(error)")
    }
  }

  public var description: String {
    switch self {
    case .badInput(let text), .unknownID(let text), .busy(let text), .cantWrite(let text),
      .permission(let text), .lockFailed(let text), .system(let text):
      text
    case .file(let error): "\(error)"
    case .radio(let error): "\(error)"
    }
  }
}
