internal import POSIX

/// An H4 stream over a serial line, which may begin in the middle of a packet, or with noise.
final class SerialTransport: HCITransport {
  private let port: SerialPort
  private var hunt = ResetHunt()
  private var deframer = H4Deframer()
  private var buffer = [UInt8](repeating: 0, count: 4096)

  init(_ port: consuming SerialPort) { self.port = port }

  var descriptor: Int32 { port.number }

  var isShared: Bool { false }

  func receive(_ packet: (PacketKind, Span<UInt8>) -> Void) throws(RadioError) {
    // Bounded, so that a flood never keeps the thread from its other duties.
    for _ in 0..<16 {
      guard let count = try read() else { return }
      if count == 0 { throw .ended }
      let bytes = buffer
      let new = bytes.span.extracting(0..<count)
      if hunt.isOver { try deframer.push(new, packet) } else { try deframer.push(hunt.push(new).span, packet) }
      if count < buffer.count { return }
    }
  }

  func send(_ command: HCICommand) throws(RadioError) {
    // A command is far smaller than any line's buffer: one that doesn't fit means that nothing is let out.
    let deadline = BootInstant.now() + .milliseconds(100)
    do throws(Errno) {
      try port.sendAll([PacketKind.command.rawValue] + command.bytes, until: deadline)
    } catch {
      throw error == .inputOutput ? .ended : .failed(error)
    }
  }

  func takeSkippedBytes() -> UInt64 { hunt.takeSkipped() }

  private func read() throws(RadioError) -> Int? {
    do throws(Errno) { return try port.receive(into: &buffer) } catch {
      throw error == .inputOutput ? .ended : .failed(error)
    }
  }
}
