internal import CBenchmark
internal import HCI
internal import POSIX
internal import RoundTrip

/// A way to a virtual radio over TCP that notes when each packet passed, one connection after another.
///
/// Bytes are handed on before they are looked at.
final class HCITap: Sendable {
  /// Where hosts connect to.
  let port: UInt16
  private let packets: Monitor<[TappedPacket]>

  /// - Parameters:
  ///   - name: what its thread is called.
  ///   - air: the port of the virtual radio, where each connection is a controller.
  init(_ name: String, to air: UInt16) throws {
    var port: UInt16 = 0
    let listener = unsafe cbenchmark_listen_tcp(&port)
    guard listener >= 0 else { throw BenchmarkError("no port to listen on: \(Errno.current)") }
    self.port = port
    let packets = Monitor<[TappedPacket]>([])
    self.packets = packets
    // Until the process ends: nothing else ends the wait for the next connection.
    _ = try POSIX.Thread(name: name) {
      while true {
        // Before there is a host: how long the way to the radio takes isn't the host's matter.
        let controller = cbenchmark_connect_tcp(air)
        guard controller >= 0 else { return }
        let host = cbenchmark_accept(listener)
        guard host >= 0 else { return }
        var relay = Relay(host: host, controller: controller)
        while relay.handOn({ packet in packets.withLock(waking: false) { $0.append(packet) } }) {}
        cbenchmark_close(controller)
        cbenchmark_close(host)
      }
    }
  }

  /// What passed since the last call.
  func take() -> [TappedPacket] {
    packets.withLock(waking: false) { packets in
      defer { packets = [] }
      return packets
    }
  }
}

/// Two connections whose bytes go from each to the other.
private struct Relay {
  private let connections: [Int32]
  private var deframers = [H4Deframer(), H4Deframer()]
  private var poller: Poller
  private var buffer = [UInt8](repeating: 0, count: 8_192)

  init(host: Int32, controller: Int32) {
    connections = [host, controller]
    poller = Poller([(host, .readable), (controller, .readable)])
    for connection in connections { cbenchmark_hurry(connection) }
  }

  /// Waits for bytes and hands them on; false where either end is gone, or speaks no H4.
  mutating func handOn(_ note: (TappedPacket) -> Void) -> Bool {
    guard (try? poller.wait(until: nil)) == true else { return false }
    for from in 0...1 where !poller.readiness(at: from).isEmpty {
      let count = unsafe cbenchmark_read(connections[from], &buffer, buffer.count)
      let moment = BootInstant.now()
      guard count > 0, unsafe cbenchmark_write(connections[1 - from], buffer, count) == 0 else { return false }
      cbenchmark_hurry(connections[from])
      let direction: TappedPacket.Direction = from == 0 ? .toController : .toHost
      let bytes = buffer
      do throws(RadioError) {
        try deframers[from].push(bytes.span.extracting(0..<count)) { kind, packet in
          note(TappedPacket(moment, direction, kind, packet.indices.map { packet[$0] }))
        }
      } catch {
        return false
      }
    }
    return true
  }
}
