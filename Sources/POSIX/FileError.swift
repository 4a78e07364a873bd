/// What went wrong with a file, with its path and what the system said.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of fault.
  public enum Problem: Hashable, Sendable {
    /// A system call failed; `operation` is a verb for people: "read", "create".
    case system(operation: String, Errno)
    /// It is a directory, a pipe or a device.
    case notRegular
    /// It is something else than a named pipe (FIFO).
    case notNamedPipe
    /// It has more bytes than the limit named.
    case longerThan(Int)
    /// Its length changed while it was read.
    case changed
    /// Group or others have access to a file that holds secrets; the permission bits and whether it is a directory.
    case notPrivate(permissions: UInt32, isDirectory: Bool)
    /// Group or others can change a file that says what is run; the permission bits.
    case writableByOthers(permissions: UInt32)
    /// It belongs to a user who is neither root nor this process's; the user ids of both.
    case ownedByAnother(owner: UInt32, user: UInt32)
    /// It holds something that isn't ours to replace.
    case foreign
    /// Another process holds the lock.
    case busy
  }

  public let path: String
  public let problem: Problem

  public init(path: String, problem: Problem) {
    self.path = path
    self.problem = problem
  }

  init(_ path: String, _ operation: String, _ errno: Errno) {
    self.init(path: path, problem: .system(operation: operation, errno))
  }

  /// The system's error number, where a system call failed.
  public var errno: Errno? { if case .system(_, let errno) = problem { errno } else { nil } }

  /// One line that names the file; for a file that others can read, the command that mends it.
  public var description: String {
    switch problem {
    case .system(let operation, let errno): return "can't \(operation) \(path): \(errno)"
    case .notRegular: return "\(path): not a regular file"
    case .notNamedPipe: return "\(path): not a named pipe; mkfifo makes one"
    case .longerThan(let limit): return "\(path): longer than \(limit) bytes"
    case .changed: return "\(path): changed while it was read"
    case .foreign: return "\(path): holds something else and isn't overwritten; name another file"
    case .busy: return "\(path): another process holds it"
    case .notPrivate(let permissions, let isDirectory):
      let mode = isDirectory ? 700 : 600
      return "\(path): others have access to it (mode \(octal(permissions))); run: chmod \(mode) \(shellQuoted(path))"
    case .ownedByAnother(let owner, let user):
      return "\(path): belongs to another user (id \(owner)); run: chown \(user) \(shellQuoted(path))"
    // Everybody's folder, such as /tmp, has to stay so.
    case .writableByOthers(let permissions) where permissions & 0o1000 != 0:
      return "\(path): others can make files there (mode \(octal(permissions))); use a directory of its own"
    case .writableByOthers(let permissions):
      return "\(path): others can change it (mode \(octal(permissions))); run: chmod go-w \(shellQuoted(path))"
    }
  }
}

/// Permission bits in four octal digits.
private func octal(_ permissions: UInt32) -> String {
  let digits = String(permissions, radix: 8)
  return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
}

/// The path as a word of a shell command.
private func shellQuoted(_ path: String) -> String {
  let plain = path.utf8.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: false
    }
  }
  if plain, !path.isEmpty { return path }
  return "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
