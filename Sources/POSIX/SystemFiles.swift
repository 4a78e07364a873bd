internal import CPOSIX
internal import Glibc

/// The names in a directory (readdir(3)), in the system's order, without `.` and `..`; none where it can't be read.
public func directoryEntries(_ path: String) -> [String] {
  guard let directory = unsafe opendir(path) else { return [] }
  defer { unsafe closedir(directory) }
  var names: [String] = []
  while let entry = unsafe readdir(directory) {
    let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

/// Where a symbolic link points to (readlink(2)); nil where it is none, or can't be read.
public func linkTarget(_ path: String) -> String? {
  var bytes = [CChar](repeating: 0, count: 4096)
  let count = unsafe readlink(path, &bytes, bytes.count)
  guard count > 0, count < bytes.count else { return nil }
  return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// What a file of the kernel's (proc, sysfs, debugfs) says, at most 64 KiB of it, without the white space at its end.
///
/// Such a file has no length that could be trusted, so it is read until its end. Nil where it can't be read.
public func kernelText(_ path: String) -> String? {
  do throws(Errno) {
    let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    var bytes: [UInt8] = []
    while bytes.count < 65_536 {
      let more = try file.read(upTo: 4096)
      if more.isEmpty { break }
      bytes += more
    }
    while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  } catch {
    return nil
  }
}
