import HCI
import POSIX
import RoundTrip
import Testing

/// A made-up round: each moment in milliseconds, each duration another one.
private struct MadeUpRound {
  static let advert: [UInt8] = [2, 1, 6, 1, 0xAD]
  static let answer: [UInt8] = [2, 1, 6, 1, 0xA5]
  static let beacon: [UInt8] = [2, 1, 6, 1, 0xBE]

  var holder: [TappedPacket] = [
    command(1_005, .reset), complete(1_010, .reset),
    command(1_011, .leSetScanEnable, [1, 0]), complete(1_016, .leSetScanEnable),
    report(1_056, beacon),
    command(1_208, .leSetAdvertisingData, [UInt8(advert.count)] + advert), complete(1_212, .leSetAdvertisingData),
    command(1_213, .leSetAdvertisingEnable, [1]), complete(1_219, .leSetAdvertisingEnable),
    report(1_290, answer),
    command(1_291, .leSetAdvertisingEnable, [0]), complete(1_295, .leSetAdvertisingEnable),
  ]
  var door: [TappedPacket] = [
    report(1_230, advert),
    command(1_240, .leSetExtendedAdvertisingData, [0, 3, 1, UInt8(beacon.count)] + beacon),
    complete(1_246, .leSetExtendedAdvertisingData),
    command(1_247, .leSetExtendedAdvertisingData, [0, 3, 1, UInt8(answer.count)] + answer),
  ]

  func parts(granted: Int? = 1_233, moved: Int? = 1_235, choice: Duration = .milliseconds(150)) throws -> RoundParts {
    let round = Round(
      started: at(1_000), ended: at(1_298), holder: holder, door: door, granted: granted.map(at), moved: moved.map(at),
      advert: Self.advert, choice: choice)
    return try RoundParts(round) { $0 == Self.beacon }
  }
}

private func at(_ milliseconds: Int) -> BootInstant { BootInstant(nanoseconds: UInt64(milliseconds) * 1_000_000) }

private func command(_ milliseconds: Int, _ opcode: Opcode, _ parameters: [UInt8] = []) -> TappedPacket {
  let number = opcode.rawValue
  return TappedPacket(
    at(milliseconds), .toController, .command,
    [UInt8(number & 0xFF), UInt8(number >> 8), UInt8(parameters.count)] + parameters)
}

private func complete(_ milliseconds: Int, _ opcode: Opcode) -> TappedPacket {
  let number = opcode.rawValue
  return TappedPacket(
    at(milliseconds), .toHost, .event, [0x0E, 4, 1, UInt8(number & 0xFF), UInt8(number >> 8), 0])
}

private func report(_ milliseconds: Int, _ data: [UInt8]) -> TappedPacket {
  let report: [UInt8] = [3, 1, 1, 2, 3, 4, 5, 6, UInt8(data.count)] + data + [0xC0]
  return TappedPacket(at(milliseconds), .toHost, .event, [0x3E, UInt8(report.count + 2), 0x02, 1] + report)
}

struct RoundPartsTests {
  @Test("each part of a round is what lies between its packets, without the controller's replies")
  func parts() throws {
    let parts = try MadeUpRound().parts()
    let expected: [RoundPart: Int] = [
      .processStart: 5, .radioSetUp: 1, .setUpReplies: 10, .beacon: 40, .choice: 150, .firstAdvert: 3,
      .advertReplies: 4,
      .heard: 17, .recorded: 3, .moved: 2, .answered: 6, .answerReplies: 6, .delivered: 43, .left: 4,
      .leavingReplies: 4,
    ]
    for part in RoundPart.allCases { #expect(parts[part] == .milliseconds(expected[part] ?? -1), "\(part)") }
  }

  @Test("the parts add up to the process's life, and ours to 24 ms of it")
  func sums() throws {
    let parts = try MadeUpRound().parts()
    #expect(parts.whole == .milliseconds(298))
    #expect(parts.ours == .milliseconds(24))
    #expect(parts.setUpCommands == [.reset, .leSetScanEnable])
  }

  @Test("an answer that waits for advertising to be switched on again counts from then on")
  func changedInterval() throws {
    var round = MadeUpRound()
    round.door[1...2] = [
      command(1_240, .leSetExtendedAdvertisingEnable, [0, 0]), complete(1_246, .leSetExtendedAdvertisingEnable),
    ]
    round.door += [
      complete(1_250, .leSetExtendedAdvertisingData),
      command(1_252, .leSetExtendedAdvertisingEnable, [1, 1, 0, 0, 0, 0]),
    ]
    let parts = try round.parts()
    #expect(parts[.answered] == .milliseconds(8) && parts[.answerReplies] == .milliseconds(9))
    #expect(parts[.delivered] == .milliseconds(38))
  }

  @Test("a time frame waits for a beacon, but for no stronger one")
  func byTime() throws {
    let parts = try MadeUpRound().parts(choice: .zero)
    #expect(parts[.beacon] == .milliseconds(40) && parts[.choice] == .zero && parts[.firstAdvert] == .milliseconds(153))
    #expect(parts.whole == .milliseconds(298))
  }

  @Test(
    "a round that lacks a packet says which",
    arguments: [
      (0..<12, 0..<0, "the holder's first command"), (3..<4, 0..<0, "the reply to the command to scan"),
      (4..<5, 0..<0, "a beacon"), (7..<12, 0..<0, "the command to advertise"),
      (9..<10, 0..<0, "the answer at the holder"),
      (0..<0, 0..<1, "the advert at the door"), (0..<0, 3..<4, "the answer at the door"),
    ])
  func incomplete(_ missing: (holder: Range<Int>, door: Range<Int>, what: String)) {
    var round = MadeUpRound()
    round.holder.removeSubrange(missing.holder)
    round.door.removeSubrange(missing.door)
    #expect(throws: IncompleteRound(missing.what)) { try round.parts() }
  }

  @Test("a round of which the door tells nothing is incomplete")
  func silentDoor() {
    #expect(throws: IncompleteRound("the door's own words")) { try MadeUpRound().parts(granted: nil) }
    #expect(throws: IncompleteRound("the door's own words")) { try MadeUpRound().parts(moved: nil) }
  }

  @Test(
    "packets too short for what they claim to be are none", arguments: [[], [0x0E], [0x0E, 4, 1], [0x0F, 4, 0, 1, 3]])
  func shortEvents(_ bytes: [UInt8]) {
    let packet = TappedPacket(at(0), .toHost, .event, bytes)
    #expect(packet.repliesTo == nil && packet.dataHeard.isEmpty)
  }

  @Test("data that overrun their command are none")
  func shortCommand() {
    #expect(command(0, .leSetAdvertisingData, [3, 1, 2]).dataSet == nil)
    #expect(command(0, .leSetAdvertisingData).dataSet == nil)
    #expect(command(0, .leSetAdvertisingData, [2, 1, 2]).dataSet == [1, 2])
  }
}
