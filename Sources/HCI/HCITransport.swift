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
  switch spec {
  case .tcp, .unix: try StreamTransport.open(spec, until: deadline, cancel: cancel)
  case .userChannel, .userChannelOf, .rawChannel, .serial: throw .notYet(spec)
  }
}

/// An H4 stream over a connected socket.
final class StreamTransport: HCITransport {
  private let socket: Socket
  private var deframer = H4Deframer()
  private var buffer = [UInt8](repeating: 0, count: 4096)

  init(_ socket: consuming Socket) { self.socket = socket }

  /// Connects to the radio that the text names.
  ///
  /// - Parameters:
  ///   - deadline: when to give up.
  ///   - cancel: ends the attempt when signalled, but for a name server's answer.
  static func open(_ spec: RadioSpec, until deadline: BootInstant, cancel: WakeUp) throws(RadioError) -> StreamTransport
  {
    var failure = Errno.connectionRefused
    for address in try addresses(of: spec) {
      do throws(Errno) {
        return StreamTransport(try Socket.connect(to: address, until: deadline, cancel: cancel))
      } catch {
        if error == .canceled { throw .stopped }
        failure = error
      }
    }
    throw .cannotOpen(spec, failure)
  }

  private static func addresses(of spec: RadioSpec) throws(RadioError) -> [SocketAddress] {
    switch spec {
    case .tcp(let host, let port):
      do throws(ResolverError) {
        return try SocketAddress.resolve(host: host, port: port)
      } catch {
        throw .unknownHost(spec, reason: error.reason)
      }
    case .unix(let path):
      guard let address = SocketAddress(unixPath: path) else { throw .cannotOpen(spec, .nameTooLong) }
      return [address]
    case .userChannel, .userChannelOf, .rawChannel, .serial: throw .notYet(spec)
    }
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
