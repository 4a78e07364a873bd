internal import CPOSIX
internal import Glibc

/// A directory of this process alone that is gone, with the files in it, when its owner lets go of it.
public final class ScratchDirectory: Sendable {
  public let path: String

  /// Makes one (mkdtemp(3)).
  ///
  /// - Parameters:
  ///   - prefix: how its name begins.
  ///   - directory: where; nil: in `$TMPDIR`, else in /tmp.
  public init(prefix: String, in directory: String? = nil) throws(FileError) {
    let template = "\(directory ?? ProcessEnvironment["TMPDIR"] ?? "/tmp")/\(prefix)-XXXXXX"
    var bytes = template.utf8CString.map { $0 }
    guard unsafe mkdtemp(&bytes) != nil else {
      throw FileError(path: template, problem: .system(operation: "create", .current))
    }
    path = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    // A flat directory: who makes one keeps files in it, no further directories.
    for name in directoryEntries(path) { _ = unsafe unlink("\(path)/\(name)") }
    _ = unsafe rmdir(path)
  }
}
