import AccessControl
import AirProtocol
import JSON
import Ledger
import POSIX
import TestSupport
import Testing

@testable import DoorController

/// `min-rssi`: a frame that is too weak is as if it hadn't been heard.
@Suite struct WeakSignalTests {
  /// A door past the wait of its first start.
  private func door(_ policy: String...) throws -> TestDoor {
    let door = try TestDoor(
      [rule("alice", freshness: .either), rule("bob")], policy: ["freshness: either"] + policy)
    door.pass(.seconds(4))
    return door
  }

  @Test func aWeakFrameMovesNothingAndAStrongerCopyIsTheFirst() throws {
    let door = try door("min-rssi: -70")
    let frame = try door.frame("alice", flags: 1)
    #expect(try door.hear(frame, rssi: -71).map(\.kind) == [.weak])
    door.pass(.zero)
    #expect(try door.answer("alice", to: frame) == nil && door.lock.openings == 0)
    #expect(try door.hear(frame, rssi: -70).map(\.kind) == [.granted])
    let counted = try door.pipeline.snapshot()
    #expect(counted.weak == 1 && counted.granted == 1 && counted.repeated == 0 && counted.replayed == 0)
  }

  @Test func aWeakFrameIsNotRemembered() throws {
    let door = try door("min-rssi: -70")
    // A later frame that is weak makes an earlier one no replay.
    try door.hear(door.frame("alice", sequence: 5, press: 2), rssi: -90)
    #expect(try door.hear(door.frame("alice", sequence: 1, press: 1)).map(\.kind) == [.granted])
    // Nor do weak frames count towards the ten of ten seconds.
    for sequence in 6..<30 as Range<UInt8> { try door.hear(door.frame("alice", sequence: sequence), rssi: -90) }
    #expect(try door.pipeline.snapshot().slowDown == 0)
    #expect(try door.pipeline.ledger.events(after: 0, limit: 100).count { $0.event.kind == "weak" } == 0)
  }

  @Test func aStrengthThatIsNotKnownIsWeak() throws {
    let door = try door("min-rssi: -127")
    let told = try door.hear(door.frame("alice"), rssi: 127)
    #expect(told.map(\.kind) == [.weak] && told.first?.rssi == nil)
    #expect(try door.hear(door.frame("alice"), rssi: -127).map(\.kind) == [.granted])
  }

  @Test func itIsToldOnceAMinuteForEachCredential() throws {
    let door = try door("min-rssi: -70")
    let told = try door.hear(door.frame("alice"), rssi: -80)
    #expect(told.first?.door == "front" && told.first?.credential == "alice")
    #expect(told.first?.json["rssi"] == .integer(-80))
    for _ in 0..<59 {
      door.pass(.seconds(1))
      #expect(try door.hear(door.frame("alice"), rssi: -80).isEmpty)
    }
    #expect(try door.hear(door.frame("bob"), rssi: -80).map(\.kind) == [.weak])
    door.pass(.seconds(1))
    #expect(try door.hear(door.frame("alice"), rssi: -80).map(\.kind) == [.weak])
    #expect(try door.pipeline.snapshot().weak == 62)
  }

  @Test func strangersAreForeignHoweverWeak() throws {
    let door = try door("min-rssi: -70")
    #expect(try door.hear(Frame(high: 1, low: 2), rssi: -100).isEmpty)
    let counted = try door.pipeline.snapshot()
    #expect(counted.foreign == 1 && counted.weak == 0)
  }

  @Test func withoutItEveryStrengthCounts() throws {
    let door = try door()
    #expect(try door.hear(door.frame("alice"), rssi: 127).map(\.kind) == [.granted])
    #expect(try door.hear(door.frame("bob"), rssi: -127).map(\.kind) == [.granted])
  }

  @Test func aReloadChangesIt() throws {
    let door = try door("min-rssi: -70")
    let frame = try door.frame("alice")
    try door.hear(frame, rssi: -80)
    try door.configure(["freshness: either", "min-rssi: -85"])
    try door.pipeline.adopt(door.rulebook)
    #expect(try door.hear(frame, rssi: -80).map(\.kind) == [.granted])
  }

  @Test func aChallengeFrameIsWeighedToo() throws {
    let door = try door("min-rssi: -70")
    let challenge = try #require(try door.beacon()).challenge
    let frame = try door.frame("alice", challenge: challenge, flags: 1)
    #expect(try door.hear(frame, rssi: -90).map(\.kind) == [.weak])
    #expect(try door.hear(frame).map(\.kind) == [.granted])
  }

  @Test(arguments: ["-128", "21", "near", "-60.5", "\"\"", "300"])
  func whatIsNoStrengthIsRefusedWithItsLine(_ text: String) throws {
    let door = try door("min-rssi: -70")
    try door.configure(["min-rssi: \(text)"])
    let error = #expect(throws: LoadError.self) { try door.rulebook }
    #expect(error.map { "\($0)" }?.contains("door.yaml:11: doors.front.min-rssi: expected a whole number") == true)
  }
}
