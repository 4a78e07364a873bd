public import POSIX

/// A packet of a capture, besides its bytes.
public struct CapturedPacket: Hashable, Sendable {
  /// Which way a packet went.
  public enum Direction: Hashable, Sendable {
    /// From the host to the controller.
    case sent
    /// From the controller to the host.
    case received
  }

  public let kind: PacketKind
  public let direction: Direction
  /// When the host sent or received it.
  public let time: WallTime
  /// Its record's number in the file, from 1.
  public let record: Int
}

/// The btsnoop file format, as BlueZ and Wireshark have it: all numbers big-endian.
enum BTSnoop {
  /// The first bytes of a file, terminator included.
  static let magic: [UInt8] = [0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0x00]
  static let version: UInt32 = 1
  /// Magic, version, datalink.
  static let headerLength = 16
  /// Original length, included length, flags, drops, timestamp (8).
  static let recordHeaderLength = 24
  /// Microseconds from the format's zero, in the year 0, to 1970.
  static let unixEpoch: Int64 = 0x00DC_DDB3_0F2F_8000
  /// No HCI packet is longer than 4 + 65535 bytes, and its type byte.
  static let longestPacket = 65_540

  /// How packets stand in a file.
  enum Datalink: UInt32 {
    /// HCI UART: each packet with its H4 type byte.
    case h4 = 1002
    /// The kernel's monitor channel: adapter and kind in the flags.
    case monitor = 2001
  }

  static func timestamp(_ time: WallTime) -> UInt64 {
    let (product, overflow) = time.seconds.multipliedReportingOverflow(by: 1_000_000)
    let microseconds = overflow ? 0 : product
    return UInt64(bitPattern: microseconds &+ Int64(time.nanoseconds) / 1000 &+ unixEpoch)
  }

  static func time(_ timestamp: UInt64) -> WallTime {
    let (difference, overflow) = Int64(bitPattern: timestamp).subtractingReportingOverflow(unixEpoch)
    let microseconds = overflow ? 0 : difference
    var (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    if rest < 0 {
      seconds -= 1
      rest += 1_000_000
    }
    return WallTime(seconds: seconds, nanoseconds: Int32(rest) * 1000)
  }

  /// Appends a number, highest byte first.
  static func append(_ value: some FixedWidthInteger & UnsignedInteger, to bytes: inout [UInt8]) {
    var shift = value.bitWidth
    while shift > 0 {
      shift -= 8
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}
