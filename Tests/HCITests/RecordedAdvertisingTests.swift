import Testing

@testable import HCI

@Suite struct RecordedAdvertisingTests {
  private static let data: [UInt8] = [2, 1, 6, 3, 0xFF, 1, 2]
  private static let padding = [UInt8](repeating: 0, count: 24)

  @Test func dataAreThoseOfTheCommand() {
    let legacy = [0x08, 0x20, 32, 7] + Self.data + Self.padding
    #expect(advertisingData(setBy: legacy.span) == Self.data)
    let extended = [0x37, 0x20, 11, 0, 3, 1, 7] + Self.data
    #expect(advertisingData(setBy: extended.span) == Self.data)
  }

  @Test(
    "anything else is none",
    arguments: [
      [], [0x08], [0x08, 0x20], [0x08, 0x20, 0], [0x08, 0x20, 1, 31], [0x08, 0x20, 2, 1], [0x0A, 0x20, 2, 1, 7],
      // A fragment, a set without data, a length beyond the end.
      [0x37, 0x20, 5, 0, 1, 1, 1, 9], [0x37, 0x20, 1, 0], [0x37, 0x20, 2, 0, 3], [0x37, 0x20, 3, 0, 3, 1],
      [0x37, 0x20, 5, 0, 3, 1, 2, 9], [0x37, 0x20, 4, 0, 3, 1, 1, 9],
    ] as [[UInt8]])
  func others(command: [UInt8]) { #expect(advertisingData(setBy: command.span) == nil) }
}
