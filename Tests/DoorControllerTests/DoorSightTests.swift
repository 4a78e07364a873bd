import AccessControl
import AirProtocol
import Ledger
import LockHardware
import POSIX
import TestSupport
import Testing

@testable import DoorController

/// What a door sees of itself, from its inputs to lock, events and ledger (docs/door-monitor.md).
@Suite("Door's sight") struct DoorSightTests {
  static let both = ["sensor: { pipe: contact }", "request-to-exit: { pipe: exit }", "exit-pulse: 4s"]

  /// A door that is seen closed; its pulse is 3 s.
  private func door(_ more: [String] = [], permissions: PermissionSet = [.unlock, .lock, .hold, .lockdown]) throws
    -> TestDoor
  {
    let door = try TestDoor(
      [rule("alice", permissions: permissions)],
      policy: Self.both + more + ["allow-by-time: [hold, release, lockdown]", "freshness: time"])
    // Time frames of the slots that might have been heard before are refused.
    door.wait(.seconds(4))
    try door.say(.sensor, .contact(isOpen: false))
    return door
  }

  /// Kinds and details of what was told of the door itself.
  private func told(_ door: TestDoor) -> [String] {
    door.events.filter { DoorEvent.Kind.seen.contains($0.kind) || $0.kind == .input }.map { event in
      [event.kind.rawValue, event.state, event.detail].compactMap(\.self).joined(separator: " ")
    }
  }

  private func records(_ door: TestDoor) throws -> [StoredEvent] {
    try door.pipeline.ledger.events(after: 0, limit: 1_000)
  }

