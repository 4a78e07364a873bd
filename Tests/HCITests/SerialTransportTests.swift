import POSIX
import TestSupport
import Testing

@testable import HCI

@Suite struct ResetHuntTests {
  private static let reply: [UInt8] = [4] + complete(.reset)

  /// Feeds pieces; answers what was let through, and how much was passed over.
  private func feed(_ pieces: [[UInt8]]) -> (let: [UInt8], skipped: UInt64) {
    var hunt = ResetHunt()
    var passed: [UInt8] = []
    for piece in pieces { passed += hunt.isOver ? piece : hunt.push(piece.span) }
    return (passed, hunt.takeSkipped())
  }

  @Test(
    arguments: [
      [], [0xFF], [4], [4, 0x0E], [4, 0x0E, 4, 1, 3], [4, 4, 0x0E], [4, 0x0E, 4, 4, 0x0E, 4, 4],
      [4] + complete(.leSetScanEnable), [4] + legacyEvent([legacyReport(data: [4, 0x0E, 4, 1])]),
      [0, 0, 0, 0, 0, 0, 0],
    ] as [[UInt8]])
  func garbageBeforeTheReplyIsPassedOverHoweverItArrives(_ garbage: [UInt8]) {
    let rest = [4] + noOperation(credits: 1)
    let stream = garbage + Self.reply + rest
    for cut in 0...stream.count {
      let (passed, skipped) = feed([Array(stream[..<cut]), Array(stream[cut...])])
      #expect(passed == Self.reply + rest && skipped == UInt64(garbage.count), "cut at \(cut)")
    }
    let (passed, skipped) = feed(stream.map { [$0] })
    #expect(passed == Self.reply + rest && skipped == UInt64(garbage.count))
  }

  @Test func anyCreditsAndAnyStatusAreAReply() {
    for reply in [
      [4] + complete(.reset, 0x0C), [4] + complete(.reset, credits: 0), [4] + complete(.reset, credits: 255),
    ] {
      #expect(feed([[9, 9], reply]).let == reply)
    }
  }

  @Test func withoutAReplyNothingIsLetThroughAndLittleIsKept() {
    var random = Pseudorandom(seed: 9)
    var hunt = ResetHunt()
    var fed = 0
    for _ in 0..<1000 {
      // Never the opcode of Reset.
      let noise = random.bytes(50).map { $0 == 0x0C ? 0 : $0 }
      fed += noise.count
      #expect(hunt.push(noise.span).isEmpty)
    }
    #expect(hunt.takeSkipped() == UInt64(fed - 5))
    #expect(hunt.takeSkipped() == 0)
  }
}

/// A radio behind a serial line: a pseudo-terminal whose other end answers as a controller does.
@Suite(.serialized) struct SerialTransportTests {
  private let line: PseudoTerminal
  private let spec: RadioSpec

  init() throws {
    line = try PseudoTerminal()
    spec = try RadioSpec("serial:\(line.path),115200")
  }

  @Test func noiseBeforeTheFirstPacketIsPassedOverAndCounted() throws {
    let noise = hex("3E 2B 02 01 04 0E 04 00 FF FF 04 0E")
    let controller = try line.controller { command, count in
      // A byte at a time, the first reply behind the rest of what was sent to another.
      let lead: [UInt8] = command.opcode == .reset && count == 1 ? noise : []
      return [.answer { reply in .trickle(lead + reply) }]
    }
    let radio = Radio(spec: spec, wanted: WantedState(scan: .passive))
    try radio.start()
    try radio.waitUntilSettled(until: .now() + .seconds(20))
    #expect(radio.counters.skippedBytes == UInt64(noise.count))
    #expect(radio.counters.framingErrors == 0 && radio.counters.resets == 0)
    radio.stop()
    controller.unplug()
  }

  @Test func anUnknownTypeLaterOpensTheLineAnew() throws {
    let controller = try line.controller { command, count in
      // Noise in the middle of the first round.
      guard command.opcode == .readLocalFeatures, count == 1 else { return nil }
      let lead: [UInt8] = [0x55, 0x55]
      return [.answer { reply in .send(lead + reply) }]
    }
    let radio = Radio(spec: spec, wanted: WantedState(scan: .passive))
    try radio.start()
    try radio.waitUntilSettled(until: .now() + .seconds(20))
    #expect(radio.counters.framingErrors == 1 && radio.counters.reconnects == 1)
    radio.stop()
    controller.unplug()
  }

  @Test func whatCannotBeOpenedIsToldInWords() throws {
    let port = try SerialPort.open(line.path, rate: 9600, flowControl: .none)
    let directory = try TemporaryDirectory()
    let texts: [(String, String)] = [
      (line.path, "another process has the line open"), (directory("none"), "there is no such device"),
      (try directory.write("file", ""), "this is no serial line"),
    ]
    for (path, words) in texts {
      let error = #expect(throws: RadioError.self) {
        _ = try Broadcast(opening: try RadioSpec("serial:\(path),115200,none"))
      }
      #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }
    _ = port.number
  }
}
