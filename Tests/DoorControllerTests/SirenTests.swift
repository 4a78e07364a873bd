import AccessControl
import AirProtocol
import Ledger
import LockHardware
import POSIX
import TestSupport
import Testing

@testable import DoorController

/// A siren that remembers what it was told.
struct TestSiren {
  let id: SirenID
  let door: Identifier
  let settings: MonitorSettings.Siren
  let lock = TestLock()

  /// What it was told; nothing it was never told.
  var orders: [TestLock.Order] { lock.orders }
}

extension TestDoor {
  static let siren = "siren: { gpio: { chip: c, line: 1 }, for: 30s }"

  /// The siren that was made last says something.
  func sirenSays(_ event: LockReport.Event) throws {
    let siren = try #require(sirens.last)
    try pipeline.sirenReported(siren.id, LockReport(event, at: time.boot))
  }

  /// States and details of what was told of the siren.
  var sirenWords: [String] {
    events(.siren).map { event in [event.state, event.detail].compactMap(\.self).joined(separator: " ") }
  }

  var sirenState: Siren.State? {
    get throws { try pipeline.doorStatus.first?.sight?.siren }
  }

  /// Opens the door without a reason, and waits until that is an alarm.
  func force() throws {
    try say(.sensor, .contact(isOpen: true))
    wait(DoorMonitor.patience)
  }

  /// Takes over what the configuration says now.
  func reload(_ policy: [String], lock: String = "{ dry-run: {} }") throws {
    try configure(policy, lock: lock)
    try pipeline.adopt(rulebook)
  }

  /// Waits until that many sirens have ended that no door has any more, and tells the door of the last.
  func sirenEnds(_ count: Int = 1) throws {
    awaitSirenEnds(count)
    try pipeline.sirenEnded()
  }
}

/// What sounds while an alarm is on, and what doesn't.
@Suite("A door's siren") struct SirenTests {
  @Test("a forced door's siren sounds for its time, and is silent when the door is restored")
  func forced() throws {
    let door = try TestDoor.seenShut([TestDoor.siren])
    let siren = try #require(door.sirens.first)
    #expect(siren.door.text == "front" && siren.orders.isEmpty)
    try door.force()
    let end = door.time.boot + .seconds(30)
    // Its own deadline silences it.
    #expect(siren.orders == [.open(until: end)])
    #expect(door.lock.openings == 0)
    try door.say(.sensor, .contact(isOpen: false))
    #expect(siren.orders == [.open(until: end), .close])
    try door.force()
    #expect(siren.orders.last == .open(until: door.time.boot + .seconds(30)))
  }

  @Test("a door that is held open sounds, but not at its warning; it sounds again after a time of silence")
  func heldOpen() throws {
    let door = try TestDoor.seenShut(
      ["siren: { gpio: { chip: c, line: 1 }, for: 5s }", "held-open-warning: 10s", "held-open-alarm: 20s"])
    let siren = try #require(door.sirens.first)
    for alarm in 1...2 {
      _ = try door.grant(press: UInt8(alarm))
      try door.say(.sensor, .contact(isOpen: true))
      door.wait(.milliseconds(22_750))
      #expect(siren.lock.openings == alarm - 1 && door.events(.heldOpenWarning).count == alarm)
      door.wait(.milliseconds(250))
      #expect(siren.orders.last == .open(until: door.time.boot + .seconds(5)))
      door.wait(.seconds(10))
      try door.say(.sensor, .contact(isOpen: false))
      #expect(siren.orders.last == .close)
    }
  }

  @Test("an alarm that sounds until it is over isn't silenced by a grant, an exit or a contact that fails")
  func untilRestored() throws {
    let door = try TestDoor.seenShut(["siren: { gpio: { chip: c, line: 1 }, for: none }"])
    let siren = try #require(door.sirens.first)
    try door.force()
    _ = try door.grant()
    try door.say(.exit, .exitAsked)
    try door.say(.exit, .exitOver)
    _ = try door.grant(.lockdown(end: false), press: 2)
    try door.say(.sensor, .lost("gone"))
    door.wait(.seconds(600))
    #expect(siren.orders == [.open(until: nil)])
    try door.say(.sensor, .contact(isOpen: false))
    #expect(siren.orders == [.open(until: nil), .close])
  }

  @Test("it sounds before the first of the alarm's records is made")
  func first() throws {
    let door = try TestDoor.seenShut([TestDoor.siren])
    let siren = try #require(door.sirens.first)
    var openings: [String] = []
    door.whileRecording = { openings.append("\($0.kind.rawValue) \(siren.lock.openings)") }
    try door.force()
    #expect(openings == ["opened 1", "forced 1"])
  }

