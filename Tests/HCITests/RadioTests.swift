import Advertising
import POSIX
import TestSupport
import Testing

@testable import HCI

/// A radio over a scripted controller: real threads and sockets, short times.
@Suite(.serialized) struct RadioTests {
  /// All the states that a radio told, in order.
  private final class States: Sendable {
    private let all = Monitor<[RadioState]>([])

    var told: [RadioState] { all.withLock(waking: false) { $0 } }

    func add(_ state: RadioState) { all.withLock { $0.append(state) } }

    func wait(_ what: String, _ count: Int = 1, _ fits: (RadioState) -> Bool) throws {
      let found = all.wait(until: .now() + .seconds(20)) { $0.filter(fits).count >= count ? true : nil }
      if found == nil { throw TestError("no state \(what); there were \(told)") }
    }
  }

  private let states = States()

  private static let quick: Timings = {
    var timings = Timings()
    timings.command = .milliseconds(100)
    timings.reset = .milliseconds(200)
    timings.firstDelay = .milliseconds(1)
    timings.longestDelay = .milliseconds(8)
    timings.farewell = .milliseconds(200)
    return timings
  }()

  private func radio(
    _ shelf: Shelf, wanted: WantedState = WantedState(scan: .passive), reconnects: Bool = true,
    capturePath: String? = nil, timings: Timings = quick
  ) -> Radio {
    Radio(
      spec: .unix(path: "scripted"), options: Radio.Options(capturePath: capturePath, reconnects: reconnects),
      wanted: wanted, reports: ReportQueue(), timings: timings, opener: shelf.opener,
      onState: { [states] in states.add($0) })
  }

  private func settle(_ radio: Radio) throws { try radio.waitUntilSettled(until: .now() + .seconds(20)) }

  private func isOn(_ state: RadioState) -> Bool { if case .on = state { true } else { false } }

  @Test func obedientControllersAreBroughtUpAndLeftQuiet() throws {
    let shelf = Shelf([.controller { _, _ in nil }])
    let radio = radio(shelf)
    try radio.start()
    try settle(radio)
    try radio.start()
    let controller = try shelf.controller()
    guard case .on(let info) = radio.state else {
      Issue.record("\(radio.state)")
      return
    }
    #expect(info.hciVersion == 9 && info.manufacturer == 0xE0 && info.family == .legacy)
    #expect(info.features == 3 << 37)
    let enable = try controller.wait(for: .leSetScanEnable, count: 2)
    #expect(enable.parameters == [1, 0])
    #expect(radio.stop())
    #expect(controller.commands.last == .init(opcode: .leSetScanEnable, parameters: [0, 0]))
    #expect(radio.stop(), "again: nothing")
    #expect(radio.state == .ended(nil))
  }

  @Test func repliesMayTrickleOrComeGlued() throws {
    let trickle = Shelf([.controller { _, _ in [.answer { .trickle($0) }] }])
    let slow = radio(trickle)
    try slow.start()
    try settle(slow)
    slow.stop()

    let glued = Shelf([
      .controller { _, _ in
        let report = [4] + legacyEvent([legacyReport(data: [1, 2])])
        return [.answer { .send(report + $0 + [4] + noOperation(credits: 1) + report) }]
      }
    ])
    let noisy = radio(glued)
    try noisy.start()
    try settle(noisy)
    var reports = 0
    while reports < 20 { reports += noisy.reports.drain(until: .now() + .seconds(20)) { _, _ in } }
    noisy.stop()
  }

  @Test func reportsArriveAsTheyWereSent() throws {
    let shelf = Shelf([.controller { _, _ in nil }])
    let radio = radio(shelf)
    try radio.start()
    try settle(radio)
    let event = legacyEvent([legacyReport(data: [1]), legacyReport(data: [2])])
    let before = BootInstant.now()
    try shelf.controller().send(event: event)
    var heard: [[UInt8]] = []
    while heard.isEmpty {
      radio.reports.drain(until: .now() + .seconds(20)) { packet, arrival in
        heard.append(bytes(packet))
        #expect(arrival >= before && arrival <= .now())
      }
    }
    #expect(heard == [event])
    radio.stop()
  }

  @Test func oddEventsAreCountedAndHarmless() throws {
    let shelf = Shelf([.controller { _, _ in nil }])
    let radio = radio(shelf)
    try radio.start()
    try settle(radio)
    let controller = try shelf.controller()
    controller.send([2] + hex("40 20 01 00 AA"))
    controller.send(event: hex("13 05 01 00 00 01 00"))
    controller.send(event: [0x0E, 1, 1])
    controller.send(event: complete(.leSetScanEnable))
    controller.send(event: noOperation(credits: 255))
    // Behind all of that the radio still obeys.
    radio.want { $0.scan = .active }
    try settle(radio)
    let counters = radio.counters
    #expect(counters.unexpectedPackets == 1 && counters.otherEvents == 1)
    #expect(counters.malformedEvents == 1 && counters.unmatchedReplies == 1 && counters.resets == 0)
    radio.stop()
  }

