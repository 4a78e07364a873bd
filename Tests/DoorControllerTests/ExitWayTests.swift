import AccessControl
import LockHardware
import POSIX
import Testing

@testable import DoorController

/// The short way from an exit to the lock, and what the door's thread makes of it later.
@Suite("The short way out")
struct ExitWayTests {
  @Test("an exit opens the lock before the door's thread knows of it, which changes nothing by it")
  func short() throws {
    let door = try TestDoor.seenShut()
    let way = try door.pipeline.doors[0].exitWay
    let asked = InputReport(.exitAsked, at: door.time.boot, toldAt: door.time.boot + .milliseconds(30))
    let end = asked.toldAt + .seconds(4)
    way.take(asked)
    #expect(door.lock.orders.last == .open(until: end) && door.lock.causes.last == .exit)
    // The disk took a second.
    door.time.pass(.seconds(1))
    try door.pipeline.inputSaid(#require(door.inputs.last { $0.role == .exit }).id, asked)
    #expect(door.lock.orders.last == .open(until: end))
    #expect(try door.pipeline.doors[0].mode.exitUntil == end.sinceBoot)
    door.wait(.seconds(4))
    #expect(door.lock.orders.last == .close)
  }

  @Test("one that the door's thread learns of when it is over opens nothing any more, and is told")
  func late() throws {
    let door = try TestDoor.seenShut()
    let asked = InputReport(.exitAsked, at: door.time.boot)
    door.time.pass(.seconds(4))
    let orders = door.lock.orders
    try door.pipeline.inputSaid(#require(door.inputs.last { $0.role == .exit }).id, asked)
    #expect(door.lock.orders == orders)
    #expect(door.events(.exit).first?.id != nil)
  }

  @Test("what isn't asked for, a way out without a pulse, and a door that has ended open nothing")
  func nothing() throws {
    let door = try TestDoor.seenShut()
    let running = try door.pipeline.doors[0]
    let orders = door.lock.orders
    let now = door.time.boot
    for reading in [InputReading.exitFound, .exitOver, .found, .lost("no line"), .contact(isOpen: true)] {
      running.exitWay.take(InputReport(reading, at: now))
    }
    // The pipe is the way out, not the board.
    running.exitWay.take(LockReport(.seen(.exit, .exitAsked), at: now), of: running.numberedLock.id)
    #expect(door.lock.orders == orders)
    try door.configure(["request-to-exit: { pipe: exit }", "exit-pulse: none"])
    try door.pipeline.adopt(door.rulebook)
    running.exitWay.take(InputReport(.exitAsked, at: now))
    try door.configure(["sensor: { pipe: contact }"])
    try door.pipeline.adopt(door.rulebook)
    running.exitWay.take(InputReport(.exitAsked, at: now))
    #expect(door.lock.orders == orders)
    try door.configure(TestDoor.bothInputs)
    try door.pipeline.adopt(door.rulebook)
    running.exitWay.take(InputReport(.exitAsked, at: now))
    #expect(door.lock.orders.last == .open(until: now + .seconds(4)))
    try door.pipeline.stopDoors()
    running.exitWay.take(InputReport(.exitAsked, at: now))
    #expect(door.lock.orders.last == .stop)
  }

  @Test("a board's exit opens that board's lock, and another's nothing")
  func board() throws {
    let door = try TestDoor([rule("alice")])
    let running = try door.pipeline.doors[0]
    let old = running.numberedLock.id
    try door.configure(["request-to-exit: { serial: {} }"], lock: "{ serial: { port: nowhere } }")
    try door.pipeline.adopt(door.rulebook)
    let asked = LockReport(.seen(.exit, .exitAsked), at: door.time.boot)
    let orders = door.lock.orders
    running.exitWay.take(asked, of: old)
    #expect(door.lock.orders == orders)
    running.exitWay.take(asked, of: running.numberedLock.id)
    #expect(door.lock.orders.last == .open(until: asked.at + .seconds(3)))
  }
}
