internal import POSIX

/// A way to a controller: whole packets in, commands out.
///
/// One thread uses it; it closes when it is let go.
protocol HCITransport: AnyObject {
  /// What to wait on for packets (poll(2)).
  var descriptor: Int32 { get }

  /// Hands on the packets that are there, without waiting.
  ///
  /// - Parameter packet: gets a packet without its H4 type byte, valid during the call only.
  /// - Throws: `RadioError` where the stream is at its end or broken; the packets before were handed on.
  func receive(_ packet: (PacketKind, Span<UInt8>) -> Void) throws(RadioError)

  /// Sends a command, within a fraction of a second or not at all.
  func send(_ command: HCICommand) throws(RadioError)

  /// Whether others use the controller at the same time: then it is neither reset nor told which events to send.
  var isShared: Bool { get }

  /// How many bytes were passed over since the last call, since no packet began there.
  func takeSkippedBytes() -> UInt64
}

extension HCITransport {
  /// None, unless the transport can begin in the middle.
  func takeSkippedBytes() -> UInt64 { 0 }
}

/// Opens what the radio's text names.
///
/// - Parameters:
///   - takesOver: takes an adapter of the kernel from whoever holds it.
///   - deadline: when to give up.
///   - cancel: ends the attempt when signalled, but for a name server's answer.
func openTransport(
  _ spec: RadioSpec, takesOver: Bool, until deadline: BootInstant, cancel: WakeUp
) throws(RadioError) -> any HCITransport {
  let adapter = AdapterOpening(
    kernel: LinuxKernel(), spec: spec, takesOver: takesOver, deadline: deadline, cancel: cancel)
  return switch spec {
  case .tcp(let host, let port): try StreamTransport.open(spec, addresses(spec, host, port), deadline, cancel)
  case .unix(let path): try StreamTransport.open(spec, address(spec, path), deadline, cancel)
  case .userChannel(let index): try adapter.openUserChannel(index)
  case .userChannelOf(let address): try adapter.openUserChannel(of: address)
  case .rawChannel(let index): try adapter.openRawChannel(index)
  case .serial(let path, let baud, let flowControl): try openSerial(spec, path, baud, flowControl)
  }
}

private func addresses(_ spec: RadioSpec, _ host: String, _ port: UInt16) throws(RadioError) -> [SocketAddress] {
  do throws(ResolverError) { return try SocketAddress.resolve(host: host, port: port) } catch {
    throw .unknownHost(spec, reason: error.reason)
  }
}

private func address(_ spec: RadioSpec, _ path: String) throws(RadioError) -> [SocketAddress] {
  guard let address = SocketAddress(unixPath: path) else { throw .cannotOpen(spec, .nameTooLong) }
  return [address]
}

private func openSerial(
  _ spec: RadioSpec, _ path: String, _ baud: UInt32, _ flowControl: FlowControl
) throws(RadioError) -> SerialTransport {
  do throws(Errno) { return SerialTransport(try SerialPort.open(path, rate: baud, flowControl: flowControl)) } catch {
    throw .cannotOpen(spec, error)
  }
}

/// An H4 stream over a connected socket.
final class StreamTransport: HCITransport {
  private let socket: Socket
  private var deframer = H4Deframer()
  private var buffer = [UInt8](repeating: 0, count: 4096)

  init(_ socket: consuming Socket) { self.socket = socket }

  /// Connects to the first of the addresses that takes it.
  ///
  /// - Parameters:
  ///   - deadline: when to give up.
  ///   - cancel: ends the attempt when signalled.
  static func open(
    _ spec: RadioSpec, _ addresses: [SocketAddress], _ deadline: BootInstant, _ cancel: WakeUp
  ) throws(RadioError) -> StreamTransport {
    var failure = Errno.connectionRefused
    for address in addresses {
      do throws(Errno) {
        return StreamTransport(try Socket.connect(to: address, until: deadline, cancel: cancel))
      } catch {
        if error == .canceled { throw .stopped }
        failure = error
      }
    }
    throw .cannotOpen(spec, failure)
  }

  var descriptor: Int32 { socket.number }

  var isShared: Bool { false }

  func receive(_ packet: (PacketKind, Span<UInt8>) -> Void) throws(RadioError) {
    // Bounded, so that a flood never keeps the thread from its other duties.
    for _ in 0..<16 {
      guard let count = try read() else { return }
      if count == 0 { throw .ended }
      let bytes = buffer
      try deframer.push(bytes.span.extracting(0..<count), packet)
      if count < buffer.count { return }
    }
  }

  private func read() throws(RadioError) -> Int? {
    do throws(Errno) { return try socket.receive(into: &buffer) } catch { throw .failed(error) }
  }

  func send(_ command: HCICommand) throws(RadioError) {
    // A command is far smaller than any socket's buffer: one that doesn't fit means that nobody reads.
    let deadline = BootInstant.now() + .milliseconds(100)
    do throws(Errno) {
      try socket.sendAll([PacketKind.command.rawValue] + command.bytes, until: deadline)
    } catch {
      throw .failed(error)
    }
  }
}
