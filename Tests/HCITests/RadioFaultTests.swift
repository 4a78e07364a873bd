import Advertising
import POSIX
import TestSupport
import Testing

@testable import HCI

/// Each way in which a controller can fail, at each command, with both families of commands: the radio comes back by
/// itself, into the state that is wanted, and a strict controller has nothing to complain of.
@Suite(.serialized) struct RadioFaultTests {
  typealias Model = VirtualController.Model
  static let models: [Model] = [.bluetooth5, .bluetooth5WithoutExtended, .bluetooth4]

  private static let advert = hex("02 01 06")

  /// A radio that scans and advertises, over controllers that do what a script says.
  private func radio(
    _ shelf: Shelf, reconnects: Bool = true, command: Duration = .seconds(20),
    reports: ReportQueue = ReportQueue()
  ) throws -> Radio {
    var timings = Timings()
    timings.command = command
    timings.reset = command * 2
    timings.firstDelay = .milliseconds(1)
    timings.longestDelay = .milliseconds(4)
    let wanted = WantedState(scan: .passive, advertising: AdvertisingPlan(try AdvertisingData(bytes: Self.advert)))
    return Radio(
      spec: .unix(path: "scripted"), options: Radio.Options(reconnects: reconnects), wanted: wanted, reports: reports,
      timings: timings, opener: shelf.opener, onState: { _ in })
  }

  private func settle(_ radio: Radio) throws { try radio.waitUntilSettled(until: .now() + .seconds(20)) }

  /// Brings a radio up over such controllers, checks that all is as wanted at last, and stops it.
  @discardableResult
  private func recovers(
    _ model: Model, command: Duration = .seconds(20), _ script: @escaping ScriptedController.Script
  ) throws -> RadioCounters {
    let shelf = Shelf([.controller(script)], model: model)
    let radio = try radio(shelf, command: command)
    try radio.start()
    try settle(radio)
    let controller = try shelf.controller(shelf.count)
    expectWanted(controller)
    let counters = radio.counters
    #expect(radio.stop())
    #expect(!controller.controller.isScanning && !controller.controller.isAdvertising, "it is off the air")
    return counters
  }

  private func expectWanted(_ controller: ScriptedController) {
    let state = controller.controller
    #expect(state.isScanning && state.transmissions.map(\.data) == [Self.advert])
    #expect(state.complaints.isEmpty)
  }

  /// The commands of an undisturbed start, each with which of its opcode it is.
  private func commandsOfAStart(_ model: Model) throws -> [(code: UInt16, count: Int)] {
    let shelf = Shelf([.controller { _, _ in nil }], model: model)
    let radio = try radio(shelf)
    try radio.start()
    try settle(radio)
    let commands = try shelf.controller().commands
    radio.stop()
    var seen: [UInt16: Int] = [:]
    return commands.map { command in
      seen[command.code, default: 0] += 1
      return (command.code, seen[command.code] ?? 1)
    }
  }

  @Test(arguments: models) func delaysAreWaitedFor(_ model: Model) throws {
    let counters = try recovers(model) { _, _ in [.pause(.milliseconds(5)), .obey] }
    #expect(counters.commandTimeouts == 0 && counters.resets == 0)
  }

  @Test(arguments: models) func aMissingReplyBlocksNothing(_ model: Model) throws {
    for (code, count) in try commandsOfAStart(model) {
      let lost = Monitor(false)
      let counters = try recovers(model, command: .milliseconds(50)) { command, number in
        guard command.code == code, number == count else { return nil }
        return lost.withLock { lost in
          defer { lost = true }
          return lost ? nil : []
        }
      }
      #expect(counters.commandTimeouts >= 1)
    }
  }

  @Test(arguments: models) func aLateReplyIsNoReplyToAnotherCommand(_ model: Model) throws {
    for (code, count) in try commandsOfAStart(model) {
      try recovers(model, command: .milliseconds(50)) { command, number in
        command.code == code && number == count ? [.pause(.milliseconds(70)), .obey] : nil
      }
    }
  }

