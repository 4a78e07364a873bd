import TestSupport

@testable import HCI

/// The bytes of hex text; spaces are for the reader.
func hex(_ text: String) -> [UInt8] { hexadecimalBytes(text.filter { $0 != " " }) ?? [] }

/// Repeatable random numbers (SplitMix64), so that a failure can be seen again.
struct Pseudorandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}

/// An event packet: code, length, parameters.
func event(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] { [code, UInt8(parameters.count)] + parameters }

/// Command Complete with a status and what follows it.
func complete(_ opcode: Opcode, _ status: UInt8 = 0, _ rest: [UInt8] = [], credits: UInt8 = 1) -> [UInt8] {
  event(0x0E, [credits, UInt8(opcode.rawValue & 0xFF), UInt8(opcode.rawValue >> 8), status] + rest)
}

/// Command Status.
func status(_ opcode: Opcode, _ status: UInt8, credits: UInt8 = 1) -> [UInt8] {
  event(0x0F, [status, credits, UInt8(opcode.rawValue & 0xFF), UInt8(opcode.rawValue >> 8)])
}

/// A "no operation" that only gives credits.
func noOperation(credits: UInt8) -> [UInt8] { event(0x0E, [credits, 0, 0]) }

/// One report of a legacy event.
func legacyReport(
  type: UInt8 = 3, address: String = "01 02 03 04 05 06", data: [UInt8], length: UInt8? = nil, rssi: UInt8 = 0xC8
) -> [UInt8] {
  var bytes: [UInt8] = [type, 1]
  bytes += hex(address)
  bytes.append(length ?? UInt8(data.count))
  bytes += data
  bytes.append(rssi)
  return bytes
}

/// An LE Advertising Report event.
func legacyEvent(_ reports: [[UInt8]], count: UInt8? = nil) -> [UInt8] {
  event(0x3E, [0x02, count ?? UInt8(reports.count)] + reports.flatMap { $0 })
}

/// One report of an extended event.
func extendedReport(
  type: UInt16 = 0, set: UInt8 = 1, address: String = "01 02 03 04 05 06", data: [UInt8], length: UInt8? = nil
) -> [UInt8] {
  var bytes: [UInt8] = [UInt8(type & 0xFF), UInt8(type >> 8), 1]
  bytes += hex(address)
  // PHYs, set, power, RSSI, interval, peer.
  bytes += [1, 0, set, 0x7F, 0xC8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  bytes.append(length ?? UInt8(data.count))
  bytes += data
  return bytes
}

/// An LE Extended Advertising Report event.
func extendedEvent(_ reports: [[UInt8]], count: UInt8? = nil) -> [UInt8] {
  event(0x3E, [0x0D, count ?? UInt8(reports.count)] + reports.flatMap { $0 })
}

/// What a parser handed on.
struct Heard: Hashable {
  let report: AdvertisingReport
  let data: [UInt8]
}

/// The bytes of a span.
func bytes(_ span: Span<UInt8>) -> [UInt8] { span.indices.map { span[$0] } }
