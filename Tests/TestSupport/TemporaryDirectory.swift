internal import Glibc
internal import POSIX

/// A folder of its own for one test; gone with this value.
public final class TemporaryDirectory: Sendable {
  /// Its absolute path.
  public let path: String

  public init() throws {
    let base = environmentVariable("TMPDIR") ?? "/tmp"
    var template = Array("\(base)/latchkey-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Errno.current }
    path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { removeAll(under: path) }

  /// The absolute path of a name in it.
  public func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file into it and answers its path.
  @discardableResult
  public func write(_ name: String, _ text: String, mode: UInt32 = 0o600) throws -> String {
    try write(name, bytes: Array(text.utf8), mode: mode)
  }

  /// Writes a file into it and answers its path.
  @discardableResult
  public func write(_ name: String, bytes: [UInt8], mode: UInt32 = 0o600) throws -> String {
    let file = try FileDescriptor.open(self(name), O_WRONLY | O_CREAT | O_TRUNC, mode: mode)
    try file.writeAll(bytes)
    try systemCall { unsafe chmod(self(name), mode) }
    return self(name)
  }

  /// The bytes of a file in it.
  public func read(_ name: String) throws -> [UInt8] {
    let file = try FileDescriptor.open(self(name), O_RDONLY)
    var bytes: [UInt8] = []
    while true {
      let more = try file.read(upTo: 65_536)
      if more.isEmpty { return bytes }
      bytes += more
    }
  }

  /// The text of a file in it.
  public func text(_ name: String) throws -> String { String(decoding: try read(name), as: UTF8.self) }

  /// Whether a name is in it.
  public func has(_ name: String) -> Bool { unsafe access(self(name), F_OK) == 0 }

  /// The names in it, sorted.
  public func names() throws -> [String] { directoryEntries(path).sorted() }

  /// Changes the text of a file in it.
  public func rewrite(_ name: String, _ change: (String) -> String) throws { try write(name, change(try text(name))) }

  /// Waits until a file of that name is there; there is no event for it.
  public func awaitFile(_ name: String, within limit: Duration = .seconds(20)) throws {
    let deadline = BootInstant.now() + limit
    while !has(name) {
      guard BootInstant.now() < deadline else { throw TestError("no file \(name) within \(limit)") }
      usleep(5_000)
    }
  }

  /// Waits until a file in it has that line; there is no event for it.
  public func awaitLine(_ line: String, of name: String, within limit: Duration = .seconds(20)) throws {
    let deadline = BootInstant.now() + limit
    while try !has(name) || !text(name).split(separator: "\n").contains(where: { $0 == line }) {
      guard BootInstant.now() < deadline else { throw TestError("no line \(line) in \(name) within \(limit)") }
      usleep(5_000)
    }
  }

  /// Renames a file in it, over another if there is one.
  public func rename(_ name: String, to other: String) throws {
    try systemCall { unsafe Glibc.rename(self(name), self(other)) }
  }

  /// Removes a file or a folder in it, with all that is in that.
  public func removeTree(_ name: String) throws {
    guard has(name) else { throw TestError("\(self(name)) isn't there") }
    if unsafe unlink(self(name)) != 0 { removeAll(under: self(name)) }
  }

  /// Makes a folder in it and answers its path.
  @discardableResult
  public func makeDirectory(_ name: String) throws -> String {
    try systemCall { unsafe mkdir(self(name), 0o700) }
    return self(name)
  }
}

/// Removes a folder and all in it; symbolic links are removed, not followed.
func removeAll(under path: String) {
  for name in directoryEntries(path) {
    let entry = "\(path)/\(name)"
    if unsafe unlink(entry) != 0 { removeAll(under: entry) }
  }
  unsafe rmdir(path)
}