  private func grant(_ door: TestDoor, _ command: Command = .unlock(seconds: 0), press: UInt8 = 1) throws -> Int64 {
    try #require(
      try door.hear(door.frame("alice", command, sequence: press, press: press)).first { $0.kind == .granted }?.id)
  }

  @Test("decision, movement and entry are three records of one id")
  func entry() throws {
    let door = try door()
    let id = try grant(door)
    try door.report(.moved(.open))
    try door.say(.sensor, .contact(isOpen: true))
    try door.say(.sensor, .contact(isOpen: false))
    #expect(told(door) == ["opened by a grant", "closed"])
    #expect(door.events(.opened).first?.id == id && door.events(.lock).last?.id == id)
    #expect(try records(door).filter { $0.event.follows == id }.map(\.event.kind) == ["lock", "opened"])
    #expect(try records(door).map(\.event.kind).last == "closed")
  }

  @Test("a door that nobody let anybody through is forced, until it is closed")
  func forced() throws {
    let door = try door()
    try door.say(.sensor, .contact(isOpen: true))
    #expect(told(door).isEmpty)
    door.wait(.seconds(1))
    #expect(told(door) == ["opened", "forced without a grant and without an exit"])
    #expect(door.events(.opened).first?.id == nil)
    let alarm = try #require(door.events(.forced).first?.id)
    #expect(try door.pipeline.doorStatus.first?.sight?.alarm == .forced)
    var beacon = try #require(try door.beacon())
    #expect(beacon.state.doorOpen)
    try door.say(.sensor, .contact(isOpen: false))
    #expect(told(door).suffix(2) == ["closed", "restored"])
    #expect(door.events(.restored).first?.id == alarm)
    #expect(try records(door).last?.event.follows == alarm)
    #expect(try door.pipeline.doorStatus.first?.sight?.alarm == nil)
    beacon = try #require(try door.beacon())
    #expect(!beacon.state.doorOpen)
    #expect(try door.pipeline.snapshot().doorEvents[.forced] == 1)
  }

  @Test("an exit opens the lock for its pulse, in lockdown too, and is no alarm")
  func exitInLockdown() throws {
    let door = try door()
    _ = try grant(door, .lockdown(end: false))
    try door.say(.exit, .exitAsked)
    #expect(door.lock.orders.last == .open(until: door.time.boot + .seconds(4)))
    let exit = try #require(door.events(.exit).first?.id)
    try door.report(.moved(.open))
    #expect(door.events(.lock).last?.id == exit)
    try door.say(.exit, .exitOver)
    try door.say(.sensor, .contact(isOpen: true))
    #expect(told(door) == ["exit", "opened by an exit"])
    #expect(try records(door).filter { $0.event.follows == exit }.map(\.event.kind) == ["lock", "opened"])
    // The lockdown goes on.
    door.wait(.seconds(5))
    #expect(door.lock.orders.last == .close)
    #expect(try door.pipeline.doorStatus.first?.state == .lockedDown)
  }

  @Test("a lock or a lockdown that comes while somebody goes out lets them out")
  func closingDuringAnExit() throws {
    let door = try door()
    try door.say(.exit, .exitAsked)
    let end = door.time.boot + .seconds(4)
    door.pass(.seconds(1))
    _ = try grant(door, .lock)
    #expect(door.lock.orders.last == .open(until: end))
    _ = try grant(door, .lockdown(end: false), press: 2)
    #expect(door.lock.orders.last == .open(until: end))
    door.wait(.seconds(4))
    #expect(door.lock.orders.last == .close)
  }

  @Test("an exit works, and an alarm is told, though nothing can be recorded")
  func ledgerFails() throws {
    let door = try door()
    try door.breakLedger()
    try door.say(.exit, .exitAsked)
    #expect(door.lock.orders.last == .open(until: door.time.boot + .seconds(4)))
    try door.say(.sensor, .contact(isOpen: true))
    try door.say(.sensor, .contact(isOpen: false))
    try door.say(.exit, .exitOver)
    door.wait(.seconds(20))
    #expect(door.lock.orders.last == .close)
    try door.say(.sensor, .contact(isOpen: true))
    door.wait(.seconds(1))
    #expect(
      told(door) == ["exit", "opened by an exit", "closed", "opened", "forced without a grant and without an exit"])
    #expect(door.events(.exit).first?.id == nil && door.events(.forced).first?.id == nil)
    #expect(!door.events(.ledger).isEmpty)
  }

  @Test("a lockdown that can't be recorded closes all the same")
  func lockdownWithoutLedger() throws {
    let door = try door()
    _ = try grant(door)
    try door.breakLedger()
    _ = try door.hear(door.frame("alice", .lockdown(end: false), sequence: 2, press: 2))
    #expect(door.lock.orders.last == .close)
    #expect(try door.pipeline.doorStatus.first?.state == .lockedDown)
  }

  @Test("a door that stands open is warned about, and then alarmed, counted from the end of what was granted")
  func heldOpen() throws {
    let door = try door(["held-open-warning: 10s", "held-open-alarm: 20s"])
    _ = try grant(door)
    try door.say(.sensor, .contact(isOpen: true))
    door.wait(.milliseconds(12_500))
    #expect(told(door) == ["opened by a grant"])
    door.wait(.milliseconds(500))
    #expect(told(door).last == "held-open-warning it stands open for too long; the alarm is next")
    door.wait(.milliseconds(9_500))
    #expect(told(door).count == 2)
    door.wait(.milliseconds(500))
    #expect(told(door).last == "held-open it stands open for too long")
    let alarm = try #require(door.events(.heldOpen).first?.id)
    #expect(try door.pipeline.doorStatus.first?.sight?.alarm == .heldOpen)
    try door.say(.sensor, .contact(isOpen: false))
    #expect(told(door).suffix(2) == ["closed", "restored"] && door.events(.restored).first?.id == alarm)
  }

  @Test("the lock closes with the door where it should, but for a hold")
  func relocks() throws {
    let door = try door(["relock-on-close: true"])
    _ = try grant(door, .unlock(seconds: 30))
    try door.say(.sensor, .contact(isOpen: true))
    #expect(door.lock.orders.last != .close)
    try door.say(.sensor, .contact(isOpen: false))
    #expect(door.lock.orders.last == .close)
    #expect(try door.pipeline.doorStatus.first?.state == .locked)
    // Who opens it now isn't the one who was let in.
    door.pass(.milliseconds(100))
    try door.say(.sensor, .contact(isOpen: true))
    door.wait(.seconds(1))
    #expect(told(door).last == "forced without a grant and without an exit")
    try door.say(.sensor, .contact(isOpen: false))
    _ = try grant(door, .hold(minutes: 5), press: 2)
    let orders = door.lock.orders.count
    try door.say(.sensor, .contact(isOpen: true))
    try door.say(.sensor, .contact(isOpen: false))
    #expect(door.lock.orders.count == orders)
  }

  @Test("a door that closes behind one shuts nobody in who asked meanwhile")
  func relockWaitsForAnExit() throws {
    let door = try door(["relock-on-close: true"])
    _ = try grant(door)
    try door.say(.sensor, .contact(isOpen: true))
    try door.say(.exit, .exitAsked)
    try door.say(.exit, .exitOver)
    try door.say(.sensor, .contact(isOpen: false))
    #expect(door.lock.orders.last == .open(until: door.time.boot + .seconds(4)))
    try door.say(.sensor, .contact(isOpen: true))
    try door.say(.sensor, .contact(isOpen: false))
    #expect(door.lock.orders.last == .close)
    #expect(told(door) == ["opened by a grant", "exit", "closed", "opened by an exit", "closed"])
  }

  @Test("what is seen late is judged by its own moment")
  func late() throws {
    let door = try door()
    _ = try grant(door)
    door.wait(.seconds(30))
    try door.say(.sensor, .contact(isOpen: true), ago: .seconds(28))
    #expect(told(door) == ["opened by a grant"])
    try door.say(.sensor, .contact(isOpen: false), ago: .seconds(26))
    try door.say(.sensor, .contact(isOpen: true), ago: .seconds(10))
    #expect(told(door).last == "forced without a grant and without an exit")
  }

  @Test("an input that fails is told once, and its door isn't known until it is seen again")
  func lost() throws {
    let door = try door()
    for _ in 0..<3 { try door.say(.sensor, .lost("no line")) }
    try door.say(.exit, .lost("no line"))
    #expect(told(door) == ["input lost sensor: no line", "input lost request-to-exit: no line"])
    let sight = try #require(try door.pipeline.doorStatus.first?.sight)
    #expect(sight.contact == .unknown && sight.failures == [.sensor: "no line", .exit: "no line"])
    try door.say(.sensor, .found)
    try door.say(.sensor, .contact(isOpen: true))
    #expect(told(door).suffix(2) == ["input found sensor", "opened"])
    door.wait(.seconds(2))
    #expect(door.events(.forced).isEmpty)
    #expect(try records(door).filter { $0.event.kind == "input" }.count == 3)
  }

  @Test("an input that can't be made is one that fails")
  func inputThatCannotBeMade() throws {
    let door = try TestDoor([rule("alice")])
    door.inputFailure = .wouldBlock
    try door.configure(Self.both)
    try door.pipeline.adopt(door.rulebook)
    #expect(told(door).count == 2 && told(door).first?.hasPrefix("input lost sensor: it can't be read: ") == true)
  }

  @Test("a loose contact fills no ledger, and what it does is told")
  func restless() throws {
    let door = try door()
    let before = try records(door).count
    for _ in 0..<100 {
      try door.say(.sensor, .contact(isOpen: true))
      try door.say(.sensor, .contact(isOpen: false))
    }
    #expect(try records(door).count == before + RecordBudget.limit)
    #expect(door.events(.forced).count == 100)
    #expect(door.events(.input).map(\.state) == ["restless"])
    door.wait(.seconds(60))
    try door.say(.exit, .exitAsked)
    #expect(try records(door).count > before + RecordBudget.limit)
  }

  @Test("an exit that was on at the start opens nothing")
  func exitFound() throws {
    let door = try door()
    let orders = door.lock.orders.count
    try door.say(.exit, .exitFound)
    #expect(door.lock.orders.count == orders && door.events(.exit).isEmpty)
    door.wait(.seconds(10))
    #expect(try door.pipeline.doorStatus.first?.sight?.exitAge == .seconds(10))
    try door.say(.sensor, .contact(isOpen: true))
    #expect(told(door) == ["opened by an exit"])
  }

  @Test("an exit that needs no lock only explains the opening")
  func exitWithoutPulse() throws {
    let door = try TestDoor(
      [rule("alice")], policy: ["sensor: { pipe: c }", "request-to-exit: { pipe: e }", "exit-pulse: none"])
    try door.say(.sensor, .contact(isOpen: false))
    let orders = door.lock.orders.count
    try door.say(.exit, .exitAsked)
    try door.say(.sensor, .contact(isOpen: true))
    #expect(door.lock.orders.count == orders)
    #expect(told(door) == ["exit", "opened by an exit"])
  }

  @Test("a restart with an open door is no alarm; a hold that goes on permits it")
  func restart() throws {
    let door = try door(["held-open-warning: 10s"])
    _ = try grant(door, .hold(minutes: 0))
    try door.restart()
    #expect(try door.pipeline.doorStatus.first?.sight?.contact == .unknown)
    try door.say(.sensor, .contact(isOpen: true))
    door.wait(.seconds(30))
    #expect(told(door) == ["opened"])
  }

  @Test("a reload keeps what unchanged inputs have said, and lets go of the others")
  func reload() throws {
    let door = try door()
    try door.say(.sensor, .contact(isOpen: true))
    door.wait(.seconds(1))
    let inputs = door.inputs
    try door.configure(Self.both + ["held-open-warning: 5s", "min-rssi: -80"])
    try door.pipeline.adopt(door.rulebook)
    #expect(door.inputs.count == 2 && inputs.allSatisfy { !$0.isStopped })
    #expect(try door.pipeline.doorStatus.first?.sight?.alarm == .forced)
    // Another exit: the contact stays as it was.
    try door.configure(["sensor: { pipe: contact }", "request-to-exit: { pipe: other }"])
    try door.pipeline.adopt(door.rulebook)
    #expect(inputs.filter(\.isStopped).map(\.role) == [.exit] && door.inputs.count == 3)
    #expect(try door.pipeline.doorStatus.first?.sight?.contact == .open)
    // What the old one still has in the queue counts no more.
    let orders = door.lock.orders.count
    try door.pipeline.inputSaid(#require(inputs.last).id, InputReport(.exitAsked, at: door.time.boot))
    #expect(door.lock.orders.count == orders)
    // Another contact: the door has to be seen anew.
    try door.configure(["sensor: { pipe: third }"])
    try door.pipeline.adopt(door.rulebook)
    #expect(try door.pipeline.doorStatus.first?.sight?.contact == .unknown)
    try door.configure([])
    try door.pipeline.adopt(door.rulebook)
    #expect(door.inputs.count(where: \.isStopped) == 4)
    #expect(try door.pipeline.doorStatus.first?.sight == nil)
  }

  @Test("a board's inputs are those of the lock, and what they said before they were wanted still counts")
  func board() throws {
    let door = try TestDoor([rule("alice")])
    try door.report(.seen(.sensor, .contact(isOpen: true)))
    #expect(try door.pipeline.doorStatus.first?.sight == nil)
    let lock = "{ serial: { port: nowhere } }"
    try door.configure(["sensor: { serial: {} }", "request-to-exit: { serial: {} }"], lock: lock)
    try door.pipeline.adopt(door.rulebook)
    #expect(try door.pipeline.doorStatus.first?.sight?.contact == .unknown, "it is another lock")
    try door.report(.seen(.sensor, .contact(isOpen: false)))
    try door.report(.seen(.exit, .exitAsked))
    #expect(door.lock.orders.contains(.open(until: door.time.boot + .seconds(3))))
    try door.report(.seen(.sensor, .lost("the board is silent")))
    #expect(try door.pipeline.doorStatus.first?.sight?.failures == [.sensor: "the board is silent"])
    try door.configure(["request-to-exit: { serial: {} }"], lock: lock)
    try door.pipeline.adopt(door.rulebook)
    try door.report(.seen(.sensor, .found))
    try door.report(.seen(.sensor, .contact(isOpen: true)))
    try door.configure(["sensor: { serial: {} }", "request-to-exit: { serial: {} }"], lock: lock)
    try door.pipeline.adopt(door.rulebook)
    #expect(try door.pipeline.doorStatus.first?.sight?.contact == .open)
  }

  @Test("a reload that takes the sensor away ends its alarm")
  func reloadTakesTheSensor() throws {
    let door = try door()
    try door.say(.sensor, .contact(isOpen: true))
    door.wait(.seconds(1))
    #expect(try door.pipeline.doorStatus.first?.sight?.alarm == .forced)
    try door.configure(["request-to-exit: { pipe: exit }"])
    try door.pipeline.adopt(door.rulebook)
    #expect(try door.pipeline.doorStatus.first?.sight?.alarm == nil)
  }

  @Test("a reload that adds a sensor in mid-pulse knows the pulse")
  func reloadAdds() throws {
    let door = try TestDoor([rule("alice")])
    door.wait(.seconds(4))
    let id = try grant(door)
    try door.configure(Self.both)
    try door.pipeline.adopt(door.rulebook)
    try door.say(.sensor, .contact(isOpen: false))
    try door.say(.sensor, .contact(isOpen: true))
    #expect(door.events(.opened).first?.id == id)
  }
}
