import AccessControl
import AirProtocol
import Ledger
import LockHardware
import POSIX
import Testing

@testable import DoorController

/// Openings that a lock gives up: it couldn't open, or didn't stay open, and stays closed until somebody asks anew.
@Suite struct GivenUpOpeningTests {
  /// A door that alice holds open until it is released.
  private func held() throws -> TestDoor {
    let door = try TestDoor.seenShut()
    _ = try door.grant(.hold(minutes: 0))
    try door.report(.moved(.open))
    #expect(door.lock.orders.last == .open(until: nil))
    return door
  }

  private func lose(_ door: TestDoor) throws {
    try door.report(.failed(.open, reason: "the guard has ended"))
    try door.report(.moved(.closed))
  }

  @Test func aHoldIsOverWithItAndAPulseAfterwardsIsAPulse() throws {
    let door = try held()
    try lose(door)
    #expect(try door.pipeline.doors[0].mode == DoorMode() && door.pipeline.openDoors.isEmpty)
    #expect(try door.beacon()?.state.state == .locked)
    door.wait(.seconds(15))
    _ = try door.grant(press: 2)
    #expect(door.lock.orders.last == .open(until: door.time.boot + .seconds(3)))
  }

  @Test func aRestartOpensNothingForIt() throws {
    let door = try held()
    try lose(door)
    try door.restart()
    #expect(door.lock.orders.last == .close)
    #expect(!door.events(.lock).contains { $0.detail?.contains("held open") == true })
  }

  @Test func itExplainsNoOpeningAnyMore() throws {
    let door = try held()
    try lose(door)
    door.wait(.seconds(6))
    try door.say(.sensor, .contact(isOpen: true))
    door.wait(.seconds(1))
    #expect(!door.events(.forced).isEmpty)
  }

  @Test func aLockdownAndWhatTheLockWasToldMeanwhileStay() throws {
    let door = try held()
    try door.say(.exit, .exitAsked)
    _ = try door.grant(.lockdown(end: false), press: 2)
    try door.report(.failed(.open, reason: "jammed"))
    #expect(try door.pipeline.doors[0].mode.isLockedDown)
    #expect(try door.pipeline.doors[0].mode.exitUntil == nil)
    let other = try held()
    try other.report(.failed(.open, reason: "jammed"), aNewerCommandStands: true)
    #expect(try other.pipeline.doors[0].mode.hold == .indefinite)
  }

  @Test func whatCouldNotOpenIsRecordedAndThenItsEnd() throws {
    let door = try held()
    try lose(door)
    #expect(try door.records.suffix(3).map(\.event.kind) == ["lock-failed", "mode", "lock"])
  }
}
