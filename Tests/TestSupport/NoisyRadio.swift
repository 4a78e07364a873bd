internal import Glibc
internal import POSIX

/// A radio between a program and RootCanal that adds what nobody sent: reports as many and as fast as wanted.
///
/// RootCanal takes about forty adverts a second from each advertiser, and its link port dies of the second packet. So
/// the flood is laid between two HCI packets on their way to the host.
public final class NoisyRadio: NoiseSource {
  public var radio: String { "tcp:127.0.0.1:\(port)" }

  private let port: UInt16
  private let listener: Int32
  private let host = Monitor(Host())

  private struct Host {
    /// The socket of the program that is connected now.
    var socket: Int32?
  }

  /// Listens on a free port; who connects gets a controller of `radio`.
  public init(before radio: RootCanal) throws {
    guard let port = freePorts(1) else { throw TestError("no free port") }
    self.port = port
    listener = try listenOnLoopback(port).release()
    let (listener, upstream, host) = (listener, radio.port, host)
    _ = try Thread(name: "noisy-accept") {
      while true {
        let accepted = accept(listener, nil, nil)
        guard accepted >= 0 else { return }
        do throws(Errno) { try Self.join(accepted, upstream, host) } catch { close(accepted) }
      }
    }
  }

  deinit { end() }

  /// Stops listening; who is connected sees the end of the stream.
  public func end() {
    shutdown(listener, Int32(SHUT_RDWR))
    host.withLock { host in
      if let socket = host.socket { shutdown(socket, Int32(SHUT_RDWR)) }
      host.socket = nil
    }
  }

  public func shout(_ adverts: [[UInt8]]) throws {
    for data in adverts {
      try host.withLock { host throws(TestError) in
        guard let socket = host.socket else { throw TestError("nobody is connected to the noisy radio") }
        guard send(all: noise(data), to: socket) else { throw TestError("the program left the noisy radio") }
      }
    }
  }

  /// Copies both ways until either end closes.
  private static func join(_ accepted: Int32, _ upstream: UInt16, _ host: Monitor<Host>) throws(Errno) {
    let controller = try connectToLoopback(upstream).release()
    host.withLock { $0.socket = accepted }
    _ = try Thread(name: "noisy-down") {
      var packets = PacketCutter()
      while let bytes = receive(from: controller) {
        let whole = packets.add(bytes)
        let sent = host.withLock { _ in whole.isEmpty || send(all: whole, to: accepted) }
        if !sent { break }
      }
      host.withLock { if $0.socket == accepted { $0.socket = nil } }
      shutdown(accepted, Int32(SHUT_RDWR))
      close(controller)
    }
    _ = try Thread(name: "noisy-up") {
      while let bytes = receive(from: accepted) {
        if !send(all: bytes, to: controller) { break }
      }
      shutdown(controller, Int32(SHUT_RDWR))
      close(accepted)
    }
  }
}

/// Keeps the part of a packet that isn't whole yet, so that something may be laid between two.
private struct PacketCutter {
  private var rest: [UInt8] = []

  /// All whole packets so far.
  ///
  /// A controller sends events (04, code, length) and nothing else here.
  mutating func add(_ bytes: [UInt8]) -> [UInt8] {
    rest += bytes
    var end = 0
    while rest.count >= end + 3 {
      let next = end + 3 + Int(rest[end + 2])
      guard next <= rest.count else { break }
      end = next
    }
    defer { rest.removeFirst(end) }
    return Array(rest[..<end])
  }
}

private func send(all bytes: [UInt8], to socket: Int32) -> Bool {
  var sent = 0
  while sent < bytes.count {
    let count = unsafe bytes.withUnsafeBytes { buffer in
      let part = unsafe UnsafeRawBufferPointer(rebasing: buffer[sent...])
      return unsafe Glibc.send(socket, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
    }
    if count < 0, Errno.current == .interrupted { continue }
    guard count > 0 else { return false }
    sent += count
  }
  return true
}

private func receive(from socket: Int32) -> [UInt8]? {
  var bytes = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe recv(socket, $0.baseAddress, $0.count, 0) }
    if count < 0, Errno.current == .interrupted { continue }
    return count > 0 ? Array(bytes[..<count]) : nil
  }
}
