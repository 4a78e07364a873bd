internal import Glibc

/// A lock that one process at a time holds on a file beside what it protects (flock(2)).
///
/// The kernel gives it up when the value, or the process, ends; a kill leaves nothing to clear away.
public struct FileLock: ~Copyable, Sendable {
  private let file: FileDescriptor

  /// Takes the lock at once, making the file (0600) where there is none; on a read-only disk too, where it is there.
  ///
  /// - Throws: problem `busy` where another holds it.
  public static func acquire(_ path: String) throws(FileError) -> FileLock {
    do throws(Errno) {
      let file = try open(path)
      let number = file.number
      try systemCall { flock(number, LOCK_EX | LOCK_NB) }
      return FileLock(file: file)
    } catch .wouldBlock {
      throw FileError(path: path, problem: .busy)
    } catch {
      throw FileError(path, "lock", error)
    }
  }

  /// Takes the lock, trying again while another holds it; at once where nobody does.
  ///
  /// For locks that are held for a moment: flock(2) itself waits without a limit.
  ///
  /// - Throws: problem `busy` where another still holds it at the deadline.
  public static func acquire(_ path: String, until deadline: BootInstant) throws(FileError) -> FileLock {
    while true {
      do throws(FileError) { return try acquire(path) } catch {
        guard error.problem == .busy, BootInstant.now() < deadline else { throw error }
      }
      _ = poll(nil, 0, 5)
    }
  }

  private static func open(_ path: String) throws(Errno) -> FileDescriptor {
    do throws(Errno) { return try FileDescriptor.open(path, O_RDWR | O_CREAT, mode: 0o600) } catch .readOnlyFileSystem {
      return try FileDescriptor.open(path, O_RDONLY)
    }
  }

  private init(file: consuming FileDescriptor) { self.file = file }

  deinit {
    // Said in words: a child that is just being started has a copy of the descriptor until it runs its program.
    _ = flock(file.number, LOCK_UN)
  }
}
