import JSON
import POSIX
import TestSupport
import Testing

/// Doors that a holder hears: `scan`, and `nearest` as the door of a command.
@Suite("Doors nearby")
struct ScanTests {
  /// A site with a door that is on the air and takes either freshness, and somebody who may open it.
  private func door(_ bench: Workbench, settings: String = "", starts: Bool = true) throws -> (Door, Holder) {
    let site = try Site(bench)
    try site.addDoors("front")
    let file = bench.directory("alice.json")
    try site.keys(
      "issue", "alice", "--holder", "Holder of alice", "--doors", "front", "--freshness", "either", "--out", file)
    let alice = Holder(site: site, id: "alice", file: file)
    let door = try Door(site, settings: "freshness: either\n" + settings)
    if starts { try door.start() }
    return (door, alice)
  }

  private func scan(_ bench: Workbench, _ holder: Holder, _ arguments: String...) throws -> Outcome {
    let radio = try holder.site.air.holderRadio()
    return try bench.run(.latchkey, ["scan", "--credential", holder.file, "--radio", radio] + arguments)
  }

  @Test("scan tells a door that is on the air, a JSON line for each change and a table for people")
  func scan() async throws {
    try await withWorkbench { bench in
      let (_, alice) = try door(bench)
      let outcome = try scan(bench, alice, "--seconds", "1.5").expecting(exit: 0)
      let lines = try outcome.jsonLines
      let door = try #require(lines.first)
      #expect(door["event"] == "appeared" && door["door"] == "front" && door["target"] == 1)
      #expect(door["name"] == "Door front" && door["credential"] == "alice" && door["state"] == "locked")
      #expect(door["freshness"] == ["challenge", "time"] && door["doorOpen"] == false)
      #expect(door["challenge"]?.string?.utf8.count == 16 && door["time"]?.string != nil)
      #expect(lines.last == ["event": "ended", "doors": 1])
      #expect(lines.count < 5, "a line for a change, not for a beacon")
      #expect(outcome.stderr.contains("front") && outcome.stderr.contains("Door front"))
      #expect(!outcome.stdout.contains("\u{1B}") && !outcome.stderr.contains("\u{1B}"))
    }
  }

