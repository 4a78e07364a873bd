internal import CBenchmark
internal import POSIX

/// A controller on a Unix socket that answers every command with success, and knows when it is told to scan.
final class ScriptedController: Sendable {
  private let listener: Int32
  private let thread: POSIX.Thread
  private let scans: Monitor<Int>

  /// Listens on a socket that doesn't exist yet.
  init(path: String) throws {
    let listener = unsafe cbenchmark_listen(path)
    guard listener >= 0 else { throw BenchmarkError("\(path): \(Errno.current)") }
    let scans = Monitor(0)
    self.listener = listener
    self.scans = scans
    // Until the process ends: nothing else ends the wait for the next connection.
    thread = try POSIX.Thread(name: "controller") {
      while true {
        let number = cbenchmark_accept(listener)
        guard number >= 0 else { return }
        Self.serve(FileDescriptor(takingOwnershipOf: number)) { scans.withLock { $0 += 1 } }
      }
    }
  }

  /// How often it was told to scan so far.
  var scanCount: Int { scans.withLock(waking: false) { $0 } }

  /// Answers commands until the host leaves.
  private static func serve(_ stream: consuming FileDescriptor, onScan: () -> Void) {
    var held: [UInt8] = []
    do throws(Errno) {
      while true {
        let bytes = try stream.read(upTo: 512)
        guard !bytes.isEmpty else { return }
        held += bytes
        // An H4 command: 01, opcode (2), length, parameters.
        while held.count >= 4, held.count >= 4 + Int(held[3]) {
          let (low, high, length) = (held[1], held[2], Int(held[3]))
          // LE Set Scan Enable with its first parameter 1 (Core Specification, Vol 4, Part E, 7.8.11).
          if low == 0x0C, high == 0x20, length > 0, held[4] == 1 { onScan() }
          held.removeFirst(4 + length)
          try stream.writeAll([0x04, 0x0E, 4, 1, low, high, 0])
        }
      }
    } catch {
      // A host that was killed.
    }
  }
}
