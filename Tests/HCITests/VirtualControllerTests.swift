import TestSupport
import Testing

@testable import HCI

/// The tests' own controller: what it must refuse, and what others hear of it.
@Suite struct VirtualControllerTests {
  /// Gives commands in hex, opcode first, and answers their statuses.
  private func statuses(_ controller: inout VirtualController, _ commands: String...) -> [UInt8] {
    commands.map { text in
      let bytes = hex(text)
      let code = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
      let event = controller.take(CommandPacket(code: code, parameters: Array(bytes.dropFirst(2))))
      // Command Complete: code, length, credits, opcode (2), status.
      return event[5]
    }
  }

  private let legacyParameters = "2006 20 00 20 00 03 01 00 00 00 00 00 00 00 07 00"
  private let setParameters = "2036 00 00 00 20 00 00 20 00 00 07 01 00 00 00 00 00 00 00 00 7F 01 00 01 00 00"
  private let masks = ["0C01 FF FF FF FF FF FF FF 3F", "2001 FF FF 00 00 00 00 00 00"]

  @Test func familiesAreNotMixedBeforeAReset() {
    var controller = VirtualController()
    #expect(statuses(&controller, "200A 00", "2039 00 00", "2042 00 00 00 00 00 00") == [0, 0x0C, 0x0C])
    #expect(statuses(&controller, "0C03", "2039 00 00", "200A 00", "200C 00 00") == [0, 0, 0x0C, 0x0C])
    #expect(controller.complaints.isEmpty, "that is no mistake of form")
    var old = VirtualController(model: .bluetooth4)
    #expect(statuses(&old, "2039 00 00", "200A 00") == [0x01, 0])
  }

  @Test(arguments: [
    "0C03 00", "0C01 00", "2005 01 02 03", "2006 20 00", "2008 03 01 02 03", "200A", "200A 02",
    "200B 00 60 00 60 00 01",
    "200B 00 60 00 61 00 01 00", "200C 01", "2010 00", "1001 00",
  ])
  func whatIsMalformedIsRefusedAndNoted(_ command: String) {
    var controller = VirtualController()
    #expect(statuses(&controller, command) == [0x12])
    #expect(controller.complaints.count == 1)
  }

  @Test(arguments: [
    "2035 00 01 02 03 04 05", "2036 00", "2037 00 03 01 02 AA", "2037 00 01 01 00", "2039 01 00", "2039 01 01 00 00 00",
    "2041 01 00 01 00 60 00 60", "2041 01 00 00", "2042 01 00",
  ])
  func whatIsMalformedOfASetIsRefusedAndNoted(_ command: String) {
    var controller = VirtualController()
    #expect(statuses(&controller, setParameters, command) == [0, 0x12])
  }

  @Test func orderMatters() {
    var controller = VirtualController()
    // No random address yet; none may come while it is on the air; parameters neither.
    let first = statuses(
      &controller, legacyParameters, "200A 01", "2005 01 02 03 04 05 06", "200A 01", "2005 01 02 03 04 05 07",
      legacyParameters, "200A 00", legacyParameters)
    #expect(first == [0, 0x12, 0, 0, 0x0C, 0x0C, 0, 0])
    #expect(statuses(&controller, "0C03", "2037 00 03 01 01 AA", setParameters) == [0, 0x42, 0])
    // A set that is on takes data whole, not in pieces.
    let second = statuses(
      &controller, "2039 01 01 00 00 00 00", "2035 00 01 02 03 04 05 06", "2039 01 01 00 00 00 00", setParameters,
      "2037 00 01 01 01 AA", "2037 00 03 01 01 AA", "203D")
    #expect(second == [0x12, 0, 0, 0x0C, 0x0C, 0, 0x0C])
    var old = VirtualController(model: .bluetooth4)
    #expect(statuses(&old, legacyParameters) == [0x11], "20 ms came with 5.0")
  }

  @Test func longDataAreHeardInPiecesThatFitTogether() throws {
    var (sender, listener) = (VirtualController(), VirtualController())
    let data = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
    let pieces = [(1, data[0..<250]), (0, data[250..<500]), (2, data[500..<600])].map { operation, part in
      "2037 00 0\(operation) 01 \(hexadecimalText([UInt8(part.count)])) \(hexadecimalText(part))"
    }
    _ = statuses(&sender, setParameters, "2035 00 01 02 03 04 05 06")
    for piece in pieces { #expect(statuses(&sender, piece) == [0]) }
    #expect(statuses(&sender, "2039 01 01 00 00 00 00") == [0])
    for mask in masks { #expect(statuses(&listener, mask) == [0]) }
    #expect(statuses(&listener, "2042 01 00 00 00 00 00") == [0])
    let events = listener.hear(try #require(sender.transmissions.first))
    #expect(events.count == 3)
    var parser = AdvertisingReportParser()
    var (counters, heard) = (RadioCounters(), [[UInt8]]())
    for event in events { parser.forEachReport(in: event.span, counters: &counters) { heard.append(bytes($1)) } }
    #expect(heard == [data])
  }

  @Test func extendedPacketsAreForExtendedScannersAndMasksMatter() throws {
    var sender = VirtualController()
    _ = statuses(&sender, setParameters, "2035 00 01 02 03 04 05 06", "2039 01 01 00 00 00 00")
    let advert = try #require(sender.transmissions.first)
    var legacy = VirtualController()
    for mask in masks { _ = statuses(&legacy, mask) }
    #expect(statuses(&legacy, "200C 01 00") == [0] && legacy.hear(advert).isEmpty)
    var deaf = VirtualController()
    #expect(statuses(&deaf, "2042 01 00 00 00 00 00") == [0] && deaf.hear(advert).isEmpty, "LE Meta is masked at first")
  }
}