  @Test("scan tells when a door opens, closes, and goes")
  func changes() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try door(bench, settings: "pulse: 1s")
      let radio = try alice.site.air.holderRadio()
      let scan = try bench.start(
        .latchkey, ["scan", "--credential", alice.file, "--radio", radio, "--seconds", "60", "--json"])
      try scan.event("appeared", ["door": "front", "state": "locked"])
      try alice.latchkey("unlock", "front", "--freshness", "challenge", "--no-answer")
      try scan.event("changed", ["door": "front", "state": "unlocked"])
      try scan.event("changed", ["door": "front", "state": "locked"])
      try door.stop()
      try scan.event("gone", ["door": "front"])
      scan.signal(.terminate)
      #expect(try scan.waitForExit() == .signalled(15), "it ends as the signal ends processes")
    }
  }

  @Test("On a terminal scan draws its list anew in place, until Ctrl-C, and leaves the terminal as it was")
  func live() async throws {
    try await withWorkbench { bench in
      let (_, alice) = try door(bench)
      let terminal = try PseudoTerminal()
      let radio = try alice.site.air.holderRadio()
      let scan = try bench.start(
        executable: "/bin/sh",
        [
          "-c", "exec \"$0\" \"$@\" >\(terminal.path)", try Program.latchkey.path, "scan", "--credential", alice.file,
          "--radio", radio,
        ])
      var drawn = ""
      try terminal.text("list with the door, locked", onto: &drawn) { text in
        Self.draws(text).last?.lines.contains { $0.hasPrefix("front  Door front  locked") } == true ? true : nil
      }
      try alice.latchkey("unlock", "front", "--freshness", "challenge").expecting(exit: 0)
      try terminal.text("list with the door, unlocked", onto: &drawn) { text in
        Self.draws(text).last?.lines.contains { $0.hasPrefix("front  Door front  unlocked") } == true ? true : nil
      }
      scan.signal(.interrupt)
      #expect(try scan.waitForExit() == .signalled(2), "it ends as the signal ends processes")
      drawn += try terminal.rest()
      let draws = Self.draws(drawn)
      #expect(draws.first?.back == nil)
      for (draw, before) in zip(draws.dropFirst(), draws) {
        #expect(draw.back == before.lines.count, "each takes the place of the one before")
      }
      #expect(draws.contains { $0.lines.first == "1 door, until Ctrl-C" })
      // Long lines wrap again, and the cursor stands below the list.
      #expect(drawn.hasSuffix("\u{1B}[K\r\n\u{1B}[J\u{1B}[?7h"))
      #expect(scan.errorText == "" && scan.lines == [])
    }
  }

  /// The lists that a terminal was told to show, whole ones only: how many rows the cursor went back, and the lines.
  private static func draws(_ text: String) -> [(back: Int?, lines: [String])] {
    text.components(endingWith: "\u{1B}[J\u{1B}[?7h").compactMap { draw in
      let parts = draw.split(separator: "\u{1B}[?7l", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      let back = parts[0].split(separator: "\u{1B}[").last.flatMap { $0.hasSuffix("A") ? Int($0.dropLast()) : nil }
      return (back, String(parts[1]).components(endingWith: "\u{1B}[K\r\n"))
    }
  }

  @Test("scan hears nothing: exit 4, and a word about it")
  func nothing() async throws {
    try await withWorkbench { bench in
      let (_, alice) = try door(bench, starts: false)
      let outcome = try scan(bench, alice, "--seconds", "0.3").expecting(exit: 4)
      #expect(try outcome.jsonLines == [["event": "ended", "doors": 0]])
      #expect(outcome.stderr == "no beacon of these credentials' sites: is a door near, and does it send beacons?\n")
    }
  }

  @Test("A door of another site isn't told")
  func otherSite() async throws {
    try await withWorkbench { bench in
      let (_, alice) = try door(bench)
      let elsewhere = try Site(bench, air: alice.site.air, name: "elsewhere")
      try elsewhere.addDoors("front")
      try scan(bench, elsewhere.issue("mallory"), "--seconds", "0.5").expecting(exit: 4)
    }
  }

  @Test("unlock nearest opens the only door, and says which it is", arguments: ["challenge", "time"])
  func nearest(freshness: String) async throws {
    try await withWorkbench { bench in
      let (door, alice) = try door(bench)
      let outcome = try alice.latchkey("unlock", "nearest", "--freshness", freshness).expecting(exit: 0)
      let nearest = try #require(outcome.jsonLines.first)
      #expect(nearest["event"] == "nearest" && nearest["door"] == "front" && nearest["rivals"] == [])
      try door.await("granted", alice, ["command": "unlock", "freshness": .string(freshness)])
      try door.awaitOpening()
      #expect(outcome.stderr.contains("nearest is front (Door front)"))
    }
  }

  @Test("Without a beacon unlock nearest sends nothing: exit 4")
  func noNearest() async throws {
    try await withWorkbench { bench in
      let (_, alice) = try door(bench, starts: false)
      let radio = try alice.site.air.holderRadio()
      let outcome = try bench.run(
        .latchkey,
        [
          "unlock", "nearest", "--credential", alice.file, "--radio", radio, "--state", bench.directory("holders"),
          "--timeout", "400ms", "--json",
        ]
      ).expecting(exit: 4)
      #expect(
        try outcome.jsonLines == [["event": "ended", "door": nil, "command": "unlock", "answer": nil]])
      #expect(outcome.stderr.contains("no beacon of any door in 400ms") && outcome.stderr.contains("nothing was sent"))
      #expect(try !bench.directory.names().contains("holders"), "nothing was used")
    }
  }
}

extension String {
  /// What stands before each of these marks; what is behind the last one isn't whole.
  fileprivate func components(endingWith mark: String) -> [String] {
    split(separator: mark, omittingEmptySubsequences: false).dropLast().map(String.init)
  }
}
