import Glibc

/// A file system in memory of a given size, mounted for one test where the process may mount.
final class SmallFileSystem {
  /// Whether this process may mount (it is root, and not in a container that forbids it).
  static let isPossible: Bool = {
    guard geteuid() == 0, let directory = try? TemporaryDirectory() else { return false }
    return (try? SmallFileSystem(at: directory.file("try"), size: "64k")) != nil
  }()

  private let path: String

  init(at path: String, size: String) throws {
    self.path = path
    unsafe mkdir(path, 0o700)
    guard unsafe mount("tmpfs", path, "tmpfs", 0, "size=\(size)") == 0 else {
      unsafe rmdir(path)
      throw TestFailure(description: "mount \(path): errno \(errno)")
    }
  }

  deinit {
    unsafe umount2(path, Int32(MNT_DETACH))
    unsafe rmdir(path)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func remount(options: String, readOnly: Bool = false) throws {
    let flags = UInt(MS_REMOUNT) | (readOnly ? UInt(MS_RDONLY) : 0)
    guard unsafe mount("tmpfs", path, "tmpfs", flags, options) == 0 else {
      throw TestFailure(description: "remount \(path): errno \(errno)")
    }
  }
}
