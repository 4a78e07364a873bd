import Advertising
import POSIX
import Testing

@testable import HCI

/// A controller and a stream that do whatever comes to their mind.
private struct Chaos {
  var random: Pseudorandom
  var supervisor: Supervisor
  var now: UInt64 = 0
  var isOpen = false
  var wantsOpening = false
  /// What is in flight, as the controller sees it.
  var pending: HCICommand?
  /// What the controller does.
  var isScanning = false
  var isAdvertising = false
  var revision: UInt64 = 1
  var broken: [String] = []

  let isShared: Bool
  let isExtended: Bool

  init(seed: UInt64) {
    random = Pseudorandom(seed: seed)
    isShared = seed % 3 == 0
    isExtended = seed % 2 == 0
    supervisor = Supervisor(wanted: WantedState(scan: .passive), revision: 1, reconnects: true)
    feed(.start)
  }

  var instant: BootInstant { BootInstant(nanoseconds: now * 1_000_000) }

  mutating func feed(_ input: Supervisor.Input) {
    let hadEnded = supervisor.hasEnded
    for action in supervisor.handle(input, now: instant) {
      if hadEnded { broken.append("\(action) after the end") }
      switch action {
      case .open:
        if isOpen { broken.append("opened twice") }
        wantsOpening = true
      case .close:
        isOpen = false
        pending = nil
        isScanning = false
        isAdvertising = false
      case .send(let command):
        if !isOpen { broken.append("sent to nobody") }
        if pending != nil, command != .reset { broken.append("two in flight") }
        if isShared, [.reset, .setEventMask, .leSetEventMask].contains(command.opcode) {
          broken.append("disturbed others")
        }
        pending = command
      case .tell: break
      }
    }
  }

  /// The controller obeys the command in flight.
  mutating func obey(credits: UInt8 = 1) {
    guard let command = pending else { return }
    pending = nil
    switch command.opcode {
    case .reset:
      isScanning = false
      isAdvertising = false
    case .leSetExtendedScanEnable: isScanning = command.parameters[0] == 1
    case .leSetExtendedAdvertisingEnable: isAdvertising = command.parameters[0] == 1
    case .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters:
      if isAdvertising { broken.append("a set changed while advertising") }
    case .leSetExtendedScanParameters:
      if isScanning { broken.append("scan parameters changed while scanning") }
    case .leReadLocalFeatures:
      return send(complete(command.opcode, 0, [0, isExtended ? 0x10 : 0, 0, 0, 0, 0, 0, 0], credits: credits))
    case .leSetScanEnable: isScanning = command.parameters[0] == 1
    case .leSetAdvertisingEnable: isAdvertising = command.parameters[0] == 1
    case .leSetRandomAddress:
      if isScanning || isAdvertising { broken.append("address changed on the air") }
    case .leSetScanParameters:
      if isScanning { broken.append("scan parameters changed while scanning") }
    case .leSetAdvertisingParameters:
      if isAdvertising { broken.append("parameters changed while advertising") }
    default: break
    }
    send(complete(command.opcode, 0, credits: credits))
  }

  /// A refusal, of the command in flight or of another; it changes nothing.
  mutating func refuse(_ opcode: Opcode) {
    if pending?.opcode == opcode { pending = nil }
    send(complete(opcode, 0x0C))
  }

  mutating func send(_ packet: [UInt8]) { feed(.event(HCIEvent(parsing: packet.span))) }

  mutating func open(_ works: Bool) {
    guard wantsOpening else { return }
    wantsOpening = false
    isOpen = works
    feed(works ? .opened(shared: isShared) : .openFailed(.ended))
  }

  /// Time passes up to what is waited for, if anything is.
  mutating func sleep() {
    guard let deadline = supervisor.deadline else { return }
    now = max(now, deadline.nanoseconds / 1_000_000)
    feed(.tick)
  }

  mutating func misbehave() {
    open(Bool.random(using: &random))
    switch Int.random(in: 0..<16, using: &random) {
    case 0..<6: obey()
    case 6: obey(credits: 0)
    case 7: send(noOperation(credits: [0, 1, 255].randomElement(using: &random) ?? 1))
    case 8:
      let refused: [Opcode] = [
        .reset, .leSetRandomAddress, .leSetEventMask, .leSetScanEnable, .leSetAdvertisingEnable,
        .leSetExtendedScanEnable, .leSetExtendedAdvertisingEnable, .readLocalVersion,
      ]
      refuse(refused.randomElement(using: &random) ?? .reset)
    case 9: if isOpen { send([0x10, 1, 1]) }
    case 10: send(random.bytes(6))
    case 11: if isOpen { feed(Bool.random(using: &random) ? .lost(.ended) : .heard) }
    case 12: sleep()
    case 13: now += UInt64.random(in: 0...3000, using: &random)
    default:
      revision += 1
      let data = try? AdvertisingData(bytes: [UInt8(truncatingIfNeeded: revision)])
      let wanted = WantedState(
        address: DeviceAddress(value: revision % 3 + 1),
        scan: [.passive, .active, nil].randomElement(using: &random) ?? nil,
        advertising: Bool.random(using: &random) ? data.flatMap { AdvertisingPlan($0) } : nil)
      feed(.want(wanted, revision: revision))
    }
  }
}

@Suite struct SupervisorChaosTests {
  @Test func whateverHappensOneCommandIsInFlightAndItSettles() {
    for seed in 0..<300 as Range<UInt64> {
      var chaos = Chaos(seed: seed)
      for _ in 0..<200 { chaos.misbehave() }
      // From now on everything obeys.
      var rounds = 0
      while chaos.supervisor.settled != chaos.revision, rounds < 500 {
        rounds += 1
        chaos.open(true)
        if chaos.pending == nil { chaos.sleep() } else { chaos.obey() }
      }
      #expect(chaos.supervisor.settled == chaos.revision, "seed \(seed)")
      #expect(chaos.broken.isEmpty, "seed \(seed)")
    }
  }

  @Test func whateverHappensItStopsInTime() {
    for seed in 1000..<1300 as Range<UInt64> {
      var chaos = Chaos(seed: seed)
      for _ in 0..<(seed % 100) { chaos.misbehave() }
      let until = chaos.instant + .seconds(1)
      chaos.feed(.stop(until: until))
      var rounds = 0
      while !chaos.supervisor.hasEnded, rounds < 100 {
        rounds += 1
        if Int.random(in: 0..<3, using: &chaos.random) == 0 { chaos.sleep() } else { chaos.misbehave() }
      }
      chaos.now = max(chaos.now, until.nanoseconds / 1_000_000)
      chaos.feed(.tick)
      #expect(chaos.supervisor.hasEnded && chaos.broken.isEmpty, "seed \(seed): \(chaos.broken)")
      #expect(chaos.supervisor.mayBeOnAir || !chaos.isScanning && !chaos.isAdvertising)
    }
  }
}
