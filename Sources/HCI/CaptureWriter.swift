internal import Glibc
internal import POSIX

/// Writes packets to a btsnoop file of datalink 1002, which `btmon -r` and Wireshark read.
///
/// Each packet is one write, so that a program that is killed loses none before. One thread uses it.
final class CaptureWriter {
  private let path: String
  private let file: FileDescriptor
  private var record: [UInt8] = []
  /// Why it stopped writing; the radio goes on without it.
  private(set) var failure: RadioError?

  /// Begins a capture, in place of an older one of that name.
  ///
  /// - Throws: `RadioError.notACapture` where the file holds anything else, which isn't overwritten;
  ///   `RadioError.capture` where it can't be written.
  init(path: String) throws(RadioError) {
    self.path = path
    do throws(Errno) {
      let file = try FileDescriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
      guard try Self.mayBeReplaced(file) else { throw Errno.exists }
      let number = file.number
      try systemCall { ftruncate(number, 0) }
      var header = BTSnoop.magic
      BTSnoop.append(BTSnoop.version, to: &header)
      BTSnoop.append(BTSnoop.Datalink.h4.rawValue, to: &header)
      try systemCall { lseek(number, 0, SEEK_SET) }
      try file.writeAll(header)
      self.file = file
    } catch {
      throw error == .exists ? .notACapture(path) : .capture(path, error)
    }
  }

  /// Adds a packet, without its H4 type byte.
  func write(_ kind: PacketKind, _ direction: CapturedPacket.Direction, _ packet: Span<UInt8>, at time: WallTime) {
    guard failure == nil else { return }
    let length = UInt32(clamping: packet.count + 1)
    let isControl = kind == .command || kind == .event
    record.removeAll(keepingCapacity: true)
    BTSnoop.append(length, to: &record)
    BTSnoop.append(length, to: &record)
    // Bit 0: received; bit 1: command or event.
    BTSnoop.append(UInt32((direction == .received ? 1 : 0) | (isControl ? 2 : 0)), to: &record)
    BTSnoop.append(UInt32(0), to: &record)
    BTSnoop.append(BTSnoop.timestamp(time), to: &record)
    record.append(kind.rawValue)
    record.append(contentsOf: packet)
    do throws(Errno) { try file.writeAll(record) } catch { failure = .capture(path, error) }
  }

  /// Whether a file is empty, or a capture.
  private static func mayBeReplaced(_ file: borrowing FileDescriptor) throws(Errno) -> Bool {
    guard try file.status().isRegular else { return false }
    let beginning = try file.read(upTo: BTSnoop.magic.count)
    return beginning.isEmpty || beginning == BTSnoop.magic
  }
}

/// A transport that writes every packet of another to a capture.
final class CapturingTransport: HCITransport {
  private let base: any HCITransport
  private let capture: CaptureWriter

  init(_ base: any HCITransport, into capture: CaptureWriter) {
    self.base = base
    self.capture = capture
  }

  var descriptor: Int32 { base.descriptor }

  var isShared: Bool { base.isShared }

  func takeSkippedBytes() -> UInt64 { base.takeSkippedBytes() }

  func receive(_ packet: (PacketKind, Span<UInt8>) -> Void) throws(RadioError) {
    try base.receive { kind, bytes in
      capture.write(kind, .received, bytes, at: .now())
      packet(kind, bytes)
    }
  }

  func send(_ command: HCICommand) throws(RadioError) {
    capture.write(.command, .sent, command.bytes.span, at: .now())
    try base.send(command)
  }
}
