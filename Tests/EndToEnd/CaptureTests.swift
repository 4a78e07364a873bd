import JSON
import TestSupport
import Testing

/// Captures of the radio: what others read in them, and what the door makes of them later.
@Suite("Captures")
struct CaptureTests {
  @Test("btmon reads a door's and a holder's capture")
  func btmon() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice")
      let door = try Door(site)
      try door.start(["--capture", bench.directory("door.btsnoop")])
      let sender = try alice.start(
        "unlock", "front", "--timeout", "5s", "--capture", bench.directory("holder.btsnoop"))
      #expect(try sender.waitForExit() == .exited(0))
      try door.await("granted", alice)
      try door.stop()
      let heard = try read(bench.directory("door.btsnoop"))
      #expect(heard.contains("LE Advertising Report") || heard.contains("LE Extended Advertising Report"))
      #expect(heard.contains("128-bit Service UUIDs (complete): 1 entry"))
      let sent = try read(bench.directory("holder.btsnoop"))
      #expect(sent.contains("HCI Command: Reset"))
      #expect(sent.contains("LE Set Advertising Data") || sent.contains("LE Set Extended Advertising Data"))
      for text in [heard, sent] {
        #expect(!text.contains("invalid packet size") && !text.contains("malformed"))
      }
    }
  }

  @Test("replay tells what run told, of the same capture")
  func replay() async throws {
    try await withWorkbench { bench in
      let (door, alice, capture) = try recorded(bench)
      try door.stop()
      let outcome = try bench.run(.latchkeyd, ["replay", "--config", door.configuration, capture, "--json"])
        .expecting(exit: 0)
      let lines = try outcome.jsonLines
      let grants = lines.filter { $0["event"] == "granted" }
      #expect(grants.map { $0["credential"]?.string } == [alice.id])
      let summary = try lines.last.expected("a last line")["summary"].expected("a summary")
      #expect(summary["granted"] == 1)
      #expect((summary["repeated"]?.integer ?? 0) > 0)
      #expect(door.openings() == 1, "the lock of a replay is a dry run")
    }
  }

  @Test("replay takes frames under the challenges that the capture shows being sent, and under no other")
  func replayOfChallenges() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front", "back")
      let alice = try site.issue("alice", doors: "front,back", freshness: "challenge")
      let door = try Door(site, ["front", "back"])
      let capture = bench.directory("door.btsnoop")
      try door.start(["--capture", capture])
      for id in ["back", "front"] { try alice.latchkey("unlock", id).expecting(exit: 0) }
      try door.stop()
      func replay() throws -> [JSONValue] {
        try bench.run(.latchkeyd, ["replay", "--config", door.configuration, capture, "--json"])
          .expecting(exit: 0).jsonLines
      }
      let grants = try replay().filter { $0["event"] == "granted" }
      #expect(grants.map { $0["door"]?.string } == ["back", "front"])
      #expect(grants.allSatisfy { $0["freshness"] == "challenge" })
      // Without the beacons in it, nobody can know the challenges: the frames are nobody's.
      let bytes = try bench.directory.read("door.btsnoop")
      try bench.directory.write("door.btsnoop", bytes: withoutCommands(bytes))
      let last = try replay().last?["summary"]
      #expect(last?["granted"] == 0 && (last?["foreign"]?.integer ?? 0) > 0)
    }
  }

  /// A capture (btsnoop, H4) without what the host sent.
  private func withoutCommands(_ capture: [UInt8]) -> [UInt8] {
    var result = Array(capture[..<16])
    var place = 16
    while place < capture.count {
      let length = capture[place + 4..<place + 8].reduce(0) { $0 << 8 | Int($1) }
      let end = place + 24 + length
      // Bit 0 of the flags: from the controller.
      if capture[place + 11] & 1 == 1 { result += capture[place..<end] }
      place = end
    }
    return result
  }

  @Test("replay with a state remembers what it heard")
  func replayTwice() async throws {
    try await withWorkbench { bench in
      let (door, _, capture) = try recorded(bench)
      try door.stop()
      let arguments = ["replay", "--config", door.configuration, capture, "--state", bench.directory("lab"), "--json"]
      let first = try bench.run(.latchkeyd, arguments).expecting(exit: 0)
      let second = try bench.run(.latchkeyd, arguments).expecting(exit: 0)
      #expect(try first.jsonLines.last?["summary"]?["granted"] == 1)
      #expect(try second.jsonLines.last?["summary"]?["granted"] == 0)
      #expect((try second.jsonLines.last?["summary"]?["replayed"]?.integer ?? 0) > 0)
    }
  }

  @Test("replay refuses what isn't a capture, and says where it breaks", arguments: ["empty", "text", "cut"])
  func badCapture(kind: String) async throws {
    try await withWorkbench { bench in
      let (door, _, capture) = try recorded(bench)
      try door.stop()
      let whole = try bench.directory.read("door.btsnoop")
      let bytes: [UInt8] =
        switch kind {
        case "empty": []
        case "text": Array("a capture\n".utf8)
        default: Array(whole.dropLast(3))
        }
      try bench.directory.write("door.btsnoop", bytes: bytes)
      let outcome = try bench.run(.latchkeyd, ["replay", "--config", door.configuration, capture])
        .expecting(exit: 65)
      #expect(outcome.stderr.contains("door.btsnoop"))
    }
  }

  /// A door that heard one press, and the capture of it.
  private func recorded(_ bench: Workbench) throws -> (Door, Holder, String) {
    let site = try Site(bench)
    try site.addDoors("front")
    let alice = try site.issue("alice")
    let door = try Door(site)
    let capture = bench.directory("door.btsnoop")
    try door.start(["--capture", capture])
    // Several copies of the advert, whatever the door answers.
    try alice.shout("unlock", "front").expecting(exit: 0)
    try door.awaitOpening()
    return (door, alice, capture)
  }

  private func read(_ path: String) throws -> String {
    try run(executable: "\(Repository.root)/.cache/btmon", ["-r", path]).expecting(exit: 0).stdout
  }
}
