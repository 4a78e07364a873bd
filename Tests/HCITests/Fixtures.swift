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
func event(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] { eventBytes(code, parameters) }

/// Command Complete with a status and what follows it.
func complete(_ opcode: Opcode, _ status: UInt8 = 0, _ rest: [UInt8] = [], credits: UInt8 = 1) -> [UInt8] {
  commandComplete(opcode.rawValue, status, rest, credits: credits)
}

/// Command Status.
func status(_ opcode: Opcode, _ status: UInt8, credits: UInt8 = 1) -> [UInt8] {
  commandStatus(opcode.rawValue, status, credits: credits)
}

/// A Command Complete with its H4 type byte, giving other credits.
func withCredits(_ credits: UInt8, _ answer: [UInt8]) -> [UInt8] {
  var answer = answer
  if answer.count > 3 { answer[3] = credits }
  return answer
}

/// A "no operation" that only gives credits.
func noOperation(credits: UInt8) -> [UInt8] { event(0x0E, [credits, 0, 0]) }

/// One report of a legacy event.
func legacyReport(
  type: UInt8 = 3, address: String = "01 02 03 04 05 06", data: [UInt8], length: UInt8? = nil, rssi: UInt8 = 0xC8
) -> [UInt8] {
  legacyReportBytes(type: type, address: hex(address), data: data, length: length, rssi: rssi)
}

/// An LE Advertising Report event.
func legacyEvent(_ reports: [[UInt8]], count: UInt8? = nil) -> [UInt8] { legacyReportEvent(reports, count: count) }

/// One report of an extended event.
func extendedReport(
  type: UInt16 = 0, set: UInt8 = 1, address: String = "01 02 03 04 05 06", data: [UInt8], length: UInt8? = nil
) -> [UInt8] {
  extendedReportBytes(type: type, address: hex(address), set: set, data: data, length: length)
}

/// An LE Extended Advertising Report event.
func extendedEvent(_ reports: [[UInt8]], count: UInt8? = nil) -> [UInt8] { extendedReportEvent(reports, count: count) }

/// What a parser handed on.
struct Heard: Hashable {
  let report: AdvertisingReport
  let data: [UInt8]
}

/// The bytes of a span.
func bytes(_ span: Span<UInt8>) -> [UInt8] { span.indices.map { span[$0] } }
