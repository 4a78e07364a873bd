import Advertising
import POSIX

@testable import HCI

/// The supervisor with a clock of its own and a controller that answers as told.
struct Rig {
  var supervisor: Supervisor
  var now: UInt64 = 0
  /// Everything it did, in words.
  var log: [String] = []
  /// All the states that it told.
  var states: [RadioState] = []
  /// What is in flight.
  var pending: HCICommand?
  /// The answers to commands that aren't simply done: a status, or nil for none.
  var answers: [Opcode: UInt8?] = [:]
  var version: UInt8 = 9
  /// Whether it says that it knows extended advertising.
  var isExtended = false
  /// The bytes of its LMP features; by default it knows LE.
  var features: [UInt8] = [0, 0, 0, 0, 0x40, 0, 0, 0]

  init(_ wanted: WantedState, reconnects: Bool = true, commands: CommandChoice = .automatic) {
    supervisor = Supervisor(wanted: wanted, revision: 1, reconnects: reconnects, commands: commands)
  }

  mutating func feed(_ input: Supervisor.Input) {
    for action in supervisor.handle(input, now: BootInstant(nanoseconds: now * 1_000_000)) {
      switch action {
      case .open: log.append("open")
      case .close: log.append("close")
      case .send(let command):
        log.append(word(command))
        pending = command
      case .tell(let state):
        states.append(state)
        log.append(word(state))
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
      let parameters: [UInt8] =
        switch command.opcode {
        case .readLocalVersion: [version, 0, 0, 9, 1, 0, 0, 0]
        case .readAddress: [6, 5, 4, 3, 2, 1]
        case .readLocalFeatures: features
        case .leReadLocalFeatures: [0, isExtended ? 0x10 : 0, 0, 0, 0, 0, 0, 0]
        default: []
        }
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
  mutating func bringUp(shared: Bool = false) {
    feed(.start)
    feed(.opened(shared: shared))
    answer()
  }

  /// The log since the last look.
  mutating func take() -> [String] {
    defer { log = [] }
    return log
  }

  var deadline: UInt64? { supervisor.deadline.map { $0.nanoseconds / 1_000_000 } }
}

func word(_ command: HCICommand) -> String {
  switch command.opcode {
  case .reset: "reset"
  case .readLocalVersion: "version"
  case .readAddress: "bd-address"
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
  case .leSetAdvertisingSetRandomAddress: "ext-address"
  case .leSetExtendedAdvertisingParameters: command.parameters[1] == 0x10 ? "ext-params-legacy" : "ext-params"
  case .leSetExtendedAdvertisingData: "ext-data-\(command.parameters[4])"
  case .leSetExtendedAdvertisingEnable: command.parameters[0] == 1 ? "ext-on" : "ext-off"
  case .leSetExtendedScanParameters: "ext-scan-params"
  case .leSetExtendedScanEnable: command.parameters[0] == 1 ? "ext-scan-on" : "ext-scan-off"
  default: "?"
  }
}

func word(_ state: RadioState) -> String {
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

let prepared = [
  "reset", "version", "bd-address", "features", "le-features", "mask", "le-mask", "adv-off", "scan-off", "accept-list",
  "address",
]
let scanning = prepared + ["scan-passive", "scan-on", "=on"]

/// A state to be in.
///
/// - Parameter data: what is advertised, as one byte.
func wanted(scan: ScanMode? = .passive, data: UInt8? = nil, pdu: AdvertisingPDU = .legacy) -> WantedState {
  let advertisement = data.flatMap { try? AdvertisingData(bytes: [$0]) }
  return WantedState(
    address: DeviceAddress(value: 1), scan: scan, advertising: advertisement.map { AdvertisingPlan($0) }, pdu: pdu)
}
