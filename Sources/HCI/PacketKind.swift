/// The kinds of HCI packets, by their H4 type byte (Core Specification, Vol 4, Part A, 2).
public enum PacketKind: UInt8, Hashable, Sendable {
  case command = 0x01
  case asynchronousData = 0x02
  case synchronousData = 0x03
  case event = 0x04
  case isochronousData = 0x05

  /// Bytes of the header behind the type byte, up to and with the length field (Vol 4, Part E, 5.4).
  var headerLength: Int {
    switch self {
    case .event: 2
    case .command, .synchronousData: 3
    case .asynchronousData, .isochronousData: 4
    }
  }

  /// Bytes behind the header, as the header at `start` says; the caller has made sure that it is all there.
  func bodyLength(_ bytes: Span<UInt8>, headerAt start: Int) -> Int {
    switch self {
    case .event: Int(bytes[start + 1])
    case .command, .synchronousData: Int(bytes[start + 2])
    case .asynchronousData: Int(bytes[start + 2]) | Int(bytes[start + 3]) << 8
    case .isochronousData: Int(bytes[start + 2]) | Int(bytes[start + 3] & 0x3F) << 8
    }
  }
}
