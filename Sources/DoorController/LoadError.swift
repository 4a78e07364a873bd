public import Ledger
public import POSIX
internal import Provisioning

/// Why a configuration or one of its bundles can't be used; the text says where and what was expected.
public enum LoadError: Error, CustomStringConvertible, Sendable {
  /// A file that can't be read, or that others can read.
  case file(FileError)
  case configuration(String)
  /// A bundle, by its path.
  case bundle(String, String)
  case ledger(LedgerError)

  init(_ error: BundleError, path: String) {
    if case .file(let error) = error { self = .file(error) } else { self = .bundle(path, "\(error)") }
  }

  public var description: String {
    switch self {
    case .file(let error): "\(error)"
    case .ledger(let error): "\(error)"
    case .configuration(let problem): problem
    case .bundle(let path, let problem): "\(path): \(problem)"
    }
  }
}
