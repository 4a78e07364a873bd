import AccessControl
import LockHardware
import POSIX
import TestSupport
import Testing

@testable import DoorController

/// Locks that a reload takes from their doors.
@Suite struct RetiredLockTests {
  /// A reload without the second door, whose lock was open, and the configuration with that door.
  private func doorWithoutBack() throws -> (door: TestDoor, lock: LockID, with: String) {
    let door = try TestDoor([rule("alice")])
    let text = try door.folder.text("door.yaml")
    try door.addDoor("back", holder: rule("bob"))
    let with = try door.folder.text("door.yaml")
    try door.pipeline.adopt(door.rulebook)
    let lock = try #require(try door.pipeline.doors.last?.numberedLock.id)
    try door.pipeline.lockReported(lock, LockReport(.moved(.open), at: door.time.boot))
    try replaceFile(door.folder("door.yaml"), contents: Array(text.utf8))
    try door.pipeline.adopt(door.rulebook)
    #expect(try door.pipeline.doors.count == 1 && door.pipeline.awaitsRetiredLocks)
    return (door, lock, with)
  }

  @Test func theLockOfADoorThatIsNoMoreIsHeardUntilItIsClosed() throws {
    let (door, lock, _) = try doorWithoutBack()
    try door.pipeline.lockReported(lock, LockReport(.moved(.closed), at: door.time.boot))
    let event = try #require(door.events(.lock).last)
    #expect(event.door == "back" && event.state == "closed")
    #expect(event.detail == "the door is in the configuration no more")
    try door.pipeline.lockEnded(lock)
    #expect(try door.pipeline.retired.isEmpty && door.pipeline.doorsLeftOpen.isEmpty)
  }

  @Test func aPulseEndsWithTheDoorAndIsNoFaultOfTheNextRun() throws {
    let door = try TestDoor([rule("alice")])
    let without = try door.folder.text("door.yaml")
    try door.addDoor("back", holder: rule("bob"))
    let with = try door.folder.text("door.yaml")
    try door.pipeline.adopt(door.rulebook)
    try door.pipeline.testLock(of: #require(Identifier("back")), seconds: 3, askedBy: 0) { _ in }
    for text in [without, with] {
      try replaceFile(door.folder("door.yaml"), contents: Array(text.utf8))
      try door.pipeline.adopt(door.rulebook)
    }
    #expect(try door.pipeline.doors.last?.mode == DoorMode())
    #expect(!door.events(.lock).contains { $0.detail?.contains("mid-pulse") == true })
  }

  @Test func oneThatCannotBeClosedIsToldAndRemembered() throws {
    let (door, lock, with) = try doorWithoutBack()
    let failure = LockReport(.failed(.closed, reason: "exit code 4"), at: door.time.boot)
    try door.pipeline.lockReported(lock, failure)
    #expect(door.events(.lockFailed).last?.door == "back")
    #expect(try door.pipeline.snapshot().lockFailures == 1)
    try door.pipeline.lockEnded(lock)
    #expect(try !door.pipeline.awaitsRetiredLocks)
    #expect(try door.pipeline.doorsLeftOpen.map(\.text) == ["back"])
    #expect(try door.pipeline.retiredLeftOpen.map(\.text) == ["back"])
    // It comes back: its new lock has closed it.
    try replaceFile(door.folder("door.yaml"), contents: Array(with.utf8))
    try door.pipeline.adopt(door.rulebook)
    #expect(try door.pipeline.doorsLeftOpen.isEmpty && door.pipeline.retired.isEmpty)
  }

  @Test("a lock that a reload replaced and that couldn't be closed is remembered, unless the new one moves the same")
  func replaced() throws {
    let relay = "{ gpio: { chip: gpiochip0, line: 1 } }"
    for (next, isLeftOpen) in [
      ("{ gpio: { chip: gpiochip0, line: 1, active-low: true } }", false),
      ("{ gpio: [{ chip: gpiochip0, line: 1 }, { chip: gpiochip0, line: 2 }] }", false),
      ("{ gpio: { chip: gpiochip0, line: 2 } }", true), ("{ serial: { port: ttyS0 } }", true),
    ] {
      let door = try TestDoor([rule("alice")])
      try door.configure([], lock: relay)
      try door.pipeline.adopt(door.rulebook)
      let old = try #require(try door.pipeline.doors.first?.numberedLock.id)
      try door.pipeline.lockReported(old, LockReport(.moved(.open), at: door.time.boot))
      try door.configure([], lock: next)
      try door.pipeline.adopt(door.rulebook)
      try door.pipeline.lockReported(old, LockReport(.failed(.closed, reason: "no line"), at: door.time.boot))
      try door.pipeline.lockEnded(old)
      #expect(try door.pipeline.doorsLeftOpen.map(\.text) == (isLeftOpen ? ["front"] : []), "\(next)")
      // The relay comes back, and what has it closes it.
      let new = try #require(try door.pipeline.doors.first?.numberedLock.id)
      try door.configure([], lock: relay)
      try door.pipeline.adopt(door.rulebook)
      try door.pipeline.lockReported(new, LockReport(.moved(.closed), at: door.time.boot))
      try door.pipeline.lockEnded(new)
      #expect(try door.pipeline.doorsLeftOpen.isEmpty)
    }
  }

  @Test(
    "a lock that stood closed when it was replaced isn't left open; one of which nobody knows may be",
    arguments: [true, false])
  func closedBefore(_ wasClosed: Bool) throws {
    let door = try TestDoor([rule("alice")])
    try door.configure([], lock: "{ gpio: { chip: none, line: 1 } }")
    try door.pipeline.adopt(door.rulebook)
    let old = try #require(try door.pipeline.doors.first?.numberedLock.id)
    if wasClosed { try door.pipeline.lockReported(old, LockReport(.moved(.closed), at: door.time.boot)) }
    try door.configure([])
    try door.pipeline.adopt(door.rulebook)
    try door.pipeline.lockReported(old, LockReport(.failed(.closed, reason: "no chip"), at: door.time.boot))
    try door.pipeline.lockEnded(old)
    #expect(try door.pipeline.doorsLeftOpen.isEmpty == wasClosed)
  }

  @Test("a reload that can't be recorded touches no lock")
  func refused() throws {
    let door = try TestDoor([rule("alice")])
    let orders = door.lock.orders
    try door.refuseBundles()
    try door.export("front", now: TestDoor.start + 1)
    try door.configure([], lock: "{ command: { unlock: [/bin/true], lock: [/bin/true] } }")
    #expect(throws: LoadError.self) { try door.pipeline.adopt(door.rulebook) }
    #expect(door.lock.orders == orders)
  }

  @Test func aDoorWithANewLockListensToThatOneAndIsMovedAgainWhenTheOldOneHasEnded() throws {
    let door = try TestDoor([rule("alice")])
    let old = try #require(try door.pipeline.doors.first?.numberedLock.id)
    try door.configure([], lock: "{ command: { unlock: [/bin/true], lock: [/bin/true] } }")
    try door.pipeline.adopt(door.rulebook)
    let new = try #require(try door.pipeline.doors.first?.numberedLock.id)
    #expect(old != new)
    try door.pipeline.lockReported(new, LockReport(.moved(.open), at: door.time.boot))
    // What the old one still says isn't how the door stands.
    try door.pipeline.lockReported(old, LockReport(.moved(.closed), at: door.time.boot))
    #expect(try door.pipeline.doorStatus.first?.lock == .stands(.open))
    try door.pipeline.lockEnded(old)
    #expect(door.lock.orders.last == .refresh)
    #expect(try door.pipeline.retired.isEmpty)
  }
}
