internal import CPOSIX
internal import Glibc

/// An open file descriptor that this value owns: it is closed when the value ends.
public struct FileDescriptor: ~Copyable, Sendable {
  /// The number, valid as long as this value lives.
  public let number: Int32

  /// Takes over the duty to close `number`.
  public init(takingOwnershipOf number: Int32) { self.number = number }

  deinit { _ = Glibc.close(number) }

  /// Gives the number, and the duty to close it, to the caller.
  public consuming func release() -> Int32 {
    let number = number
    discard self
    return number
  }

  /// Opens a file (open(2)); close-on-exec is always set.
  ///
  /// - Parameter mode: permissions of a file that is created, for example 0o600.
  public static func open(_ path: String, _ flags: Int32, mode: UInt32 = 0) throws(Errno) -> FileDescriptor {
    FileDescriptor(
      takingOwnershipOf: try systemCall { () -> Int32 in unsafe cposix_open(path, flags | O_CLOEXEC, mode) })
  }

  /// Reads at most `buffer.count` bytes into it (read(2)).
  ///
  /// - Returns: how many were read; 0 at the end of the file or stream.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    let number = number
    return try systemCall { () -> Int in unsafe Glibc.read(number, buffer.baseAddress, buffer.count) }
  }

  /// Reads at most `capacity` bytes (read(2)); empty at the end of the file or stream.
  public func read(upTo capacity: Int) throws(Errno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: capacity)
    let count: Result<Int, Errno> = unsafe bytes.withUnsafeMutableBytes { buffer in
      do throws(Errno) { return .success(try unsafe read(into: buffer)) } catch { return .failure(error) }
    }
    bytes.removeLast(capacity - (try count.get()))
    return bytes
  }

  /// Writes all of `bytes` (write(2), again until everything is out).
  public func writeAll(_ bytes: some Collection<UInt8>) throws(Errno) {
    let number = number
    let contiguous = Array(bytes)
    var written = 0
    while written < contiguous.count {
      let start = written
      written += try systemCall { () -> Int in
        unsafe contiguous.withUnsafeBytes { buffer in
          let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
          return unsafe Glibc.write(number, rest.baseAddress, rest.count)
        }
      }
    }
  }

  /// Makes what was written durable (fsync(2)).
  public func synchronize() throws(Errno) {
    let number = number
    try systemCall { fsync(number) }
  }

  /// What fstat(2) says.
  public func status() throws(Errno) -> FileStatus {
    var raw = stat()
    let number = number
    try systemCall { unsafe fstat(number, &raw) }
    return FileStatus(raw)
  }
}

/// What the kernel knows of a file (stat(2)).
public struct FileStatus: Sendable {
  /// Length in bytes.
  public let size: Int
  /// Permission bits, for example 0o600.
  public let permissions: UInt32
  /// Whether it is a regular file.
  public let isRegular: Bool
  /// Whether it is a directory.
  public let isDirectory: Bool
  /// Whether it is the name of a Unix socket.
  public let isSocket: Bool
  /// Whether it is a named pipe (FIFO).
  public let isNamedPipe: Bool
  /// User id of the owner.
  public let owner: UInt32
  /// Device and inode: equal for two names of the same file.
  public let identity: FileIdentity

  init(_ raw: stat) {
    size = Int(raw.st_size)
    permissions = raw.st_mode & 0o7777
    isRegular = raw.st_mode & S_IFMT == S_IFREG
    isDirectory = raw.st_mode & S_IFMT == S_IFDIR
    isSocket = raw.st_mode & S_IFMT == S_IFSOCK
    isNamedPipe = raw.st_mode & S_IFMT == S_IFIFO
    owner = raw.st_uid
    identity = FileIdentity(device: UInt64(raw.st_dev), inode: UInt64(raw.st_ino))
  }
}

/// Device and inode of a file.
public struct FileIdentity: Hashable, Sendable {
  public let device: UInt64
  public let inode: UInt64
}
