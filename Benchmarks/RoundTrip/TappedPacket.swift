package import HCI
package import POSIX

/// An HCI packet on its way between a host and its controller, with the moment at which it passed.
package struct TappedPacket: Hashable, Sendable {
  package enum Direction: Sendable {
    case toController
    case toHost
  }

  package let moment: BootInstant
  package let direction: Direction
  package let kind: PacketKind
  /// Without the H4 type byte.
  package let bytes: [UInt8]

  package init(_ moment: BootInstant, _ direction: Direction, _ kind: PacketKind, _ bytes: [UInt8]) {
    self.moment = moment
    self.direction = direction
    self.kind = kind
    self.bytes = bytes
  }

  /// The command's number; nil where it is no command.
  package var command: Opcode? {
    guard direction == .toController, kind == .command, bytes.count >= 3 else { return nil }
    return opcode(at: 0)
  }

  /// The number of the command that this replies to: Command Complete, Command Status (Core Specification, Vol 4, Part E,
  /// 7.7.14 and 7.7.15).
  package var repliesTo: Opcode? {
    guard direction == .toHost, kind == .event, let code = bytes.first else { return nil }
    switch code {
    case 0x0E where bytes.count >= 5: return opcode(at: 3)
    case 0x0F where bytes.count >= 6: return opcode(at: 4)
    default: return nil
    }
  }

  /// Whether it is one of these commands.
  package func isOne(of commands: Set<Opcode>) -> Bool { command.map { commands.contains($0) } ?? false }

  /// Whether it is one of these commands with a first parameter of 1: those that switch on and off do so by it.
  package func enables(_ commands: Set<Opcode>) -> Bool { isOne(of: commands) && bytes.count > 3 && bytes[3] == 1 }

  /// The advertising data that a command sets, of either family (7.8.7, 7.8.54); nil where it sets none.
  package var dataSet: [UInt8]? {
    switch command {
    case .leSetAdvertisingData: dataBehindLength(at: 3)
    // Handle, operation and fragmentation stand before the length.
    case .leSetExtendedAdvertisingData: dataBehindLength(at: 6)
    default: nil
    }
  }

  /// The advertising data that an event reports; none where it is no advertising report.
  package var dataHeard: [[UInt8]] {
    guard direction == .toHost, kind == .event else { return [] }
    var parser = AdvertisingReportParser()
    var counters = RadioCounters()
    var heard: [[UInt8]] = []
    parser.forEachReport(in: bytes.span, counters: &counters) { _, data in
      heard.append(data.indices.map { data[$0] })
    }
    return heard
  }

  private func opcode(at position: Int) -> Opcode {
    Opcode(rawValue: UInt16(bytes[position]) | UInt16(bytes[position + 1]) << 8)
  }

  private func dataBehindLength(at position: Int) -> [UInt8]? {
    guard bytes.count > position, bytes.count - position - 1 >= Int(bytes[position]) else { return nil }
    return Array(bytes[(position + 1)...].prefix(Int(bytes[position])))
  }
}
