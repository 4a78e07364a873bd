internal import Glibc
internal import POSIX

/// The socket of a service manager (sd_notify(3)): what a service sends there, packet by packet.
public final class NotifySocket: Sendable {
  /// What NOTIFY_SOCKET is to be.
  public let name: String

  private struct State {
    var packets: [[String]] = []
    /// How many `packet` has passed.
    var seen = 0
  }

  private let state = Monitor(State())

  /// Makes the socket; it is read until the test's process ends.
  ///
  /// - Parameter name: a path, or `@` and a name of the abstract namespace.
  public init(_ name: String) throws {
    self.name = name
    let descriptor = FileDescriptor(
      takingOwnershipOf: try systemCall {
        socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      })
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let text = Array(name.utf8.map { $0 == UInt8(ascii: "@") ? 0 : $0 })
    let start = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2
    let number = descriptor.number
    try unsafe withUnsafeMutableBytes(of: &address) { raw throws(Errno) in
      guard text.count < raw.count - start else { throw .nameTooLong }
      unsafe raw[start..<(start + text.count)].copyBytes(from: text)
      let pointer = unsafe raw.baseAddress?.assumingMemoryBound(to: sockaddr.self)
      try systemCall { unsafe bind(number, pointer, socklen_t(start + text.count)) }
    }
    let (state, reader) = (state, descriptor.release())
    _ = try Thread(name: "notify") {
      let descriptor = FileDescriptor(takingOwnershipOf: reader)
      while true {
        var bytes: [UInt8] = []
        do throws(Errno) { bytes = try descriptor.read(upTo: 65_536) } catch { return }
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        state.withLock { $0.packets.append(lines) }
      }
    }
  }

  /// All packets so far, each as its lines.
  public var packets: [[String]] { state.withLock(waking: false) { $0.packets } }

  /// Waits for a packet with a line that fits, behind the one that the last call took; answers its lines.
  @discardableResult
  public func packet(
    _ what: String, within limit: Duration = .seconds(20), _ fits: (String) -> Bool
  ) throws -> [String] {
    let found: [String]? = state.wait(until: .now() + limit) { state in
      while state.seen < state.packets.count {
        state.seen += 1
        if state.packets[state.seen - 1].contains(where: fits) { return state.packets[state.seen - 1] }
      }
      return nil
    }
    guard let found else { throw TestError("no \(what) within \(limit); what came: \(packets)") }
    return found
  }

  /// The same for a whole line.
  @discardableResult
  public func packet(_ line: String, within limit: Duration = .seconds(20)) throws -> [String] {
    try packet(line, within: limit) { $0 == line }
  }
}
