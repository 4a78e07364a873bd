import Glibc
import POSIX

/// A file without a name, with a path as long as it lives, for a parser that opens what it reads.
struct MemoryFile: ~Copyable {
  private let file: FileDescriptor

  init(_ contents: [UInt8]) throws(Errno) {
    // In memory, so that a fuzzer's millions of them wear no disk.
    var name = Array("/dev/shm/latchkey-fuzz-XXXXXX".utf8CString)
    let file = FileDescriptor(takingOwnershipOf: try systemCall { unsafe mkstemp(&name) })
    _ = unsafe unlink(&name)
    try file.writeAll(contents)
    self.file = file
  }

  /// Opened anew, it is read from its beginning.
  var path: String { "/proc/self/fd/\(file.number)" }
}
