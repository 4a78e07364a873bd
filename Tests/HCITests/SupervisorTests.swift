import Advertising
import POSIX
import Testing

@testable import HCI

/// The supervisor with a clock of its own and a controller that answers as told.
private struct Rig {
  var supervisor: Supervisor
  var now: UInt64 = 0
  /// Everything it did, in words.
  var log: [String] = []
  /// What is in flight.
  var pending: HCICommand?
  /// The answers to commands that aren't simply done: a status, or nil for none.
  var answers: [Opcode: UInt8?] = [:]
  var version: UInt8 = 9

  init(_ wanted: WantedState, reconnects: Bool = true) {
    supervisor = Supervisor(wanted: wanted, revision: 1, reconnects: reconnects)
  }

  mutating func feed(_ input: Supervisor.Input) {
    for action in supervisor.handle(input, now: BootInstant(nanoseconds: now * 1_000_000)) {
      switch action {
      case .open: log.append("open")
      case .close: log.append("close")
      case .send(let command):
        log.append(word(command))
        pending = command
      case .tell(let state): log.append(word(state))
      }
    }
  }

  /// Answers commands until none is in flight, or one has no answer.
  mutating func answer() {
    var rounds = 0
    while let command = pending, rounds < 50 {
      rounds += 1
      let status = answers[command.opcode] ?? .some(0)
      guard let status else { return }
      pending = nil
      let parameters: [UInt8] = command.opcode == .readLocalVersion ? [version, 0, 0, 9, 1, 0, 0, 0] : []
      feed(.event(HCIEvent(parsing: complete(command.opcode, status, parameters).span)))
    }
  }

  mutating func tick(at milliseconds: UInt64) {
    now = milliseconds
    feed(.tick)
  }

  mutating func stop(within milliseconds: UInt64) {
    feed(.stop(until: BootInstant(nanoseconds: (now + milliseconds) * 1_000_000)))
  }

  /// From nothing to a controller that does what is wanted.
  mutating func bringUp() {
    feed(.start)
    feed(.opened)
    answer()
  }

  /// The log since the last look.
  mutating func take() -> [String] {
    defer { log = [] }
    return log
  }

  var deadline: UInt64? { supervisor.deadline.map { $0.nanoseconds / 1_000_000 } }
}

private func word(_ command: HCICommand) -> String {
  switch command.opcode {
  case .reset: "reset"
  case .readLocalVersion: "version"
  case .readLocalFeatures: "features"
  case .leReadLocalFeatures: "le-features"
  case .setEventMask: "mask"
  case .leSetEventMask: "le-mask"
  case .leClearFilterAcceptList: "accept-list"
  case .leSetRandomAddress: "address"
  case .leSetAdvertisingParameters: "adv-params-\(command.parameters[0] == 0x20 ? 20 : 100)"
  case .leSetAdvertisingData: "adv-data-\(command.parameters[1])"
  case .leSetAdvertisingEnable: command.parameters[0] == 1 ? "adv-on" : "adv-off"
  case .leSetScanParameters: command.parameters[0] == 1 ? "scan-active" : "scan-passive"
  case .leSetScanEnable: command.parameters[0] == 1 ? "scan-on" : "scan-off"
  default: "?"
  }
}

private func word(_ state: RadioState) -> String {
  switch state {
  case .off: "=off"
  case .opening: "=opening"
  case .preparing: "=preparing"
  case .on: "=on"
  case .deaf: "=deaf"
  case .waiting(_, let delay): "=waiting-\(delay.wholeMilliseconds)"
  case .stopping: "=stopping"
  case .ended(let error): error == nil ? "=ended" : "=failed"
  }
}

private let prepared = [
  "reset", "version", "features", "le-features", "mask", "le-mask", "adv-off", "scan-off", "accept-list", "address",
]
private let scanning = prepared + ["scan-passive", "scan-on", "=on"]

@Suite struct SupervisorTests {
  private func wanted(scan: ScanMode? = .passive, data: UInt8? = nil) -> WantedState {
    let advertisement = data.flatMap { try? AdvertisingData(bytes: [$0]) }
    return WantedState(address: DeviceAddress(value: 1), scan: scan, advertisement: advertisement)
  }