  @Test func aLateReplyAndSilenceLeadToResetThenOn() throws {
    let shelf = Shelf([
      .controller { command, count in
        // The first scan parameters are answered behind the Reset that follows the time-out.
        if command.opcode == .leSetScanParameters, count == 1 { return [] }
        guard command.opcode == .reset, count == 2 else { return nil }
        return [.send([4] + complete(.leSetScanParameters) + [4] + complete(.reset))]
      }
    ])
    let radio = radio(shelf)
    try radio.start()
    try settle(radio)
    let controller = try shelf.controller()
    #expect(controller.commands.filter { $0.opcode == .reset }.count == 2)
    #expect(controller.commands.filter { $0.opcode == .leSetScanParameters }.count == 2)
    #expect(radio.counters.commandTimeouts == 1 && radio.counters.unmatchedReplies == 1)
    #expect(radio.counters.reconnects == 0)
    radio.stop()
  }

  @Test func withoutCreditsItWaitsForThem() throws {
    let shelf = Shelf([
      .controller { command, _ in
        guard command.opcode == .leSetRandomAddress else { return nil }
        let credits = [4] + noOperation(credits: 1)
        return [.answer { .send(withCredits(0, $0)) }, .pause(.milliseconds(20)), .send(credits)]
      }
    ])
    var timings = Self.quick
    timings.command = .seconds(20)
    let radio = radio(shelf, timings: timings)
    try radio.start()
    try settle(radio)
    #expect(radio.counters.resets == 0)
    radio.stop()
  }

  @Test func aRadioThatHearsNothingIsDeafUntilItHearsSomething() throws {
    var timings = Self.quick
    timings.silence = .milliseconds(50)
    let shelf = Shelf([.controller { _, _ in nil }])
    let radio = radio(shelf, timings: timings)
    try radio.start()
    let controller = try shelf.controller()
    let isDeaf = { (state: RadioState) in if case .deaf = state { true } else { false } }
    try states.wait("deaf", 1, isDeaf)
    // Scanning is switched off and on; a Reset is next, then the stream anew.
    _ = try controller.wait(for: .leSetScanEnable, count: 4)
    _ = try controller.wait(for: .reset, count: 2)
    let next = try shelf.controller(2)
    _ = try next.wait(for: .leSetScanEnable, count: 2)
    // Reports without data are no sign of life (a flood of them, or none): nor is an event without reports.
    for _ in 0..<20 { next.send(event: legacyEvent([legacyReport(data: [])])) }
    next.send(event: legacyEvent([]))
    #expect(radio.lastReport == nil)
    let before = BootInstant.now()
    // One might come between Reset and scan: it is sent until it counts.
    while states.told.filter(isOn).count < 2 {
      next.send(event: legacyEvent([legacyReport(data: [2, 1, 6])]))
      _ = radio.reports.drain(until: .now() + .milliseconds(20)) { _, _ in }
    }
    let heard = try #require(radio.lastReport)
    #expect(heard >= before && heard <= .now())
    let told = states.told
    let onAgain = try #require(told.indices.filter { isOn(told[$0]) }.dropFirst().first)
    #expect(told[..<onAgain].filter(isDeaf).count == 1, "told once, whatever was done meanwhile")
    #expect(radio.counters.silences >= 3)
    radio.stop()
  }

  @Test func aStreamThatEndsComesBackUntilStopped() throws {
    let shelf = Shelf([
      .refused, .controller { _, _ in nil }, .refused, .refused,
      .controller { command, _ in command.opcode == .leSetEventMask ? [.hangUp] : nil },
      .controller { command, _ in command.opcode == .reset ? [.send([0x55])] : nil },
      .controller { _, _ in nil },
    ])
    let radio = radio(shelf)
    try radio.start()
    try settle(radio)
    try shelf.controller(1).hangUp()
    try states.wait("on again", 2, isOn)
    _ = try shelf.controller(4).wait(for: .leSetScanEnable, count: 2)
    // Refused, lost, refused twice, hung up on, broken.
    let counters = radio.counters
    #expect(counters.reconnects == 6 && counters.framingErrors == 1)
    #expect(radio.stop())
    #expect(states.told.last == .ended(nil))
    let reasons = states.told.compactMap { state -> RadioError? in
      if case .waiting(let error, _) = state { error } else { nil }
    }
    let refused = RadioError.cannotOpen(.unix(path: "scripted"), .connectionRefused)
    #expect(reasons == [refused, .ended, refused, refused, .ended, .badFraming(0x55)])
  }

