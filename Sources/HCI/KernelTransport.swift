internal import POSIX

/// An adapter of the kernel: a socket that gives and takes whole packets, each behind its H4 type byte.
final class KernelTransport: HCITransport {
  /// The room that is asked for, in bytes, for packets that aren't read yet.
  ///
  /// A full socket drops them without an error (radio.md, 16). The kernel counts about 800 bytes for each.
  static let receiveBuffer: Int32 = 4 << 20
  /// A packet of any kind and its type byte.
  private static let longestPacket = 65_540

  private let spec: RadioSpec
  let isShared: Bool
  private var socket: Socket?
  private let onClose: () -> Void
  private var buffer = [UInt8](repeating: 0, count: longestPacket)

  /// - Parameters:
  ///   - socket: bound to a channel of the adapter.
  ///   - isShared: whether it is the raw channel.
  ///   - onClose: runs once the socket is closed.
  init(_ spec: RadioSpec, _ socket: consuming Socket, isShared: Bool, onClose: @escaping () -> Void = {}) {
    self.spec = spec
    self.isShared = isShared
    self.socket = consume socket
    self.onClose = onClose
  }

  deinit {
    socket = nil
    onClose()
  }

  var descriptor: Int32 { socket?.number ?? -1 }

  func receive(_ packet: (PacketKind, Span<UInt8>) -> Void) throws(RadioError) {
    // Bounded, so that a flood never keeps the thread from its other duties.
    for round in 0..<64 {
      guard let count = try read() else {
        // Woken for nothing means a broken socket without an error to fetch: waiting for it would never end.
        if round == 0, try isBroken() { throw .adapter(spec, .gone) }
        return
      }
      guard count > 0 else { throw .adapter(spec, .gone) }
      guard let kind = PacketKind(rawValue: buffer[0]) else { throw .badFraming(buffer[0]) }
      let bytes = buffer
      packet(kind, bytes.span.extracting(1..<count))
    }
  }

  func send(_ command: HCICommand) throws(RadioError) {
    // The kernel queues it at once, or not at all.
    let deadline = BootInstant.now() + .milliseconds(100)
    do throws(Errno) {
      try socket?.sendAll([PacketKind.command.rawValue] + command.bytes, until: deadline)
    } catch {
      throw lost(error)
    }
  }

  private func read() throws(RadioError) -> Int? {
    do throws(Errno) { return try socket?.receive(into: &buffer) } catch { throw lost(error) }
  }

  private func isBroken() throws(RadioError) -> Bool {
    var poller = Poller([(descriptor, .readable)])
    do throws(Errno) { _ = try poller.wait(until: .now()) } catch { throw .failed(error) }
    return !poller.readiness(at: 0).isDisjoint(with: .broken)
  }

  /// What an error of a socket that worked before means.
  private func lost(_ errno: Errno) -> RadioError {
    switch errno {
    case .brokenPipe, .noSuchDevice, .badDescriptorState: .adapter(spec, .gone)
    case .networkDown: .adapter(spec, .down)
    case .notPermitted, .permissionDenied:
      .adapter(spec, .missingCapability(isShared ? .rawNetwork : .networkAdministration))
    default: .failed(errno)
    }
  }
}
