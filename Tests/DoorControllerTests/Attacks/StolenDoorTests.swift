import AccessControl
import AirProtocol
import LatchkeyCrypto
import POSIX
import Provisioning
import TestSupport
import Testing

@testable import DoorController

/// What the keys of one door's bundle are worth elsewhere: who stole a controller has them.
@Suite struct StolenDoorTests {
  /// A site whose front door was stolen, and what its bundle held.
  ///
  /// - Parameter others: more doors, for the same holders.
  private func stolen(others: [String] = []) throws -> (door: TestDoor, front: DoorKeys) {
    let door = try TestDoor.attacked(doors: ["front"] + others)
    return (door, try door.pipeline.rulebook.table.doors[0])
  }

  /// A frame that the thief makes with the front door's keys of every holder, for another number.
  private func frames(
    _ front: DoorKeys, at door: DoorNumber, hintRoot: HintRoot, _ freshness: Freshness
  ) throws -> [Frame] {
    try (0..<front.count).map { place in
      let keys = CredentialKeys(
        frameKey: try #require(front.frameKeys.block(at: place)),
        hintSecret: try #require(front.hintSecrets.block(at: place)))
      return try Exchange(keys: keys, hintRoot: hintRoot, door: door, freshness: freshness).seal(
        CommandPlaintext(sequence: 9, command: .unlock(seconds: 0), press: 9, wantsAnswer: false))
    }
  }

  @Test func theBundleOpensItsOwnDoor() throws {
    let (door, front) = try stolen()
    let slot = door.site.profile.slotClock.slot(at: door.time.wall.seconds)
    for frame in try frames(front, at: front.number, hintRoot: front.hintRoot, .time(slot: slot)) {
      try door.hear(frame)
    }
    #expect(door.grants == 2, "until the door is replaced: who has the controller has the lock anyway")
  }

  @Test func oneDoorsBundleOpensNoOtherDoor() throws {
    let (door, front) = try stolen(others: ["back", "side", "cellar"])
    let slot = door.site.profile.slotClock.slot(at: door.time.wall.seconds)
    for other in try door.pipeline.rulebook.table.doors where other.number != front.number {
      // With the hint root that the bundle has, and even with the other door's own.
      for root in [front.hintRoot, other.hintRoot] {
        for frame in try frames(front, at: other.number, hintRoot: root, .time(slot: slot)) {
          #expect(try door.hear(frame).isEmpty)
        }
      }
    }
    #expect(door.grants == 0)
    let counted = try door.pipeline.snapshot()
    // Under its own hint root they look like frames for the front door, until their tag is tried.
    #expect(counted.foreign == 6 && counted.forged == 6)
  }

  @Test func norDoItsKeysFitTheHintsOfASharedHolder() throws {
    let (door, front) = try stolen(others: ["back"])
    let back = try #require(door.pipeline.rulebook.table.doors.first { $0.number != front.number })
    let slot = door.site.profile.slotClock.slot(at: door.time.wall.seconds)
    let alices = try door.exchange("alice", .time(slot: slot), door: "back")
    for frame in try frames(front, at: back.number, hintRoot: back.hintRoot, .time(slot: slot)) {
      // Alice's hint, seen on the air at the back door, before the thief's frame, made with her key of the front door too.
      let high = UInt64(alices.commandHint) << 40 | frame.high & 0xFF_FFFF_FFFF
      #expect(try door.hear(Frame(high: high, low: frame.low)).isEmpty)
    }
    #expect(try door.pipeline.snapshot().forged == 2 && door.grants == 0)
  }

  @Test func aStolenDoorsBundleOpensNotItsOwnReplacement() throws {
    let (door, front) = try stolen()
    let recorded = try door.frame("alice", slot: 2, sequence: 200)
    _ = try door.site.replaceDoor(#require(Identifier("front")), now: TestDoor.start)
    try door.export(now: TestDoor.start + 60)
    // A new controller: nothing is left of the old one's state.
    try door.restart { folder in
      for name in try folder.names() where name.hasPrefix("state.db") { try folder.removeTree(name) }
    }
    let new = try door.pipeline.rulebook.table.doors[0]
    #expect(new.number != front.number)
    for _ in 0..<30 {
      door.wait(.seconds(1))
      try door.hear(recorded)
      let slot = door.site.profile.slotClock.slot(at: door.time.wall.seconds)
      for freshness in [Freshness.time(slot: slot), .challenge(try door.shownChallenge())] {
        for number in [front.number, new.number] {
          for root in [front.hintRoot, new.hintRoot] {
            for frame in try frames(front, at: number, hintRoot: root, freshness) { try door.hear(frame) }
          }
        }
      }
    }
    #expect(door.lock.openings == 0 && door.grants == 0)
    // The holders' files of then are for the old number; new ones open.
    #expect(try door.hear(door.frame("alice", press: 2)).map(\.kind) == [.granted])
  }
}
