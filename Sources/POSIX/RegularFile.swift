internal import Glibc

/// A regular file that was opened for reading, with the length that it had then.
public struct RegularFile: ~Copyable, Sendable {
  private let path: String
  private let file: FileDescriptor
  /// Length in bytes; at most the limit that it was opened with.
  public let size: Int

  /// Opens a file and looks at it before any byte is read.
  ///
  /// - Parameters:
  ///   - limit: most bytes that are accepted.
  ///   - onlyPrivate: refuses a file to which group or others have access (`requirePrivate`).
  public static func open(_ path: String, limit: Int, onlyPrivate: Bool = false) throws(FileError) -> RegularFile {
    let file = try openForReading(path)
    let status = try statusOf(file, path)
    guard status.isRegular else { throw FileError(path: path, problem: .notRegular) }
    if onlyPrivate { try status.requirePrivate(path) }
    guard status.size <= limit else { throw FileError(path: path, problem: .longerThan(limit)) }
    return RegularFile(path: path, file: file, size: status.size)
  }

  private init(path: String, file: consuming FileDescriptor, size: Int) {
    self.path = path
    self.file = file
    self.size = size
  }

  /// Reads from where the last read ended until `bytes` is full or the file ends.
  ///
  /// - Returns: how many bytes were read.
  public func read(into bytes: inout MutableSpan<UInt8>) throws(FileError) -> Int {
    var failure: Errno?
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      do throws(Errno) { return try unsafe file.readAll(into: buffer) } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw FileError(path, "read", failure) }
    return count
  }

  /// Fills `bytes`, which are as many as `size`, with the whole file.
  public func readWhole(into bytes: inout MutableSpan<UInt8>) throws(FileError) {
    guard try read(into: &bytes) == size else { throw FileError(path: path, problem: .changed) }
  }

  /// The whole file; also of one of the kernel's, whose length is 0.
  fileprivate func contents(limit: Int) throws(FileError) -> [UInt8] {
    // One byte more than the length shows growth.
    let capacity = max(size, 4096) + 1
    var failure: Errno?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      do throws(Errno) { count = try unsafe file.readAll(into: UnsafeMutableRawBufferPointer(buffer)) } catch {
        failure = error
      }
    }
    if let failure { throw FileError(path, "read", failure) }
    guard bytes.count < capacity, size == 0 || bytes.count == size else {
      throw FileError(path: path, problem: .changed)
    }
    guard bytes.count <= limit else { throw FileError(path: path, problem: .longerThan(limit)) }
    return bytes
  }
}

/// Reads a whole regular file.
///
/// - Parameters:
///   - limit: most bytes that are accepted.
///   - onlyPrivate: refuses a file to which group or others have access, before any byte is read.
public func readFile(_ path: String, limit: Int, onlyPrivate: Bool = false) throws(FileError) -> [UInt8] {
  try RegularFile.open(path, limit: limit, onlyPrivate: onlyPrivate).contents(limit: limit)
}

private func openForReading(_ path: String) throws(FileError) -> FileDescriptor {
  do throws(Errno) {
    // O_NONBLOCK: opening a pipe that nobody writes would wait for ever.
    return try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
  } catch {
    throw FileError(path, "read", error)
  }
}

private func statusOf(_ file: borrowing FileDescriptor, _ path: String) throws(FileError) -> FileStatus {
  do throws(Errno) { return try file.status() } catch { throw FileError(path, "read", error) }
}

extension FileDescriptor {
  /// Reads until the buffer is full or the file ends; answers how many bytes.
  fileprivate func readAll(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    var count = 0
    while count < buffer.count {
      let read = try unsafe read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
      if read == 0 { break }
      count += read
    }
    return count
  }

  /// Writes all of `bytes` (write(2), again until everything is out).
  public func writeAll(_ bytes: Span<UInt8>) throws(Errno) {
    let number = number
    var written = 0
    while written < bytes.count {
      let start = written
      written += try systemCall { () -> Int in
        unsafe bytes.withUnsafeBytes { buffer in
          let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
          return unsafe Glibc.write(number, rest.baseAddress, rest.count)
        }
      }
    }
  }
}

extension FileStatus {
  /// Refuses what its group or others have access to; the error holds the chmod to run.
  func requirePrivate(_ path: String) throws(FileError) {
    guard permissions & 0o077 == 0 else {
      throw FileError(path: path, problem: .notPrivate(permissions: permissions, isDirectory: isDirectory))
    }
  }
}
