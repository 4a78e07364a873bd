import AccessControl
import AirProtocol
import POSIX
import Provisioning
import TestSupport
import Testing

@testable import DoorController

/// A door whose files somebody has put back to how they were.
@Suite struct RestoredStateTests {
  /// Files of a folder with what was in them.
  private struct Backup {
    private let files: [String: [UInt8]]

    /// - Parameter prefixes: names that begin so, and all in folders of that name.
    init(_ folder: TemporaryDirectory, _ prefixes: [String]) throws {
      var files: [String: [UInt8]] = [:]
      for name in try Self.names(folder, prefixes) { files[name] = try folder.read(name) }
      self.files = files
    }

    func restore(_ folder: TemporaryDirectory, _ prefixes: [String]) throws {
      for name in try Self.names(folder, prefixes) { try folder.removeTree(name) }
      for (name, bytes) in files { try folder.write(name, bytes: bytes) }
    }

    private static func names(_ folder: TemporaryDirectory, _ prefixes: [String]) throws -> [String] {
      try folder.names().flatMap { name -> [String] in
        guard prefixes.contains(where: name.hasPrefix) else { return [] }
        return name == "volatile" ? directoryEntries(folder(name)).map { "\(name)/\($0)" } : [name]
      }
    }
  }

  /// A door, its state before a frame was handled, and that frame, by time from a phone two slots ahead.
  private func attack(
    restoring prefixes: [String], afterBoot: Bool = false, uses: UInt32? = nil
  ) throws -> (door: TestDoor, frame: Frame, byChallenge: Frame) {
    let door = try TestDoor.attacked(uses: uses)
    var backup: Backup?
    try door.restart { folder in backup = try Backup(folder, prefixes) }
    door.pass(.zero)
    let byChallenge = try door.frame("mallory", challenge: door.shownChallenge())
    let frame = try door.frame("alice", slot: 2)
    try door.hear(frame)
    try door.hear(byChallenge)
    #expect(door.grants == 2 && door.lock.openings == 2)
    try door.restart(afterBoot: afterBoot) { folder in try backup?.restore(folder, prefixes) }
    return (door, frame, byChallenge)
  }

  /// Plays the frames again until their windows are over for long, and tells how often the lock opened.
  private func openings(_ attack: (door: TestDoor, frame: Frame, byChallenge: Frame)) throws -> Int {
    let before = attack.door.lock.openings
    for _ in 0..<60 {
      try attack.door.hear(attack.frame)
      try attack.door.hear(attack.byChallenge)
      attack.door.wait(.seconds(1))
    }
    return attack.door.lock.openings - before
  }

  @Test(arguments: [false, true])
  func withAnOldStateARecordedFrameOpensNothing(_ afterBoot: Bool) throws {
    let attack = try attack(restoring: ["state.db"], afterBoot: afterBoot)
    #expect(try openings(attack) == 0)
    #expect(attack.door.events(.denied).map(\.reason) == ["clock-untrusted"])
    #expect(try attack.door.hear(attack.door.frame("alice", press: 2)).map(\.kind) == [.granted])
  }

  @Test func withoutAStateThatOnceWasADoorDoesNotStart() throws {
    let door = try TestDoor.attacked()
    #expect(throws: (any Error).self) { try door.restart { folder in try folder.removeTree("state.db") } }
  }

  @Test func withNoStateAtAllARecordedFrameOpensNothing() throws {
    let door = try TestDoor.attacked()
    let frame = try door.frame("alice", slot: 2)
    try door.hear(frame)
    try door.restart { folder in
      for name in try folder.names() where name.hasPrefix("state.db") { try folder.removeTree(name) }
    }
    for _ in 0..<60 {
      try door.hear(frame)
      door.wait(.seconds(1))
    }
    #expect(door.lock.openings == 1)
  }

  @Test func withAllOldFilesInTheSameBootATimeFrameOpensAgainWithinItsWindow() throws {
    let attack = try attack(restoring: ["state.db", "volatile"])
    #expect(try openings(attack) == 1, "left open: the machine can't tell")
  }

  @Test func afterARebootNotEvenThen() throws {
    let attack = try attack(restoring: ["state.db", "volatile"], afterBoot: true)
    #expect(try openings(attack) == 0)
  }

  @Test func anOldStateGivesUsesBack() throws {
    let attack = try attack(restoring: ["state.db"], uses: 1)
    #expect(try openings(attack) == 0)
    let again = try attack.door.frame("alice", press: 2)
    #expect(try attack.door.hear(again).map(\.kind) == [.granted], "left open: counts are as old as the file")
  }

  @Test func anOldBundleIsRefusedSoThatTheRevokedStayOut() throws {
    let door = try TestDoor.attacked()
    var backup: Backup?
    try door.restart { folder in backup = try Backup(folder, ["state.db"]) }
    let old = try door.folder.read("front.bundle")
    _ = try door.site.setStatus(.revoked, of: #require(Identifier("alice")), now: TestDoor.start)
    try door.export(now: TestDoor.start + 10)
    try door.pipeline.adopt(door.rulebook)
    try door.folder.write("front.bundle", bytes: old)
    #expect(throws: LoadError.self) { try door.restart() }
    // Not with the old state either, as long as the serials beside it stay.
    let serials = try door.folder.read("state.db.serials")
    #expect(throws: LoadError.self) {
      try door.restart { folder in
        try backup?.restore(folder, ["state.db"])
        try folder.write("state.db.serials", bytes: serials)
      }
    }
    try door.restart { folder in try backup?.restore(folder, ["state.db"]) }
    door.wait(.seconds(20))
    #expect(try door.hear(door.frame("alice", press: 2)).map(\.kind) == [.granted], "left open: all of it is old")
  }
}
