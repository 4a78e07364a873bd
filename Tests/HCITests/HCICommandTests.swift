import Advertising
import Testing

@testable import HCI

@Suite struct HCICommandTests {
  /// Expected bytes written by hand from the Core Specification, Vol 4, Part E.
  @Test(arguments: [
    (HCICommand.reset, "03 0C 00"),
    (.setEventMask(0x2000_0000_0000_8000), "01 0C 08 00 80 00 00 00 00 00 20"),
    (.readLocalVersion, "01 10 00"),
    (.readLocalFeatures, "03 10 00"),
    (.leSetEventMask(0x1002), "01 20 08 02 10 00 00 00 00 00 00"),
    (.leReadLocalFeatures, "03 20 00"),
    (.leSetRandomAddress(DeviceAddress(value: 0x0102_0304_0506)), "05 20 06 06 05 04 03 02 01"),
    (.leSetAdvertisingParameters(interval: 0x20), "06 20 0F 20 00 20 00 03 01 00 00 00 00 00 00 00 07 00"),
    (.leSetAdvertisingParameters(interval: 0xA0), "06 20 0F A0 00 A0 00 03 01 00 00 00 00 00 00 00 07 00"),
    (.leSetAdvertisingEnable(true), "0A 20 01 01"),
    (.leSetAdvertisingEnable(false), "0A 20 01 00"),
    (.leSetScanParameters(.passive, interval: 0x60), "0B 20 07 00 60 00 60 00 01 00"),
    (.leSetScanParameters(.active, interval: 0x60), "0B 20 07 01 60 00 60 00 01 00"),
    (.leSetScanEnable(true), "0C 20 02 01 00"),
    (.leSetScanEnable(false), "0C 20 02 00 00"),
    (.leClearFilterAcceptList, "10 20 00"),
    (.readAddress, "09 10 00"),
    (
      .leSetAdvertisingSetRandomAddress(DeviceAddress(value: 0x0102_0304_0506), of: .own),
      "35 20 07 00 06 05 04 03 02 01"
    ),
    (
      .leSetExtendedAdvertisingParameters(interval: 0x20, pdu: .legacy, of: .own),
      "36 20 19 00 10 00 20 00 00 20 00 00 07 01 00 00 00 00 00 00 00 00 7F 01 00 01 00 00"
    ),
    (
      .leSetExtendedAdvertisingParameters(interval: 0xA0, pdu: .extended, of: .shared),
      "36 20 19 EF 00 00 A0 00 00 A0 00 00 07 01 00 00 00 00 00 00 00 00 7F 01 00 01 00 00"
    ),
    (.leSetExtendedAdvertisingEnable(true, of: .own), "39 20 06 01 01 00 00 00 00"),
    (.leSetExtendedAdvertisingEnable(false, of: .shared), "39 20 06 00 01 EF 00 00 00"),
    (.leStopAllAdvertisingSets, "39 20 02 00 00"),
    (.leSetExtendedScanParameters(.passive, interval: 0x60), "41 20 08 01 00 01 00 60 00 60 00"),
    (.leSetExtendedScanParameters(.active, interval: 0x60), "41 20 08 01 00 01 01 60 00 60 00"),
    (.leSetExtendedScanEnable(true), "42 20 06 01 00 00 00 00 00"),
    (.leSetExtendedScanEnable(false), "42 20 06 00 00 00 00 00 00"),
  ])
  func hasTheBytesOfTheSpecification(_ command: HCICommand, _ expected: String) {
    #expect(command.bytes == hex(expected))
  }

  @Test(arguments: [0, 1, 21, 31])
  func padsAdvertisingDataTo31Bytes(_ count: Int) throws {
    let data = try AdvertisingData(bytes: Array(1...32).prefix(count).map { UInt8($0) })
    let padding = [UInt8](repeating: 0, count: 31 - count)
    let expected = [UInt8(count)] + data.bytes + padding
    #expect(HCICommand.leSetAdvertisingData(data).bytes == hex("08 20 20") + expected)
    #expect(HCICommand.leSetScanResponseData(data).bytes == hex("09 20 20") + expected)
  }

  @Test func extendedDataIsNotPadded() throws {
    let data = try AdvertisingData(bytes: [2, 1, 6])
    #expect(HCICommand.leSetExtendedAdvertisingData(data, of: .own).bytes == hex("37 20 07 00 03 01 03 02 01 06"))
  }

  @Test func opcodesAreNamed() {
    #expect(Opcode.leSetScanEnable.description == "LE Set Scan Enable (0x200C)")
    #expect(Opcode(rawValue: 0xFC01).description == "command 0xFC01")
    #expect(ControllerStatus.commandDisallowed.description == "command disallowed (0x0C)")
  }
}

@Suite struct HCIEventTests {
  @Test(arguments: [
    ("0E 04 01 03 0C 00", HCIEvent.complete(.reset, credits: 1, status: .success, parameters: [])),
    ("0E 06 05 01 10 00 09 08", .complete(.readLocalVersion, credits: 5, status: .success, parameters: [9, 8])),
    ("0E 03 FF 00 00", .complete(.none, credits: 255, status: nil, parameters: [])),
    ("0E 02 01 03", .malformed),
    ("0F 04 0C 00 0C 20", .status(.leSetScanEnable, credits: 0, .commandDisallowed)),
    ("0F 03 0C 00 0C", .malformed),
    ("10 01 42", .hardwareError(0x42)),
    ("10 00", .malformed),
    ("13 05 01 00 00 01 00", .other),
    ("0E 04 01 03 0C", .malformed),
    ("0E", .malformed),
    ("", .malformed),
    // Longer than it claims: what it claims counts.
    ("10 01 42 43", .hardwareError(0x42)),
  ])
  func reads(_ text: String, _ expected: HCIEvent) {
    #expect(HCIEvent(parsing: hex(text).span) == expected)
  }

  @Test func takesAnyBytes() {
    var random = Pseudorandom(seed: 1)
    for round in 0..<20_000 {
      var packet = random.bytes(round % 12)
      if round % 2 == 0, packet.count > 1 { packet[0] = [0x0E, 0x0F, 0x10][round % 3] }
      if round % 4 == 0, packet.count > 1 { packet[1] = UInt8(packet.count - 2) }
      _ = HCIEvent(parsing: packet.span)
    }
  }
}