  @Test(arguments: models) func repliesToOtherCommandsAreIgnored(_ model: Model) throws {
    let counters = try recovers(model) { command, _ in
      let others: [UInt16] = [0x0C03, 0x200A, 0x200C, 0x2039, 0x2042, 0xFC01].filter { $0 != command.code }
      return others.flatMap { other -> [ScriptedController.Reaction] in
        [
          .send([4] + commandComplete(other)), .send([4] + commandComplete(other, 0x0C)),
          .send([4] + commandStatus(other, 1)),
        ]
      } + [.obey]
    }
    #expect(counters.unmatchedReplies > 0 && counters.resets == 0)
  }

  @Test(arguments: models, [0, 255] as [UInt8]) func anyNumberOfCreditsIsTaken(_ model: Model, _ credits: UInt8) throws
  {
    let leave = [4] + noOperation(credits: 1)
    let counters = try recovers(model) { _, _ in
      [.answer { .send(withCredits(credits, $0)) }] + (credits == 0 ? [.send(leave)] : [])
    }
    #expect(counters.resets == 0)
  }

  /// A refusal is looked at: what was refused is done again behind a Reset, or was only asked.
  @Test(arguments: models) func everyStatusAtEveryCommand(_ model: Model) throws {
    for (code, count) in try commandsOfAStart(model) {
      for status in [0x01, 0x03, 0x07, 0x0C, 0x11, 0x12, 0x1F, 0x3A, 0x42, 0xFF] as [UInt8] {
        let refused = Monitor(false)
        // A controller that refuses a family is taken for one of the other.
        try recovers(model) { command, number in
          guard command.code == code, number == count else { return nil }
          return refused.withLock { refused in
            defer { refused = true }
            return refused ? nil : [.refuse(status)]
          }
        }
      }
    }
  }

  @Test func everyStatusThereIs() throws {
    for status in 1...255 as ClosedRange<UInt8> {
      let shelf = Shelf([
        .controller { command, _ in command.opcode == .leSetRandomAddress ? [.refuse(status)] : nil }
      ])
      let radio = try radio(shelf, reconnects: false)
      try radio.start()
      let error = #expect(throws: RadioError.self) { try settle(radio) }
      #expect(error == .refused(.leSetRandomAddress, ControllerStatus(rawValue: status)))
    }
  }

  @Test(arguments: models) func hardwareErrorsLeadToResetAndManyToTheStreamAnew(_ model: Model) throws {
    let shelf = Shelf([.controller { _, _ in nil }], model: model)
    let radio = try radio(shelf)
    try radio.start()
    for round in 1...4 {
      try settle(radio)
      let controller = try shelf.controller(shelf.count)
      expectWanted(controller)
      controller.send(event: hardwareError(UInt8(round)))
      if round < 4 { _ = try controller.wait(for: .reset, count: round + 1) }
    }
    _ = try shelf.controller(2)
    try settle(radio)
    expectWanted(try shelf.controller(2))
    #expect(radio.counters.hardwareErrors == 4 && radio.counters.reconnects == 1)
    radio.stop()
  }

  @Test(arguments: models) func hostileReportsDisturbNothing(_ model: Model) throws {
    let shelf = Shelf([.controller { _, _ in nil }], model: model)
    let radio = try radio(shelf)
    try radio.start()
    try settle(radio)
    let controller = try shelf.controller()
    for oddity in AdvertisingReportParserTests.oddities where oddity.event.count > 2 {
      // What overruns its own length would take the packets behind it along: that is the stream's matter, not the event's.
      controller.send(event: [oddity.event[0], UInt8(oddity.event.count - 2)] + oddity.event.dropFirst(2))
    }
    let good = [7, 7, 7] as [UInt8]
    controller.send(event: legacyEvent([legacyReport(data: good)]))
    var parser = AdvertisingReportParser()
    var (counters, heard) = (RadioCounters(), false)
    let deadline = BootInstant.now() + .seconds(20)
    while !heard, BootInstant.now() < deadline {
      radio.reports.drain(until: deadline) { event, _ in
        parser.forEachReport(in: event, counters: &counters) { _, data in if bytes(data) == good { heard = true } }
      }
    }
    #expect(heard && counters.truncatedReports > 0 && counters.overlongReports > 0)
    radio.want { $0.scan = .active }
    try settle(radio)
    #expect(radio.counters.resets == 0 && radio.counters.reconnects == 0)
    radio.stop()
  }

