// What a controller sends and gets, byte for byte, from the Core Specification alone: nothing here is shared with what is
// tested. Events are without their H4 type byte.

/// A command as a controller gets it (Core Specification, Vol 4, Part E, 5.4.1).
public struct CommandPacket: Hashable, Sendable {
  /// The opcode.
  public let code: UInt16
  public let parameters: [UInt8]

  public init(code: UInt16, parameters: [UInt8]) {
    self.code = code
    self.parameters = parameters
  }
}

/// An event: code, length, parameters (5.4.4).
public func eventBytes(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] {
  [code, UInt8(clamping: parameters.count)] + parameters
}

/// Command Complete with a status and what follows it (7.7.14).
public func commandComplete(
  _ command: UInt16, _ status: UInt8 = 0, _ rest: [UInt8] = [], credits: UInt8 = 1
) -> [UInt8] {
  eventBytes(0x0E, [credits] + littleEndian(command) + [status] + rest)
}

/// Command Status (7.7.15).
public func commandStatus(_ command: UInt16, _ status: UInt8, credits: UInt8 = 1) -> [UInt8] {
  eventBytes(0x0F, [status, credits] + littleEndian(command))
}

/// Hardware Error (7.7.16).
public func hardwareError(_ code: UInt8) -> [UInt8] { eventBytes(0x10, [code]) }

/// One report of an LE Advertising Report event (7.7.65.2).
///
/// - Parameters:
///   - type: 3 is ADV_NONCONN_IND.
///   - length: what is claimed instead of the data's length.
///   - rssi: −56 dBm unless given.
public func legacyReportBytes(
  type: UInt8 = 3, addressType: UInt8 = 1, address: [UInt8], data: [UInt8], length: UInt8? = nil, rssi: UInt8 = 0xC8
) -> [UInt8] {
  [type, addressType] + address + [length ?? UInt8(clamping: data.count)] + data + [rssi]
}

/// An LE Advertising Report event.
///
/// - Parameter count: what is claimed instead of the number of reports.
public func legacyReportEvent(_ reports: [[UInt8]], count: UInt8? = nil) -> [UInt8] {
  eventBytes(0x3E, [0x02, count ?? UInt8(clamping: reports.count)] + reports.flatMap { $0 })
}

/// One report of an LE Extended Advertising Report event (7.7.65.13).
///
/// - Parameters:
///   - type: bit 4 says that the packet was a legacy one; bits 5 and 6: more of its data is to come, or was lost.
///   - set: 0xFF is none.
public func extendedReportBytes(
  type: UInt16 = 0, addressType: UInt8 = 1, address: [UInt8], set: UInt8 = 1, data: [UInt8], length: UInt8? = nil
) -> [UInt8] {
  // Behind the address: PHYs (2), set, power, RSSI, interval (2), peer (7).
  let middle: [UInt8] = [1, 0, set, 0x7F, 0xC8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  let head = littleEndian(type) + [addressType] + address + middle
  return head + [length ?? UInt8(clamping: data.count)] + data
}

/// An LE Extended Advertising Report event.
public func extendedReportEvent(_ reports: [[UInt8]], count: UInt8? = nil) -> [UInt8] {
  eventBytes(0x3E, [0x0D, count ?? UInt8(clamping: reports.count)] + reports.flatMap { $0 })
}

/// A number's bytes, lowest first.
func littleEndian(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }

/// The number that the bytes are, lowest first; at most eight.
func littleEndian(_ bytes: some BidirectionalCollection<UInt8>) -> UInt64 {
  bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
}
