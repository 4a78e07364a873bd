import Glibc
import POSIX
import TestSupport

@testable import HCI

extension CommandPacket {
  init(opcode: Opcode, parameters: [UInt8]) { self.init(code: opcode.rawValue, parameters: parameters) }

  var opcode: Opcode { Opcode(rawValue: code) }
}

extension ScriptedController {
  /// A transport and the controller behind it.
  static func pair(
    _ controller: VirtualController, _ script: @escaping Script = { _, _ in nil }
  ) throws -> (StreamTransport, ScriptedController) {
    var numbers: [Int32] = [-1, -1]
    try systemCall { unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) }
    let transport = StreamTransport(
      Socket(takingOwnershipOf: FileDescriptor(takingOwnershipOf: numbers[0])))
    let end = FileDescriptor(takingOwnershipOf: numbers[1])
    return (transport, try ScriptedController(end, controller, script: script))
  }

  /// Waits until an opcode was commanded that many times, and answers the last of them.
  func wait(for opcode: Opcode, count: Int = 1, within limit: Duration = .seconds(20)) throws -> CommandPacket {
    try wait(forCommand: opcode.rawValue, count: count, within: limit)
  }
}

/// A place where radios are opened: each attempt gets the next controller, or is refused.
final class Shelf: Sendable {
  /// What an attempt to open finds.
  enum Slot: Sendable {
    case refused
    case controller(ScriptedController.Script)
  }

  private let model: VirtualController.Model
  private let slots: Monitor<[Slot]>
  private let opened = Monitor<[ScriptedController]>([])

  /// The last slot stays for all further attempts.
  init(_ slots: [Slot], model: VirtualController.Model = .bluetooth5WithoutExtended) {
    self.slots = Monitor(slots)
    self.model = model
  }

  /// What a radio opens with.
  var opener: TransportOpener {
    { [self] spec, _, _ throws(RadioError) in
      let slot = slots.withLock { slots in slots.count > 1 ? slots.removeFirst() : slots.first ?? .refused }
      guard case .controller(let script) = slot,
        let (transport, controller) = try? ScriptedController.pair(VirtualController(model: model), script)
      else { throw .cannotOpen(spec, .connectionRefused) }
      opened.withLock { $0.append(controller) }
      return transport
    }
  }

  /// How many controllers were opened so far.
  var count: Int { opened.withLock(waking: false) { $0.count } }

  /// Waits for the nth controller, from 1.
  func controller(_ number: Int = 1) throws -> ScriptedController {
    let found = opened.wait(until: .now() + .seconds(20)) { $0.count >= number ? $0[number - 1] : nil }
    guard let found else { throw TestError("no controller \(number) was opened") }
    return found
  }
}