  /// Reports are neither in the way of replies nor eaten while one is waited for.
  @Test(arguments: models) func aFloodDelaysNoReply(_ model: Model) throws {
    let flood = [UInt8]((0..<500).flatMap { _ in [4] + legacyEvent([legacyReport(data: [1, 2])]) })
    let shelf = Shelf(
      [.controller { _, _ in [.send(flood), .answer { .send(flood + $0 + flood) }] }], model: model)
    let radio = try radio(shelf, reports: ReportQueue(capacity: 100))
    try radio.start()
    try settle(radio)
    let commands = try shelf.controller().commands.count
    var heard = 0
    while heard + Int(radio.reports.dropped) < commands * 1_500 {
      heard += radio.reports.drain(until: .now() + .milliseconds(50)) { _, _ in }
    }
    #expect(heard > 0 && radio.counters.droppedEvents > 0)
    #expect(radio.counters.commandTimeouts == 0 && radio.counters.resets == 0)
    radio.stop()
  }

  /// One that takes its commands late, and its answers out a byte at a time.
  @Test(arguments: models) func aSlowReaderIsWaitedFor(_ model: Model) throws {
    let counters = try recovers(model) { _, _ in
      [.pause(.milliseconds(10)), .answer { .trickle($0) }]
    }
    #expect(counters.resets == 0)
  }

  @Test(arguments: models) func unpluggedAtAnyCommandItComesBack(_ model: Model) throws {
    for (code, count) in try commandsOfAStart(model) {
      let unplugged = Monitor(false)
      let counters = try recovers(model) { command, number in
        guard command.code == code, number == count else { return nil }
        return unplugged.withLock { unplugged in
          defer { unplugged = true }
          return unplugged ? nil : [.hangUp]
        }
      }
      #expect(counters.reconnects == 1)
    }
  }

  /// What goes on the air is what is wanted then: data come before enabling, whatever the set sent before.
  @Test(arguments: models) func nothingStaleGoesOnTheAir(_ model: Model) throws {
    let shelf = Shelf([.controller { _, _ in nil }], model: model)
    let radio = try radio(shelf)
    try radio.start()
    try settle(radio)
    let controller = try shelf.controller()
    let before = controller.commands.count
    radio.want { $0.advertising = nil }
    try settle(radio)
    let next = try AdvertisingData(bytes: [7, 8])
    radio.want { $0.advertising = AdvertisingPlan(next) }
    try settle(radio)
    // The same commands on another controller, step by step: what is on the air after each.
    var replica = VirtualController(model: model)
    for (number, command) in controller.commands.enumerated() {
      _ = replica.take(command)
      let onAir = replica.transmissions.map(\.data)
      #expect(onAir.isEmpty || onAir == [Self.advert] || number >= before && onAir == [next.bytes])
      if number > before, onAir == [Self.advert] { #expect(!hasStopped(controller.commands[before...number], model)) }
    }
    #expect(replica.transmissions.map(\.data) == [next.bytes])
    radio.stop()
  }

  /// Whether these commands switch advertising off.
  private func hasStopped(_ commands: ArraySlice<CommandPacket>, _ model: Model) -> Bool {
    let enable: UInt16 = model.isExtended ? 0x2039 : 0x200A
    return commands.contains { $0.code == enable && $0.parameters.first == 0 }
  }
}
