internal import Glibc
internal import POSIX

/// A file system in memory of a given size, mounted for one test where the process may mount.
public final class SmallFileSystem: Sendable {
  /// Whether this process may mount: it is root, and not in a container that forbids it.
  public static let isPossible: Bool = {
    guard geteuid() == 0, let directory = try? TemporaryDirectory() else { return false }
    return (try? SmallFileSystem(in: directory, size: "64k")) != nil
  }()

  private let path: String

  /// Mounts one in a directory of the test, which must outlive it.
  ///
  /// - Parameter size: as tmpfs(5) reads it: `512k`.
  public init(in directory: TemporaryDirectory, size: String) throws {
    path = try directory.makeDirectory("small")
    try mountMemory(path, 0, "size=\(size)")
  }

  deinit {
    unsafe umount2(path, Int32(MNT_DETACH))
    unsafe rmdir(path)
  }

  /// The absolute path of a name in it.
  public func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  /// Gives it another size, or makes it read-only where no file is open for writing.
  public func remount(size: String, readOnly: Bool = false) throws {
    try mountMemory(path, UInt(MS_REMOUNT) | (readOnly ? UInt(MS_RDONLY) : 0), "size=\(size)")
  }
}

private func mountMemory(_ path: String, _ flags: UInt, _ options: String) throws {
  try systemCall { () -> Int32 in unsafe mount("tmpfs", path, "tmpfs", flags, options) }
}
