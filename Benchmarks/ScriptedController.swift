internal import CBenchmark
internal import POSIX

/// A controller on a Unix socket that answers every command with success, knows when it is told to scan, and says what
/// it is given to say.
final class ScriptedController: Sendable {
  private struct Host {
    var scans = 0
    /// The connection of the host that is there.
    var connection: Int32?
  }

  private let thread: POSIX.Thread
  private let host: Monitor<Host>

  /// Listens on a socket that doesn't exist yet.
  init(path: String) throws {
    let listener = unsafe cbenchmark_listen(path)
    guard listener >= 0 else { throw BenchmarkError("\(path): \(Errno.current)") }
    let host = Monitor(Host())
    self.host = host
    // Until the process ends: nothing else ends the wait for the next connection.
    thread = try POSIX.Thread(name: "controller") {
      while true {
        let number = cbenchmark_accept(listener)
        guard number >= 0 else { return }
        host.withLock { $0.connection = number }
        Self.serve(number, host)
        host.withLock { $0.connection = nil }
        cbenchmark_close(number)
      }
    }
  }

  /// How often it was told to scan so far.
  var scanCount: Int { host.withLock(waking: false) { $0.scans } }

  /// Sends whole packets to the host that is there; waits where it doesn't read.
  func send(_ packets: [UInt8]) throws {
    try host.withLock(waking: false) { host in
      guard let connection = host.connection, unsafe cbenchmark_write(connection, packets, packets.count) == 0 else {
        throw BenchmarkError("the controller's host is gone")
      }
    }
  }

  /// Answers commands until the host leaves.
  private static func serve(_ connection: Int32, _ host: Monitor<Host>) {
    var held: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 512)
    while true {
      let count = unsafe cbenchmark_read(connection, &buffer, buffer.count)
      guard count > 0 else { return }
      held += buffer[..<count]
      // An H4 command: 01, opcode (2), length, parameters.
      while held.count >= 4, held.count >= 4 + Int(held[3]) {
        let (low, high, length) = (held[1], held[2], Int(held[3]))
        // LE Set Scan Enable with its first parameter 1 (Core Specification, Vol 4, Part E, 7.8.11).
        let scans = low == 0x0C && high == 0x20 && length > 0 && held[4] == 1
        held.removeFirst(4 + length)
        let reply: [UInt8] = [0x04, 0x0E, 4, 1, low, high, 0]
        // A packet of its own: nobody else writes meanwhile.
        let sent = host.withLock { host in
          if scans { host.scans += 1 }
          return unsafe cbenchmark_write(connection, reply, reply.count) == 0
        }
        // A host that was killed.
        if !sent { return }
      }
    }
  }
}