  @Test("neither duress nor an exit, a grant or a door that stands open for its time sounds")
  func silent() throws {
    let door = try TestDoor.seenShut([TestDoor.siren])
    try door.hear(door.frame("alice", .duress, sequence: 1, press: 1))
    #expect(door.events(.duress).count == 1)
    try door.say(.sensor, .contact(isOpen: true))
    try door.say(.sensor, .contact(isOpen: false))
    try door.say(.exit, .exitAsked)
    try door.say(.sensor, .contact(isOpen: true))
    door.wait(.seconds(3))
    try door.say(.exit, .exitOver)
    try door.say(.sensor, .contact(isOpen: false))
    #expect(door.sirens.first?.orders == [] && door.sights.contains("opened by an exit"))
  }

  @Test("an alarm that can't be recorded sounds all the same, and what can't be recorded is told")
  func withoutLedger() throws {
    let door = try TestDoor.seenShut([TestDoor.siren])
    try door.breakLedger()
    try door.force()
    try door.sirenSays(.failed(.open, reason: "gone"))
    #expect(door.sirens.first?.lock.openings == 1 && door.sirenWords == ["failed gone"])
  }

  @Test("what it says is told and shown, and never taken for the lock's word")
  func words() throws {
    let door = try TestDoor.seenShut([TestDoor.siren])
    try door.report(.stands(.closed))
    #expect(try door.sirenState == nil)
    try door.sirenSays(.moved(.closed))
    #expect(try door.sirenState == .off && door.sirenWords == [], "the start's silence is no news")
    try door.force()
    let locks = door.events(.lock).count
    try door.sirenSays(.moved(.open))
    try door.sirenSays(.stands(.open))
    #expect(try door.sirenState == .on)
    #expect(try door.pipeline.doors.first?.lockWord == .stands(.closed))
    #expect(try door.pipeline.openDoors == [])
    try door.sirenSays(.moved(.closed))
    #expect(try door.sirenState == .off && door.sirenWords == ["on", "off"])
    #expect(door.events(.lock).count == locks)
    #expect(try !door.records.contains { $0.event.kind == "siren" })
  }

  @Test("a siren that couldn't sound is one that fails until it has, told and recorded once")
  func failed() throws {
    let door = try TestDoor.seenShut([TestDoor.siren])
    try door.sirenSays(.moved(.closed))
    try door.force()
    for _ in 1...3 { try door.sirenSays(.failed(.open, reason: "no such chip")) }
    try door.sirenSays(.moved(.closed))
    #expect(try door.sirenState == .failed("no such chip"))
    #expect(door.sirenWords == ["failed no such chip"] && door.events(.lockFailed).isEmpty)
    #expect(try door.pipeline.doors.first?.lockHasFailed == false)
    #expect(try details(of: "siren", door) == ["failed: no such chip"])
    try door.say(.sensor, .contact(isOpen: false))
    try door.force()
    try door.sirenSays(.moved(.open))
    #expect(try door.sirenState == .on)
  }

  @Test("a siren that couldn't be silenced at the start is well once it could")
  func failedAtTheStart() throws {
    let door = try TestDoor.seenShut([TestDoor.siren])
    try door.sirenSays(.failed(.closed, reason: "busy"))
    #expect(try door.sirenState == .failed("busy"))
    try door.sirenSays(.moved(.closed))
    #expect(try door.sirenState == .off && door.sirenWords == ["failed busy", "off"])
  }

  @Test("a siren that can't be made is one that fails")
  func cannotBeMade() throws {
    let door = try TestDoor.seenShut()
    door.sirenFailure = .wouldBlock
    try door.reload(TestDoor.bothInputs + [TestDoor.siren])
    #expect(try door.sirenState?.word == "failed" && door.sirenWords.count == 1)
    try door.force()
    #expect(door.events(.forced).count == 1)
  }

  @Test("a restart is silent: an alarm that was on is over")
  func restart() throws {
    let door = try TestDoor.seenShut([TestDoor.siren])
    try door.force()
    try door.restart()
    #expect(door.sirens.first?.orders.suffix(2) == [.beginStop, .stop])
    try door.say(.sensor, .contact(isOpen: true))
    door.wait(.seconds(2))
    #expect(door.sirens.count == 2 && door.sirens.last?.orders == [])
  }

  private func details(of kind: String, _ door: TestDoor) throws -> [String?] {
    try door.records.filter { $0.event.kind == kind }.map(\.event.detail)
  }
}

