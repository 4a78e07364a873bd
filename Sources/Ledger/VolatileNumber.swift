internal import Glibc
internal import POSIX

/// The number of the ledger's last transaction, kept in storage that doesn't survive a boot (docs/protocol.md, "After a
/// restart"): where it isn't the number on the disk, the disk may not hold the newest marks.
///
/// One line, `boot-id committed intended`. The intended number is written before a transaction and the committed one
/// after it, before anything acts on it: so a kill between them leaves a line that both states of the disk fit, while a
/// disk of an earlier state fits neither number.
struct VolatileNumber: ~Copyable {
  private let file: FileDescriptor
  private let path: String
  private let boot: String
  private(set) var committed: Int64
  /// Set where a write failed: the line is gone then, and stays so.
  private(set) var isLost = false

  /// Whether the line that is there fits the number on the disk; any fault is a no.
  static func fits(_ number: Int64, path: String) -> Bool {
    guard let boot = bootID(), let bytes = try? FileDescriptor.open(path, O_RDONLY | O_NOFOLLOW).read(upTo: 256),
      let text = String(validating: bytes, as: UTF8.self)
    else { return false }
    return text == line(boot, number, number) || text == line(boot, number, number + 1)
      || text == line(boot, number - 1, number)
  }

  /// Writes the line anew.
  ///
  /// - Throws: `FileError` where the directory can't be made or the file not be written.
  init(path: String, committed: Int64) throws(FileError) {
    try makeDirectory(directoryName(path))
    do throws(Errno) {
      guard let boot = bootID() else { throw .noEntry }
      let file = try FileDescriptor.open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600)
      try file.writeAll(Array(line(boot, committed, committed).utf8), at: 0)
      self.file = file
      self.boot = boot
      self.path = path
      self.committed = committed
    } catch {
      throw FileError(path: path, problem: .system(operation: "write", error))
    }
  }

  /// Says that the next transaction is about to be made.
  mutating func intendNext() { write(committed, committed + 1) }

  /// Says that the transaction is durable.
  mutating func commit(_ number: Int64) {
    committed = number
    write(number, number)
  }

  private mutating func write(_ committed: Int64, _ intended: Int64) {
    guard !isLost else { return }
    do throws(Errno) {
      try file.writeAll(Array(line(boot, committed, intended).utf8), at: 0)
    } catch {
      // A line that says less than the truth only costs a wait at the next start; none says the same more clearly.
      isLost = true
      try? removeFile(path)
    }
  }
}

/// Always of the same length, so that one write replaces it all.
private func line(_ boot: String, _ committed: Int64, _ intended: Int64) -> String {
  "\(boot) \(digits(committed)) \(digits(intended))\n"
}

private func digits(_ number: Int64) -> String {
  let text = String(number)
  return String(repeating: "0", count: max(0, 19 - text.utf8.count)) + text
}

/// The kernel's random id of this boot.
private func bootID() -> String? {
  guard let bytes = try? FileDescriptor.open("/proc/sys/kernel/random/boot_id", O_RDONLY).read(upTo: 64) else {
    return nil
  }
  let text = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
  return text.utf8.count == 36 ? text : nil
}
