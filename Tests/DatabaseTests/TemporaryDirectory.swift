import Glibc

/// A directory of one test, removed with its content when the test ends.
final class TemporaryDirectory {
  let path: String

  init() throws {
    var template = "\(FileSystem.temporary)/latchkey-database-XXXXXX".utf8CString.map { $0 }
    guard unsafe mkdtemp(&template) != nil else { throw TestFailure(description: "mkdtemp: errno \(errno)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { FileSystem.removeDirectory(path) }

  /// The path of a file in it.
  func file(_ name: String) -> String { "\(path)/\(name)" }
}

struct TestFailure: Error, CustomStringConvertible {
  let description: String
}

enum FileSystem {
  static var temporary: String { unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp" }

  static func removeDirectory(_ path: String) {
    unsafe chmod(path, 0o700)
    guard let directory = unsafe opendir(path) else { return }
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { unsafe unlink("\(path)/\(name)") }
    }
    unsafe closedir(directory)
    unsafe rmdir(path)
  }

  static func write(_ bytes: [UInt8], to path: String, at offset: Int = 0) throws {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT, 0o600)
    guard descriptor >= 0 else { throw TestFailure(description: "open \(path): errno \(errno)") }
    defer { close(descriptor) }
    guard unsafe pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count else {
      throw TestFailure(description: "write \(path): errno \(errno)")
    }
  }

  static func size(_ path: String) -> Int {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int(status.st_size) : -1
  }

  static func mode(_ path: String) -> UInt32 {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }
}
