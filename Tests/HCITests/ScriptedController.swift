import Glibc
import POSIX
import TestSupport

@testable import HCI

/// The other end of a stream: it reads commands and answers them as a script says.
///
/// One thread reads; the answers are written by it, or by a test in between.
final class ScriptedController: Sendable {
  /// What it does at a command.
  enum Reaction: Sendable {
    /// It sends these packets, each with its type byte.
    case send([UInt8])
    /// It sends these bytes one at a time.
    case trickle([UInt8])
    /// It ends the stream.
    case hangUp
  }

  /// What was commanded: the opcode and the parameters.
  struct Received: Hashable, Sendable {
    let opcode: Opcode
    let parameters: [UInt8]
  }

  /// Answers a command that is the nth of its opcode, from 1; nil: as an obedient controller would.
  typealias Script = @Sendable (Received, Int) -> [Reaction]?

  private let end: FileDescriptor
  private let script: Script
  private let received = Monitor<[Received]>([])

  /// Takes over its end of the stream and begins to answer.
  init(_ end: consuming FileDescriptor, _ script: @escaping Script = { _, _ in nil }) throws {
    self.end = end
    self.script = script
    _ = try Thread(name: "controller") { [self] in serve() }
  }

  /// A transport and the controller behind it.
  static func pair(_ script: @escaping Script = { _, _ in nil }) throws -> (StreamTransport, ScriptedController) {
    var numbers: [Int32] = [-1, -1]
    try systemCall { unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) }
    let transport = StreamTransport(
      Socket(takingOwnershipOf: FileDescriptor(takingOwnershipOf: numbers[0])))
    return (transport, try ScriptedController(FileDescriptor(takingOwnershipOf: numbers[1]), script))
  }

  /// Sends an event from outside the script.
  func send(event: [UInt8]) { send([4] + event) }

  /// Sends any bytes.
  func send(_ bytes: [UInt8]) { try? end.writeAll(bytes) }

  /// Ends the stream in both directions.
  func hangUp() { _ = shutdown(end.number, Int32(SHUT_RDWR)) }

  /// What was commanded so far.
  var commands: [Received] { received.withLock(waking: false) { $0 } }

  /// Waits until an opcode was commanded that many times, and answers the last of them.
  func wait(for opcode: Opcode, count: Int = 1, within limit: Duration = .seconds(20)) throws -> Received {
    let found = received.wait(until: .now() + limit) { received -> Received? in
      let matching = received.filter { $0.opcode == opcode }
      return matching.count >= count ? matching[count - 1] : nil
    }
    guard let found else { throw TestError("\(opcode) didn't come \(count) times; there were \(commands)") }
    return found
  }

  private func serve() {
    var bytes: [UInt8] = []
    while let more = try? end.read(upTo: 1024), !more.isEmpty {
      bytes += more
      while bytes.count >= 4, bytes.count >= 4 + Int(bytes[3]) {
        let opcode = Opcode(rawValue: UInt16(bytes[1]) | UInt16(bytes[2]) << 8)
        let command = Received(opcode: opcode, parameters: Array(bytes[4..<(4 + Int(bytes[3]))]))
        bytes.removeFirst(4 + Int(bytes[3]))
        let count = received.withLock { received in
          received.append(command)
          return received.filter { $0.opcode == opcode }.count
        }
        for reaction in script(command, count) ?? [.send([4] + Self.obedient(opcode))] { perform(reaction) }
      }
    }
  }

  private func perform(_ reaction: Reaction) {
    switch reaction {
    case .send(let bytes): send(bytes)
    case .trickle(let bytes): for byte in bytes { send([byte]) }
    case .hangUp: hangUp()
    }
  }

  /// What a controller of Bluetooth 5.0 without extended advertising answers.
  static func obedient(_ opcode: Opcode) -> [UInt8] {
    switch opcode {
    case .readLocalVersion: complete(opcode, 0, [9, 0, 0, 9, 0xE0, 0, 0, 0])
    case .readLocalFeatures: complete(opcode, 0, [0, 0, 0, 0, 0x40, 0, 0, 0])
    case .leReadLocalFeatures: complete(opcode, 0, [0, 0, 0, 0, 0, 0, 0, 0])
    default: complete(opcode)
    }
  }
}

/// A place where radios are opened: each attempt gets the next controller, or is refused.
final class Shelf: Sendable {
  /// What an attempt to open finds.
  enum Slot: Sendable {
    case refused
    case controller(ScriptedController.Script)
  }

  private let slots: Monitor<[Slot]>
  private let opened = Monitor<[ScriptedController]>([])

  /// The last slot stays for all further attempts.
  init(_ slots: [Slot]) { self.slots = Monitor(slots) }

  /// What a radio opens with.
  var opener: TransportOpener {
    { [self] spec, _, _ throws(RadioError) in
      let slot = slots.withLock { slots in slots.count > 1 ? slots.removeFirst() : slots.first ?? .refused }
      guard case .controller(let script) = slot, let (transport, controller) = try? ScriptedController.pair(script)
      else { throw .cannotOpen(spec, .connectionRefused) }
      opened.withLock { $0.append(controller) }
      return transport
    }
  }

  /// Waits for the nth controller, from 1.
  func controller(_ number: Int = 1) throws -> ScriptedController {
    let found = opened.wait(until: .now() + .seconds(20)) { $0.count >= number ? $0[number - 1] : nil }
    guard let found else { throw TestError("no controller \(number) was opened") }
    return found
  }
}