  @Test func aStoppedRadioStaysOffUntilStarted() throws {
    let shelf = Shelf([.refused])
    let radio = radio(shelf)
    #expect(radio.stop(), "never started")
    #expect(radio.state == .off)
    try radio.start()
    try states.wait("waiting") { if case .waiting = $0 { true } else { false } }
    #expect(radio.stop())
    radio.want { $0.scan = .active }
    #expect(radio.state == .ended(nil))
    try radio.start()
    try states.wait("ended once, opening again", 2) { $0 == .opening }
    radio.stop()
  }

  @Test func aDeadControllerDoesNotDelayTheEnd() throws {
    let shelf = Shelf([
      .controller { command, count in
        command.opcode == .leSetScanEnable && count == 3 || command.opcode == .reset && count == 2 ? [] : nil
      }
    ])
    let radio = radio(shelf)
    try radio.start()
    try settle(radio)
    let start = BootInstant.now()
    #expect(!radio.stop(within: .milliseconds(300)))
    #expect(BootInstant.now() - start >= .milliseconds(200))
    // On a loaded machine the thread itself may be late; it ends all the same.
    try states.wait("ended") { $0 == .ended(nil) }
    let last = try shelf.controller().commands.suffix(2).map(\.opcode)
    #expect(last == [.leSetScanEnable, .reset])
  }

  @Test func stopEndsAnOpeningThatWaits() throws {
    let isOpening = Monitor(false)
    let radio = Radio(
      spec: .unix(path: "slow"), options: Radio.Options(), wanted: WantedState(), reports: ReportQueue(),
      timings: Timings(),
      opener: { _, deadline, cancel throws(RadioError) in
        isOpening.withLock { $0 = true }
        var poller = Poller([(cancel.descriptor, .readable)])
        throw (try? poller.wait(until: deadline)) == true ? .stopped : .ended
      }, onState: { [states] in states.add($0) })
    try radio.start()
    _ = isOpening.wait { $0 ? true : nil }
    #expect(radio.stop(within: .seconds(4)))
    #expect(states.told == [.opening, .ended(nil)])
  }

  @Test func withoutReconnectingTheErrorIsTold() throws {
    let shelf = Shelf([
      .controller { command, _ in
        command.opcode == .leSetScanEnable ? [.send([4] + complete(.leSetScanEnable, 0x0C))] : nil
      }
    ])
    let radio = radio(shelf, reconnects: false)
    try radio.start()
    let error = #expect(throws: RadioError.self) { try settle(radio) }
    #expect(error == .refused(.leSetScanEnable, .commandDisallowed))
    #expect(radio.counters.refusedCommands == 1)
  }

  @Test func aRadioThatIsNotReadySaysWhatKeepsIt() throws {
    let refused = radio(Shelf([.refused]))
    #expect(throws: RadioError.stopped) { try settle(refused) }
    try refused.start()
    try states.wait("waiting") { if case .waiting = $0 { true } else { false } }
    #expect(throws: RadioError.self) { try refused.waitUntilSettled(until: .now() + .milliseconds(5)) }
    refused.stop()
    let silent = radio(Shelf([.controller { _, _ in [] }]), timings: Timings())
    try silent.start()
    #expect(throws: RadioError.notReady) { try silent.waitUntilSettled(until: .now() + .milliseconds(5)) }
    silent.stop(within: .milliseconds(50))
  }

  @Test func aCaptureHoldsEveryPacketOfEveryStream() throws {
    let directory = try TemporaryDirectory()
    let path = directory("radio.btsnoop")
    let shelf = Shelf([.controller { _, _ in nil }])
    let radio = radio(shelf, capturePath: path)
    try radio.start()
    try settle(radio)
    try shelf.controller(1).hangUp()
    try states.wait("on again", 2, isOn)
    radio.stop()
    var reader = try CaptureReader(path: path)
    var sent: [[UInt8]] = []
    var received = 0
    while try reader.next({ packet, data in
      if packet.direction == .sent { sent.append(bytes(data)) } else { received += 1 }
    }) {}
    let commands = try shelf.controller(1).commands + shelf.controller(2).commands
    #expect(sent.map { Array($0.dropFirst(3)) } == commands.map(\.parameters))
    #expect(sent.count == received)
    #expect(radio.captureFailure == nil)
  }
}
