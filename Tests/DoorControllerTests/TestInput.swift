import AccessControl
import AirProtocol
import Ledger
import LockHardware
import POSIX
import Synchronization
import Testing

@testable import DoorController

/// An input that is spoken for by `say`.
final class TestInput: DoorInput {
  let role: InputRole
  let id: InputID
  private let stopped = Mutex(false)

  init(role: InputRole, id: InputID) {
    self.role = role
    self.id = id
  }

  var isStopped: Bool { stopped.withLock { $0 } }
  func stop() { stopped.withLock { $0 = true } }
}

extension TestDoor {
  /// A contact and a way out, whose pulse is 4 s.
  static let bothInputs = ["sensor: { pipe: contact }", "request-to-exit: { pipe: exit }", "exit-pulse: 4s"]

  /// A door with both inputs that is seen shut, and takes alice's frames; its pulse is 3 s.
  static func seenShut(_ more: [String] = []) throws -> TestDoor {
    let door = try TestDoor(
      [rule("alice", permissions: [.unlock, .lock, .hold, .lockdown])],
      policy: bothInputs + more + ["allow-by-time: [hold, release, lockdown]", "freshness: time"])
    // Time frames of the slots that might have been heard before are refused.
    door.wait(.seconds(4))
    try door.say(.sensor, .contact(isOpen: false))
    return door
  }

  /// The input of that kind that was made last says something, which was so some time ago.
  func say(_ role: InputRole, _ reading: InputReading, ago: Duration = .zero) throws {
    let input = try #require(inputs.last { $0.role == role })
    try pipeline.inputSaid(input.id, InputReport(reading, at: time.boot + (.zero - ago)))
    pass(.zero)
  }

  /// Kinds, states and details of what was told of the door itself.
  var sights: [String] {
    events.filter { DoorEvent.Kind.seen.contains($0.kind) || $0.kind == .input }.map { event in
      [event.kind.rawValue, event.state, event.detail].compactMap(\.self).joined(separator: " ")
    }
  }

  /// All records of the ledger.
  var records: [StoredEvent] {
    get throws { try pipeline.ledger.events(after: 0, limit: 1_000) }
  }

  /// A command of alice's is granted; the record's number.
  func grant(_ command: Command = .unlock(seconds: 0), press: UInt8 = 1) throws -> Int64 {
    try #require(try hear(frame("alice", command, sequence: press, press: press)).first { $0.kind == .granted }?.id)
  }
}