  @Test func bringsAControllerUpInOrder() {
    var door = Rig(wanted())
    door.bringUp()
    #expect(door.take() == ["=opening", "open", "=preparing"] + scanning)
    #expect(door.supervisor.settled == 1 && door.deadline == nil)

    var holder = Rig(wanted(scan: nil, data: 7))
    holder.bringUp()
    #expect(
      holder.take() == ["=opening", "open", "=preparing"] + prepared
        + ["adv-params-20", "adv-data-7", "adv-on", "=on"])

    var both = Rig(wanted(scan: .active, data: 7))
    both.bringUp()
    #expect(
      both.take().suffix(7) == ["address", "adv-params-20", "adv-data-7", "adv-on", "scan-active", "scan-on", "=on"])
  }

  @Test func takes100msFromAnOldControllerOrARefusingOne() {
    var old = Rig(wanted(scan: nil, data: 7))
    old.version = 8
    old.bringUp()
    #expect(old.take().suffix(4) == ["adv-params-100", "adv-data-7", "adv-on", "=on"])
    var refusing = Rig(wanted(scan: nil, data: 7))
    refusing.feed(.start)
    refusing.feed(.opened)
    refusing.answers[.leSetAdvertisingParameters] = .some(nil)
    refusing.answer()
    refusing.feed(.event(HCIEvent(parsing: complete(.leSetAdvertisingParameters, 0x11).span)))
    refusing.answers = [:]
    refusing.answer()
    #expect(refusing.take().suffix(5) == ["adv-params-20", "adv-params-100", "adv-data-7", "adv-on", "=on"])
    #expect(refusing.supervisor.counters.refusedCommands == 0)
  }

  @Test func leftoversMayBeOffAlready() {
    var rig = Rig(wanted())
    for opcode in [Opcode.leSetAdvertisingEnable, .leClearFilterAcceptList, .readLocalFeatures, .readLocalVersion] {
      rig.answers[opcode] = .some(0x0C)
    }
    rig.bringUp()
    #expect(rig.take().suffix(3) == ["scan-passive", "scan-on", "=on"])
  }

  @Test func changesOfWhatIsWantedFollowTheRules() {
    var rig = Rig(wanted(scan: .passive, data: 7))
    rig.bringUp()
    _ = rig.take()
    rig.feed(.want(wanted(scan: .passive, data: 8), revision: 2))
    #expect(rig.supervisor.settled == 1)
    rig.answer()
    #expect(rig.take() == ["adv-data-8"])
    #expect(rig.supervisor.settled == 2)
    // The address changes only while both are off.
    var moved = wanted(scan: .passive, data: 8)
    moved.address = DeviceAddress(value: 2)
    rig.feed(.want(moved, revision: 3))
    rig.answer()
    #expect(rig.take() == ["adv-off", "scan-off", "address", "adv-on", "scan-on"])
    // Two changes while a command is in flight: the last one counts.
    var off = moved
    off.scan = nil
    rig.feed(.want(off, revision: 4))
    rig.feed(.want(moved, revision: 5))
    rig.answer()
    #expect(rig.take() == ["scan-off", "scan-on"])
    #expect(rig.supervisor.settled == 5)
  }

  @Test func aTimeOutLeadsToResetAndEverythingAnew() {
    var rig = Rig(wanted())
    rig.bringUp()
    _ = rig.take()
    rig.answers[.leSetScanEnable] = .some(nil)
    rig.feed(.want(wanted(scan: nil), revision: 2))
    rig.answer()
    #expect(rig.deadline == 2000)
    rig.tick(at: 1999)
    #expect(rig.take() == ["scan-off"])
    rig.feed(.want(wanted(), revision: 3))
    rig.tick(at: 2000)
    #expect(rig.take() == ["=preparing", "reset"])
    #expect(rig.supervisor.settled == 0)
    // The late reply is ignored.
    rig.feed(.event(HCIEvent(parsing: complete(.leSetScanEnable).span)))
    #expect(rig.take() == [])
    rig.answers = [:]
    rig.answer()
    #expect(rig.take() == Array(scanning.dropFirst()))
    let counters = rig.supervisor.counters
    #expect(counters.commandTimeouts == 1 && counters.resets == 1 && counters.unmatchedReplies == 1)
    #expect(counters.reconnects == 0)
  }

  @Test func aDeadResetLeadsToTheStreamAnewWithGrowingDelay() {
    var rig = Rig(wanted())
    rig.answers[.reset] = .some(nil)
    rig.feed(.start)
    var delays: [String] = []
    for _ in 0..<9 {
      rig.feed(.opened)
      rig.tick(at: rig.now + 4999)
      _ = rig.take()
      rig.tick(at: rig.now + 1)
      delays += rig.take()
      let until = rig.deadline ?? 0
      rig.tick(at: until - 1)
      #expect(rig.take() == [])
      rig.tick(at: until)
      #expect(rig.take() == ["=opening", "open"])
    }
    let expected = [250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000].flatMap { ["close", "=waiting-\($0)"] }
    #expect(delays == expected)
    // Once it was on for long enough, the delay begins anew.
    rig.answers = [:]
    rig.feed(.opened)
    rig.answer()
    rig.now += 30_000
    _ = rig.take()
    rig.feed(.lost(.ended))
    #expect(rig.take() == ["close", "=waiting-250"])
    #expect(rig.supervisor.counters.reconnects == 10)
  }

  @Test func aRadioThatComesAndGoesIsNotHammered() {
    var rig = Rig(wanted())
    rig.bringUp()
    for delay in [250, 500, 1000] {
      _ = rig.take()
      rig.now += 10
      rig.feed(.lost(.ended))
      #expect(rig.take() == ["close", "=waiting-\(delay)"])
      rig.tick(at: rig.now + UInt64(delay))
      rig.feed(.opened)
      rig.answer()
    }
  }

  @Test func openingThatFailsIsTriedAgain() {
    var rig = Rig(wanted())
    rig.feed(.start)
    rig.feed(.openFailed(.cannotOpen(.unix(path: "x"), .connectionRefused)))
    #expect(rig.take() == ["=opening", "open", "=waiting-250"])
    rig.feed(.openFailed(.ended))
    rig.feed(.opened)
    rig.feed(.event(.hardwareError(1)))
    #expect(rig.take() == [], "nothing of that belongs here")
    rig.tick(at: 250)
    rig.feed(.openFailed(.notYet(.userChannel(index: 0))))
    #expect(rig.take() == ["=opening", "open", "=failed"], "trying again can't help")
    #expect(rig.supervisor.hasEnded)
  }

  @Test func faultsInARowLeadToTheStreamAnew() {
    var rig = Rig(wanted())
    rig.bringUp()
    for fault in 1...3 {
      _ = rig.take()
      rig.feed(.event(.hardwareError(UInt8(fault))))
      #expect(rig.take() == ["=preparing", "reset"])
      rig.answer()
    }
    _ = rig.take()
    rig.feed(.event(.hardwareError(4)))
    #expect(rig.take() == ["close", "=waiting-250"])
    #expect(rig.supervisor.counters.hardwareErrors == 4)

    var slow = Rig(wanted())
    slow.bringUp()
    for _ in 1...6 {
      _ = slow.take()
      slow.now += 21_000
      slow.feed(.event(.hardwareError(1)))
      #expect(slow.take() == ["=preparing", "reset"], "few in a minute")
      slow.answer()
    }
  }

  @Test func aRefusalThatMattersIsAFault() {
    var rig = Rig(wanted())
    rig.answers[.leSetScanParameters] = .some(0x12)
    rig.bringUp()
    let log = rig.take()
    #expect(log.filter { $0 == "reset" }.count == 4)
    #expect(log.suffix(2) == ["close", "=waiting-250"])
    #expect(rig.supervisor.counters.refusedCommands == 4)
  }

  @Test func withoutCreditsItResets() {
    var rig = Rig(wanted())
    rig.bringUp()
    _ = rig.take()
    rig.feed(.event(HCIEvent(parsing: noOperation(credits: 0).span)))
    rig.feed(.want(wanted(scan: nil), revision: 2))
    #expect(rig.take() == [])
    rig.feed(.event(HCIEvent(parsing: noOperation(credits: 1).span)))
    #expect(rig.take() == ["scan-off"])
    rig.answer()
    rig.feed(.event(HCIEvent(parsing: noOperation(credits: 0).span)))
    rig.tick(at: 2000)
    #expect(rig.take() == ["=preparing", "reset"])
  }

  @Test func aStreamThatBreaksIsOpenedAnew() {
    var rig = Rig(wanted())
    rig.bringUp()
    _ = rig.take()
    rig.feed(.lost(.badFraming(0x55)))
    #expect(rig.take() == ["close", "=waiting-250"])
    #expect(rig.supervisor.counters.framingErrors == 1)
    rig.tick(at: 250)
    rig.feed(.opened)
    rig.answer()
    #expect(rig.take() == ["=opening", "open", "=preparing"] + scanning)
  }

  // Stopping

  @Test func stopsPolitely() {
    var rig = Rig(wanted(scan: .passive, data: 7))
    rig.bringUp()
    #expect(rig.supervisor.mayBeOnAir)
    _ = rig.take()
    rig.stop(within: 1000)
    rig.answer()
    #expect(rig.take() == ["=stopping", "adv-off", "scan-off", "close", "=ended"])
    #expect(!rig.supervisor.mayBeOnAir)
    // Nothing brings it back.
    for input in [Supervisor.Input.start, .opened, .want(wanted(), revision: 9), .lost(.ended), .tick] {
      rig.feed(input)
    }
    #expect(rig.take() == [])
  }

  @Test func waitsForACommandInFlightBeforeItStops() {
    var rig = Rig(wanted())
    rig.bringUp()
    rig.answers[.leSetAdvertisingData] = .some(nil)
    rig.feed(.want(wanted(scan: .passive, data: 7), revision: 2))
    rig.answer()
    _ = rig.take()
    rig.stop(within: 1000)
    #expect(rig.take() == ["=stopping"])
    rig.answers = [:]
    rig.answer()
    #expect(rig.take() == ["scan-off", "close", "=ended"])
  }

  @Test func aDeadControllerIsResetThenLeftWithinTheLimit() {
    var rig = Rig(wanted())
    rig.bringUp()
    _ = rig.take()
    rig.stop(within: 1000)
    #expect(rig.deadline == 500)
    rig.tick(at: 500)
    #expect(rig.deadline == 1000)
    rig.tick(at: 999)
    rig.tick(at: 1000)
    #expect(rig.take() == ["=stopping", "scan-off", "reset", "close", "=ended"])
    #expect(rig.supervisor.mayBeOnAir, "nobody confirmed")
  }

  @Test func anAnsweredResetIsOffTheAir() {
    var rig = Rig(wanted())
    rig.bringUp()
    _ = rig.take()
    rig.stop(within: 1000)
    rig.tick(at: 500)
    rig.answer()
    #expect(rig.take() == ["=stopping", "scan-off", "reset", "close", "=ended"])
    #expect(!rig.supervisor.mayBeOnAir)
  }

  @Test(arguments: [0x01, 0x0C, 0x1F] as [UInt8])
  func aRefusalToStopIsNoConfirmation(_ refusal: UInt8) {
    var rig = Rig(wanted())
    rig.bringUp()
    _ = rig.take()
    rig.answers[.leSetScanEnable] = .some(refusal)
    rig.answers[.reset] = .some(nil)
    rig.stop(within: 1000)
    rig.answer()
    #expect(rig.take() == ["=stopping", "scan-off", "reset"], "at once")
    #expect(rig.supervisor.mayBeOnAir)
    rig.answers = [:]
    rig.answer()
    #expect(rig.take() == ["close", "=ended"])
    #expect(!rig.supervisor.mayBeOnAir)
  }

  @Test func aRefusalToStopLeadsToResetWhileItGoesOn() {
    var rig = Rig(wanted(scan: .passive, data: 7))
    rig.bringUp()
    _ = rig.take()
    rig.answers[.leSetAdvertisingEnable] = .some(0x1F)
    rig.feed(.want(wanted(), revision: 2))
    rig.pending = nil
    rig.feed(.event(HCIEvent(parsing: complete(.leSetAdvertisingEnable, 0x1F).span)))
    #expect(rig.take() == ["adv-off", "=preparing", "reset"])
    rig.answers = [:]
    rig.answer()
    #expect(rig.take() == Array(scanning.dropFirst()))
  }

  @Test func whatAnsweredNoResetConfirmedNothing() {
    // What a killed predecessor, or the stream before, had left on may still be.
    var fresh = Rig(wanted())
    fresh.feed(.start)
    #expect(!fresh.supervisor.mayBeOnAir, "nothing was opened")
    fresh.feed(.opened)
    var reopened = Rig(wanted())
    reopened.bringUp()
    reopened.feed(.lost(.ended))
    reopened.tick(at: 250)
    reopened.feed(.opened)
    for var rig in [fresh, reopened] {
      rig.stop(within: 1000)
      rig.tick(at: rig.now + 500)
      rig.tick(at: rig.now + 500)
      #expect(rig.supervisor.hasEnded && rig.supervisor.mayBeOnAir)
    }
  }

  @Test func anOpeningThatIsCancelledEndsAsTold() {
    var rig = Rig(wanted())
    rig.feed(.start)
    rig.feed(.openFailed(.stopped))
    rig.stop(within: 1000)
    #expect(rig.take() == ["=opening", "open", "close", "=ended"])
  }

  @Test func stopsInEveryState() {
    func ended(_ prepare: (inout Rig) -> Void) -> [String] {
      var rig = Rig(wanted())
      prepare(&rig)
      _ = rig.take()
      rig.stop(within: 1000)
      rig.answer()
      rig.stop(within: 100)
      return rig.take()
    }
    let off = ended { _ in }
    let opening = ended { $0.feed(.start) }
    let waiting = ended { rig in
      rig.feed(.start)
      rig.feed(.openFailed(.ended))
    }
    let resetting = ended { rig in
      rig.feed(.start)
      rig.feed(.opened)
    }
    let on = ended { $0.bringUp() }
    let recovering = ended { rig in
      rig.bringUp()
      rig.feed(.event(.hardwareError(1)))
    }
    #expect([off, opening, waiting] == Array(repeating: ["close", "=ended"], count: 3))
    #expect([resetting, recovering] == Array(repeating: ["=stopping", "close", "=ended"], count: 2))
    #expect(on == ["=stopping", "scan-off", "close", "=ended"])
  }

  @Test func aStreamThatEndsWhileStoppingIsTheEnd() {
    var rig = Rig(wanted())
    rig.bringUp()
    _ = rig.take()
    rig.stop(within: 1000)
    rig.feed(.lost(.ended))
    #expect(rig.take() == ["=stopping", "scan-off", "close", "=ended"])
  }

  // Without reconnecting

  @Test func withoutReconnectingTheFirstFailureEndsIt() {
    var refused = Rig(wanted(), reconnects: false)
    refused.feed(.start)
    refused.feed(.openFailed(.ended))
    #expect(refused.take() == ["=opening", "open", "=failed"])

    var lost = Rig(wanted(), reconnects: false)
    lost.bringUp()
    _ = lost.take()
    lost.feed(.lost(.ended))
    #expect(lost.take() == ["close", "=failed"])

    var faulty = Rig(wanted(), reconnects: false)
    faulty.bringUp()
    _ = faulty.take()
    faulty.feed(.event(.hardwareError(1)))
    faulty.answer()
    #expect(faulty.take() == ["=stopping", "scan-off", "close", "=failed"])
  }

  @Test func withoutReconnectingADeadControllerIsLeftAfterASecond() {
    var rig = Rig(wanted(), reconnects: false)
    rig.answers[.leSetScanEnable] = .some(nil)
    rig.bringUp()
    rig.pending = nil
    rig.answers[.reset] = .some(nil)
    _ = rig.take()
    rig.tick(at: 2000)
    rig.tick(at: 2500)
    rig.tick(at: 3000)
    #expect(rig.take() == ["=stopping", "reset", "close", "=failed"])
  }
}
