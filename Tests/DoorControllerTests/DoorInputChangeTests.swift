import AccessControl
import AirProtocol
import LockHardware
import POSIX
import TestSupport
import Testing

@testable import DoorController

/// What a door sees of itself over restarts and reloads.
@Suite("A door's inputs over restarts and reloads") struct DoorInputChangeTests {
  @Test("an input that can't be made is one that fails")
  func inputThatCannotBeMade() throws {
    let door = try TestDoor([rule("alice")])
    door.inputFailure = .wouldBlock
    try door.configure(TestDoor.bothInputs)
    try door.pipeline.adopt(door.rulebook)
    #expect(door.sights.count == 2 && door.sights.first?.hasPrefix("input lost sensor: it can't be read: ") == true)
  }

  @Test("a restart with an open door is no alarm; a hold that goes on permits it")
  func restart() throws {
    let door = try TestDoor.seenShut(["held-open-warning: 10s"])
    _ = try door.grant(.hold(minutes: 0))
    try door.restart()
    #expect(try door.pipeline.doorStatus.first?.sight?.contact == .unknown)
    try door.say(.sensor, .contact(isOpen: true))
    door.wait(.seconds(30))
    #expect(door.sights == ["opened"])
  }

  @Test("a reload keeps what unchanged inputs have said, and lets go of the others")
  func reload() throws {
    let door = try TestDoor.seenShut()
    try door.say(.sensor, .contact(isOpen: true))
    door.wait(.seconds(1))
    let inputs = door.inputs
    try door.configure(TestDoor.bothInputs + ["held-open-warning: 5s", "min-rssi: -80"])
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
    let door = try TestDoor.seenShut()
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
    let id = try door.grant()
    try door.configure(TestDoor.bothInputs)
    try door.pipeline.adopt(door.rulebook)
    try door.say(.sensor, .contact(isOpen: false))
    try door.say(.sensor, .contact(isOpen: true))
    #expect(door.events(.opened).first?.id == id)
  }
}
