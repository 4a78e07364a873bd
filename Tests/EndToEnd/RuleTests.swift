import JSON
import POSIX
import TestSupport
import Testing

/// Who may do what, and until when.
@Suite("Rules at the door")
struct RuleTests {
  @Test("Revoked and disabled credentials are recognised, denied, and told apart", arguments: ["revoke", "disable"])
  func status(command: String) async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let (alice, bob) = (try site.issue("alice"), try site.issue("bob"))
      try site.keys(command, "alice")
      let door = try Door(site)
      try door.start()
      try alice.latchkey("unlock", "front").expecting(exit: 3)
      try door.await("denied", alice, ["reason": command == "revoke" ? "revoked" : "disabled"])
      try opensFor(bob, door)
      try door.stop()
      #expect(door.openings() == 1)
    }
  }

  @Test("What a credential wasn't given it can't do")
  func notPermitted() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench, commands: "lock,status")
      try alice.payload(command: "unlock").broadcast()
      try door.await("denied", alice, ["command": "unlock", "reason": "not-permitted"])
      try door.stop()
      #expect(door.openings() == 0)
    }
  }

  @Test("A number of uses is spent over restarts, and then it is over")
  func uses() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice", "--uses", "2")
      let door = try Door(site)
      try door.start()
      try opensFor(alice, door)
      try door.stop()
      try door.start()
      try opensFor(alice, door)
      try alice.latchkey("unlock", "front").expecting(exit: 3)
      try door.await("denied", alice, ["reason": "uses-exhausted"])
      try door.stop()
      #expect(door.openings() == 2)
    }
  }

  @Test(
    "A credential counts from its first second to before its last",
    arguments: [("--from", "2199-01-01T00:00:00Z", "not-yet-valid"), ("--until", "2020-01-01T00:00:00Z", "expired")])
  func validity(option: String, moment: String, reason: String) async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice", option, moment)
      let door = try Door(site)
      try door.start()
      try alice.latchkey("unlock", "front").expecting(exit: 3)
      try door.await("denied", alice, ["reason": .string(reason)])
    }
  }

  @Test("A credential that asks for challenges gets no time frame past the door")
  func challengeOnly() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let file = bench.directory("carol.json")
      try site.keys(
        "issue", "carol", "--holder", "Carol", "--doors", "front", "--commands", "unlock", "--freshness", "challenge",
        "--out", file)
      let carol = Holder(site: site, id: "carol", file: file)
      let door = try Door(site)
      try door.start()
      try carol.payload().broadcast()
      try door.await("denied", carol, ["reason": "challenge-required"])
      try door.stop()
      #expect(door.openings() == 0)
    }
  }

  @Test("check gives the decision and the rules that led to it")
  func check() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      _ = try site.issue("alice", "--until", "2030-01-01T00:00:00Z")
      let door = try Door(site)
      func check(_ arguments: String...) throws -> Outcome {
        try bench.run(
          .latchkeyd,
          ["check", "--config", door.configuration, "--credential", "alice", "--door", "front", "--command"] + arguments
        )
      }
      let yes = try check("unlock", "--at", "2029-12-31T23:59:59Z").expecting(exit: 0)
      #expect(yes.stdout.contains("granted"))
      let late = try check("unlock", "--at", "2030-01-01T00:00:00Z").expecting(exit: 1)
      #expect(late.stdout.contains("expired"))
      let other = try check("hold", "--at", "2029-12-31T23:59:59Z").expecting(exit: 1)
      #expect(other.stdout.contains("not-permitted"))
    }
  }

  @Test("check asks by challenge where door and credential take one, unless no beacons are sent")
  func checkFreshness() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      for (id, freshness) in [("carl", "challenge"), ("dora", "either")] {
        try site.keys(
          "issue", id, "--holder", id, "--doors", "front", "--commands", "unlock,hold", "--freshness", freshness,
          "--out",
          bench.directory("\(id).json"))
      }
      let door = try Door(site, settings: "freshness: either")
      func check(_ credential: String, _ command: String) throws -> Outcome {
        try bench.run(
          .latchkeyd,
          [
            "check", "--config", door.configuration, "--credential", credential, "--door", "front", "--command",
            command, "--at", "now",
          ])
      }
      for (credential, command) in [("carl", "unlock"), ("dora", "hold")] {
        #expect(try check(credential, command).expecting(exit: 0).stdout.contains("by challenge"))
      }
      try door.configure(extra: "beacon-radio: none\n")
      for (credential, command) in [("carl", "unlock"), ("dora", "hold")] {
        #expect(try check(credential, command).expecting(exit: 1).stdout.contains("challenge-required"))
      }
    }
  }
}