/// Reloads while an alarm is on.
@Suite("A door's siren over reloads") struct SirenReloadTests {
  @Test("a reload that changes nothing of it moves nothing")
  func unchanged() throws {
    let door = try TestDoor.seenShut([TestDoor.siren])
    try door.force()
    let orders = door.sirens.first?.orders
    door.wait(.seconds(3))
    try door.reload(TestDoor.bothInputs + [TestDoor.siren, "min-rssi: -80"])
    #expect(door.sirens.count == 1 && door.sirens.first?.orders == orders)
  }

  @Test("a siren that a reload adds sounds for what is left of the alarm's time")
  func added() throws {
    let door = try TestDoor.seenShut()
    try door.force()
    let began = door.time.boot
    door.wait(.seconds(10))
    try door.reload(TestDoor.bothInputs + [TestDoor.siren])
    #expect(door.sirens.first?.orders == [.open(until: began + .seconds(30))])
  }

  @Test("a siren that a reload takes away is silent, and so is one whose sensor goes")
  func removed() throws {
    let door = try TestDoor.seenShut([TestDoor.siren])
    try door.force()
    try door.reload(TestDoor.bothInputs)
    try door.sirenEnds()
    #expect(door.sirens.first?.orders.suffix(2) == [.beginStop, .stop])
    #expect(try door.sirenState == nil)
    // What it still says counts no more.
    try door.sirenSays(.failed(.closed, reason: "late"))
    #expect(door.sirenWords == [])
    try door.reload(TestDoor.bothInputs + [TestDoor.siren])
    #expect(door.sirens.last?.lock.openings == 1)
    try door.reload([])
    try door.sirenEnds(2)
    #expect(door.sirens.last?.orders.suffix(2) == [.beginStop, .stop])
    try door.reload(TestDoor.bothInputs + [TestDoor.siren])
    #expect(door.sirens.count == 3 && door.sirens.last?.orders == [], "the alarm went with its sensor")
  }

  @Test("another line waits until the one before is let go of; the alarm goes on with it")
  func changedLine() throws {
    let door = try TestDoor.seenShut([TestDoor.siren])
    try door.force()
    let began = door.time.boot
    try door.reload(TestDoor.bothInputs + ["siren: { gpio: { chip: c, line: 2 }, for: 20s }"])
    #expect(door.sirens.count == 1 && door.sirens.first?.orders.contains(.beginStop) == true)
    try door.sirenEnds()
    #expect(door.sirens.count == 2 && door.sirens.last?.orders == [.open(until: began + .seconds(20))])
  }

  @Test("another time counts from the alarm's beginning, on the same relay")
  func changedTime() throws {
    let door = try TestDoor.seenShut([TestDoor.siren])
    try door.force()
    let began = door.time.boot
    door.wait(.seconds(10))
    try door.reload(TestDoor.bothInputs + ["siren: { gpio: { chip: c, line: 1 }, for: 1m }"])
    #expect(door.sirens.first?.orders.last == .open(until: began + .seconds(60)))
    try door.reload(TestDoor.bothInputs + ["siren: { gpio: { chip: c, line: 1 }, for: 5s }"])
    #expect(door.sirens.count == 1 && door.sirens.first?.orders.last == .close)
  }

  @Test("a line that was a lock's becomes the siren's once the lock has let go of it")
  func lineOfALock() throws {
    let door = try TestDoor.seenShut()
    try door.reload(TestDoor.bothInputs, lock: "{ gpio: { chip: c, line: 1 } }")
    try door.pipeline.lockEnded(#require(door.pipeline.retired.first).id)
    try door.reload(TestDoor.bothInputs + [TestDoor.siren])
    #expect(door.sirens.isEmpty)
    try door.pipeline.lockEnded(#require(door.pipeline.retired.first).id)
    #expect(door.sirens.count == 1)
  }

  @Test("a door that a reload takes out is silent")
  func doorRemoved() throws {
    let door = try TestDoor([rule("alice")], policy: TestDoor.bothInputs + [TestDoor.siren])
    try door.say(.sensor, .contact(isOpen: false))
    try door.force()
    try door.addDoor("back", holder: rule("bob"))
    let text = try door.folder.text("door.yaml").split(separator: "\n")
    let rest = text.prefix { !$0.hasPrefix("  front:") } + text.suffix(1)
    try replaceFile(door.folder("door.yaml"), contents: Array((rest.joined(separator: "\n") + "\n").utf8))
    try door.pipeline.adopt(door.rulebook)
    try door.sirenEnds()
    #expect(door.sirens.first?.orders.suffix(2) == [.beginStop, .stop])
  }
}
