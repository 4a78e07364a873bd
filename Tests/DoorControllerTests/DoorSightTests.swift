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
  @Test("decision, movement and entry are three records of one id")
  func entry() throws {
    let door = try TestDoor.seenShut()
    let id = try door.grant()
    try door.report(.moved(.open))
    try door.say(.sensor, .contact(isOpen: true))
    try door.say(.sensor, .contact(isOpen: false))
    #expect(door.sights == ["opened by a grant", "closed"])
    #expect(door.events(.opened).first?.id == id && door.events(.lock).last?.id == id)
    #expect(try door.records.filter { $0.event.follows == id }.map(\.event.kind) == ["lock", "opened"])
    #expect(try door.records.map(\.event.kind).last == "closed")
  }

  @Test("a door that nobody let anybody through is forced, until it is closed")
  func forced() throws {
    let door = try TestDoor.seenShut()
    try door.say(.sensor, .contact(isOpen: true))
    #expect(door.sights.isEmpty)
    door.wait(.seconds(1))
    #expect(door.sights == ["opened", "forced without a grant and without an exit"])
    #expect(door.events(.opened).first?.id == nil)
    let alarm = try #require(door.events(.forced).first?.id)
    #expect(try door.pipeline.doorStatus.first?.sight?.alarm == .forced)
    var beacon = try #require(try door.beacon())
    #expect(beacon.state.doorOpen)
    try door.say(.sensor, .contact(isOpen: false))
    #expect(door.sights.suffix(2) == ["closed", "restored"])
    #expect(door.events(.restored).first?.id == alarm)
    #expect(try door.records.last?.event.follows == alarm)
    #expect(try door.pipeline.doorStatus.first?.sight?.alarm == nil)
    beacon = try #require(try door.beacon())
    #expect(!beacon.state.doorOpen)
    #expect(try door.pipeline.snapshot().doorEvents[.forced] == 1)
  }

  @Test("an exit opens the lock for its pulse, in lockdown too, and is no alarm")
  func exitInLockdown() throws {
    let door = try TestDoor.seenShut()
    _ = try door.grant(.lockdown(end: false))
    try door.say(.exit, .exitAsked)
    #expect(door.lock.orders.last == .open(until: door.time.boot + .seconds(4)))
    let exit = try #require(door.events(.exit).first?.id)
    try door.report(.moved(.open))
    #expect(door.events(.lock).last?.id == exit)
    try door.say(.exit, .exitOver)
    try door.say(.sensor, .contact(isOpen: true))
    #expect(door.sights == ["exit", "opened by an exit"])
    #expect(try door.records.filter { $0.event.follows == exit }.map(\.event.kind) == ["lock", "opened"])
    // The lockdown goes on.
    door.wait(.seconds(5))
    #expect(door.lock.orders.last == .close)
    #expect(try door.pipeline.doorStatus.first?.state == .lockedDown)
  }

  @Test("a lock or a lockdown that comes while somebody goes out lets them out")
  func closingDuringAnExit() throws {
    let door = try TestDoor.seenShut()
    try door.say(.exit, .exitAsked)
    let end = door.time.boot + .seconds(4)
    door.pass(.seconds(1))
    _ = try door.grant(.lock)
    #expect(door.lock.orders.last == .open(until: end))
    _ = try door.grant(.lockdown(end: false), press: 2)
    #expect(door.lock.orders.last == .open(until: end))
    door.wait(.seconds(4))
    #expect(door.lock.orders.last == .close)
  }

  @Test("an exit works, and an alarm is told, though nothing can be recorded")
  func ledgerFails() throws {
    let door = try TestDoor.seenShut()
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
      door.sights == ["exit", "opened by an exit", "closed", "opened", "forced without a grant and without an exit"])
    #expect(door.events(.exit).first?.id == nil && door.events(.forced).first?.id == nil)
    #expect(!door.events(.ledger).isEmpty)
  }

  @Test("a lockdown that can't be recorded closes all the same")
  func lockdownWithoutLedger() throws {
    let door = try TestDoor.seenShut()
    _ = try door.grant()
    try door.breakLedger()
    _ = try door.hear(door.frame("alice", .lockdown(end: false), sequence: 2, press: 2))
    #expect(door.lock.orders.last == .close)
    #expect(try door.pipeline.doorStatus.first?.state == .lockedDown)
  }

  @Test("a door that stands open is warned about, and then alarmed, counted from the end of what was granted")
  func heldOpen() throws {
    let door = try TestDoor.seenShut(["held-open-warning: 10s", "held-open-alarm: 20s"])
    _ = try door.grant()
    try door.say(.sensor, .contact(isOpen: true))
    door.wait(.milliseconds(12_500))
    #expect(door.sights == ["opened by a grant"])
    door.wait(.milliseconds(500))
    #expect(door.sights.last == "held-open-warning it stands open for too long; the alarm is next")
    door.wait(.milliseconds(9_500))
    #expect(door.sights.count == 2)
    door.wait(.milliseconds(500))
    #expect(door.sights.last == "held-open it stands open for too long")
    let alarm = try #require(door.events(.heldOpen).first?.id)
    #expect(try door.pipeline.doorStatus.first?.sight?.alarm == .heldOpen)
    try door.say(.sensor, .contact(isOpen: false))
    #expect(door.sights.suffix(2) == ["closed", "restored"] && door.events(.restored).first?.id == alarm)
  }

  @Test("the lock closes with the door where it should, but for a hold")
  func relocks() throws {
    let door = try TestDoor.seenShut(["relock-on-close: true"])
    _ = try door.grant(.unlock(seconds: 30))
    try door.say(.sensor, .contact(isOpen: true))
    #expect(door.lock.orders.last != .close)
    try door.say(.sensor, .contact(isOpen: false))
    #expect(door.lock.orders.last == .close)
    #expect(try door.pipeline.doorStatus.first?.state == .locked)
    // Who opens it now isn't the one who was let in.
    door.pass(.milliseconds(100))
    try door.say(.sensor, .contact(isOpen: true))
    door.wait(.seconds(1))
    #expect(door.sights.last == "forced without a grant and without an exit")
    try door.say(.sensor, .contact(isOpen: false))
    _ = try door.grant(.hold(minutes: 5), press: 2)
    let orders = door.lock.orders.count
    try door.say(.sensor, .contact(isOpen: true))
    try door.say(.sensor, .contact(isOpen: false))
    #expect(door.lock.orders.count == orders)
  }

  @Test("a door that closes behind one shuts nobody in who asked meanwhile")
  func relockWaitsForAnExit() throws {
    let door = try TestDoor.seenShut(["relock-on-close: true"])
    _ = try door.grant()
    try door.say(.sensor, .contact(isOpen: true))
    try door.say(.exit, .exitAsked)
    try door.say(.exit, .exitOver)
    try door.say(.sensor, .contact(isOpen: false))
    #expect(door.lock.orders.last == .open(until: door.time.boot + .seconds(4)))
    try door.say(.sensor, .contact(isOpen: true))
    try door.say(.sensor, .contact(isOpen: false))
    #expect(door.lock.orders.last == .close)
    #expect(door.sights == ["opened by a grant", "exit", "closed", "opened by an exit", "closed"])
  }

  @Test("a closing that is older than a grant doesn't end it")
  func relockAfterGrant() throws {
    let door = try TestDoor.seenShut(["relock-on-close: true"])
    _ = try door.grant(.unlock(seconds: 30))
    try door.say(.sensor, .contact(isOpen: true))
    door.pass(.seconds(1))
    _ = try door.grant(.unlock(seconds: 30), press: 2)
    let open = door.lock.orders.last
    try door.say(.sensor, .contact(isOpen: false), ago: .milliseconds(30))
    #expect(door.lock.orders.last == open && open != .close)
    try door.say(.sensor, .contact(isOpen: true))
    try door.say(.sensor, .contact(isOpen: false))
    #expect(door.lock.orders.last == .close)
    #expect(door.sights == ["opened by a grant", "closed", "opened by a grant", "closed"])
  }

  @Test("what is seen late is judged by its own moment")
  func late() throws {
    let door = try TestDoor.seenShut()
    _ = try door.grant()
    door.wait(.seconds(30))
    try door.say(.sensor, .contact(isOpen: true), ago: .seconds(28))
    #expect(door.sights == ["opened by a grant"])
    try door.say(.sensor, .contact(isOpen: false), ago: .seconds(26))
    try door.say(.sensor, .contact(isOpen: true), ago: .seconds(10))
    #expect(door.sights.last == "forced without a grant and without an exit")
  }

  @Test("an opening isn't forced before what the exit said by then is known")
  func exitBehindASlowDisk() throws {
    let door = try TestDoor.seenShut()
    let exit = try #require(door.inputs.last { $0.role == .exit }).id
    let opened = door.time.boot
    try door.say(.sensor, .contact(isOpen: true))
    // A record took its time, and the exit waited behind it.
    door.time.pass(.milliseconds(700))
    _ = try door.pipeline.tick(heardUntil: opened + .milliseconds(10))
    #expect(door.sights.isEmpty)
    try door.pipeline.inputSaid(exit, InputReport(.exitAsked, at: opened + .milliseconds(100)))
    door.pass(.zero)
    #expect(door.sights == ["exit", "opened by an exit"])
  }

  @Test("an input that fails is told once, and its door isn't known until it is seen again")
  func lost() throws {
    let door = try TestDoor.seenShut()
    for _ in 0..<3 { try door.say(.sensor, .lost("no line")) }
    try door.say(.exit, .lost("no line"))
    #expect(door.sights == ["input lost sensor: no line", "input lost request-to-exit: no line"])
    let sight = try #require(try door.pipeline.doorStatus.first?.sight)
    #expect(sight.contact == .unknown && sight.failures == [.sensor: "no line", .exit: "no line"])
    try door.say(.sensor, .found)
    try door.say(.sensor, .contact(isOpen: true))
    #expect(door.sights.suffix(2) == ["input found sensor", "opened"])
    door.wait(.seconds(2))
    #expect(door.events(.forced).isEmpty)
    #expect(try door.records.filter { $0.event.kind == "input" }.count == 3)
  }

  @Test("a loose contact fills no ledger, and what it does is told")
  func restless() throws {
    let door = try TestDoor.seenShut()
    let before = try door.records.count
    for _ in 0..<100 {
      try door.say(.sensor, .contact(isOpen: true))
      try door.say(.sensor, .contact(isOpen: false))
    }
    // So many of what is seen, and so many alarms.
    #expect(try door.records.count == before + 2 * RecordBudget.limit)
    #expect(door.events(.forced).count == 100)
    #expect(door.events(.input).map(\.state) == ["restless", "restless"])
    // Who goes out is recorded all the same, and what is seen is again a minute later.
    try door.say(.exit, .exitAsked)
    #expect(try door.records.last?.event.kind == "exit")
    door.wait(.seconds(60))
    try door.say(.sensor, .contact(isOpen: true))
    #expect(try door.records.last?.event.kind == "opened")
  }

  @Test("a loose exit contact fills no ledger either")
  func restlessExit() throws {
    let door = try TestDoor.seenShut()
    try door.say(.exit, .exitAsked)
    try door.report(.moved(.open), for: .exit)
    let before = try door.records.count
    for _ in 0..<200 {
      try door.say(.exit, .exitOver)
      try door.say(.exit, .exitAsked)
      try door.report(.stands(.open), for: .exit)
    }
    #expect(try door.records.count <= before + 2 * RecordBudget.limit)
  }

  @Test("an exit that was on at the start opens nothing")
  func exitFound() throws {
    let door = try TestDoor.seenShut()
    let orders = door.lock.orders.count
    try door.say(.exit, .exitFound)
    #expect(door.lock.orders.count == orders && door.events(.exit).isEmpty)
    door.wait(.seconds(10))
    #expect(try door.pipeline.doorStatus.first?.sight?.exitAge == .seconds(10))
    try door.say(.sensor, .contact(isOpen: true))
    #expect(door.sights == ["opened by an exit"])
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
    #expect(door.sights == ["exit", "opened by an exit"])
  }
}
