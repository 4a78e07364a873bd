import JSON
import POSIX
import TestSupport
import Testing

/// Commands under a door's challenge, and what the door answers.
@Suite("Challenges and answers")
struct ChallengeTests {
  /// A door that takes challenges only, which it has begun to send; no wait for its clock.
  private func begin(
    _ bench: Workbench, settings: String = "", commands: String = "unlock,status", extra: String = ""
  ) throws -> (Door, Holder) {
    let site = try Site(bench)
    try site.addDoors("front")
    let alice = try site.issue("alice", commands: commands, freshness: "challenge")
    let door = try Door(site, settings: settings)
    try door.configure(extra: extra)
    try door.start(waitsForTime: false)
    return (door, alice)
  }

  private func answer(_ outcome: Outcome) throws -> JSONValue {
    try outcome.jsonLines.last.expected("a last line")["answer"].expected("an answer")
  }

  @Test("A door that has just started for the first time opens at once, and says so")
  func opens() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try begin(bench, settings: "freshness: challenge\npulse: 3s")
      let outcome = try alice.latchkey("unlock", "front").expecting(exit: 0)
      // Without waiting: the lock has moved before its door has answered.
      #expect(door.openings() == 1)
      let answer = try answer(outcome)
      #expect(answer["meaning"] == "done" && answer["state"] == "unlocked")
      #expect((2...3).contains(answer["detail"]?.integer ?? 0))
      try door.await("granted", alice, ["freshness": "challenge"])
    }
  }

  @Test("status tells how the door stands, and whether it takes time frames")
  func status() async throws {
    try await withWorkbench { bench in
      let (_, alice) = try begin(bench, settings: "freshness: challenge")
      let answer = try answer(try alice.latchkey("status", "front").expecting(exit: 0))
      #expect(answer["state"] == "locked" && answer["clockTrusted"] == false && answer["detail"] == 0)
    }
  }

  @Test("A refusal is answered with its reason, and is exit 3")
  func refused() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try begin(bench)
      let outcome = try alice.latchkey("lock", "front").expecting(exit: 3)
      #expect(try answer(outcome)["meaning"] == "not permitted")
      try door.await("denied", alice, ["reason": "not-permitted"])
    }
  }

  @Test("Who is refused for the freshness is told of the other one")
  func otherFreshness() async throws {
    try await withWorkbench { bench in
      let (_, alice) = try begin(bench, settings: "freshness: time")
      let outcome = try alice.latchkey("unlock", "front").expecting(exit: 3)
      #expect(outcome.stderr.contains("the door takes no challenge now; the other way is --freshness time"))
    }
  }

  @Test("A lock that doesn't move is answered so, and is exit 69")
  func lockFailed() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try begin(bench)
      try bench.directory.rewrite("site.yaml") { $0.replacing("echo 'front open'", with: "false; exit 1") }
      try door.daemon.signal(.hangUp)
      try door.daemon.event("reloaded")
      let outcome = try alice.latchkey("unlock", "front").expecting(exit: 69)
      #expect(try answer(outcome)["meaning"] == "lock hardware failed")
    }
  }

  @Test("Whoever is answered stops sending at once")
  func stopsAtOnce() async throws {
    try await withWorkbench { bench in
      let (_, alice) = try begin(bench)
      let sender = try alice.start("unlock", "front", "--timeout", "1h")
      #expect(try sender.waitForExit(within: .seconds(20)) == .exited(0))
      try alice.site.air.awaitInUse(1)
    }
  }

  @Test("A door that sends no beacons hears no challenge, and its holder sends nothing")
  func silentDoor() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try begin(bench, settings: "freshness: either", extra: "beacon-radio: none\n")
      let sender = try alice.start("unlock", "front", "--timeout", "500ms")
      #expect(try sender.waitForExit() == .exited(4))
      #expect(sender.events("broadcast").isEmpty)
      #expect(sender.errorText.contains("no beacon of front"))
      let told = try door.daemon.events("bundle").map { $0["detail"]?.string ?? "" }.joined()
      #expect(told.contains("credential alice may use challenges only"))
    }
  }

  @Test(
    "Beacons and answers go by a radio of their own", .enabled(if: AirKind.isRootCanal, "it needs a third controller"))
  func beaconRadio() async throws {
    try await withWorkbench { bench in
      let air = try #require(bench.air() as? RootCanal)
      let site = try Site(bench, air: air)
      try site.addDoors("front")
      let alice = try site.issue("alice", freshness: "challenge")
      let door = try Door(site)
      // Another name of the same place is another connection, and each connection a controller.
      let beaconRadio = air.holderRadio().replacing("127.0.0.1", with: "localhost")
      try door.configure(extra: "beacon-radio: \(beaconRadio)\n")
      let daemon = try door.start(["--capture", bench.directory("ears")], waitsForTime: false)
      try alice.latchkey("unlock", "front").expecting(exit: 0)
      try door.stop()
      #expect(daemon.events("radio").contains { $0["detail"]?.string?.hasPrefix("beacon-radio") == true })
      // H4 commands LE Set Advertising Enable and LE Set Extended Advertising Enable, on.
      let heard = try bench.directory.read("ears")
      for command: [UInt8] in [[1, 0x0A, 0x20, 1, 1], [1, 0x39, 0x20, 6, 1]] {
        #expect(!heard.indices.contains { heard[$0...].starts(with: command) }, "the radio that listens sends nothing")
      }
    }
  }

  @Test("A beacon radio that isn't there is told, is a problem in health, and time frames still open")
  func missingBeaconRadio() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice")
      let door = try Door(site)
      try door.configure(extra: "beacon-radio: unix:\(bench.directory("nowhere"))\n")
      try door.start()
      try alice.shout("unlock", "front").expecting(exit: 0)
      try door.awaitOpening()
      let health = try bench.run(.latchkeyd, ["health", "--config", door.configuration]).expecting(exit: 1)
      #expect(health.stdout.contains("no beacons, no answers: beacon-radio unix:"))
      #expect(try door.daemon.events("radio").contains { $0["detail"]?.string?.hasPrefix("beacon-radio: ") == true })
    }
  }
}
