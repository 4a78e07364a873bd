import JSON
import TestSupport
import Testing

/// Examples/python, a holder that was written from the documents alone, at a real door.
@Suite("A second holder", .enabled(if: AirKind.isRootCanal, "it speaks TCP"))
struct PythonHolderTests {
  @Test("Its time frames open the door, in every carrier", arguments: ["uuid128", "name", "uuid16"])
  func byTime(carrier: String) async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      // Whether the door answers is another test's matter.
      try alice.python("unlock", "front", "--freshness", "time", "--carrier", carrier, "--timeout", "1")
      try door.await("granted", alice, ["command": "unlock", "freshness": "time"])
      try door.awaitOpening()
      #expect(door.openings() == 1)
    }
  }

  @Test("It takes the door's challenge, and is answered")
  func byChallenge() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice", commands: "unlock,status", freshness: "challenge")
      let door = try Door(site, settings: "freshness: challenge")
      try door.start()
      let opened = try JSONValue(parsing: try alice.python("unlock", "front", "--json").expecting(exit: 0).stdout)
      #expect(opened["result"] == 1)
      try door.await("granted", alice, ["command": "unlock", "freshness": "challenge"])
      try door.awaitOpening()
      // `lock` isn't among her commands.
      let refused = try JSONValue(parsing: try alice.python("lock", "front", "--json").expecting(exit: 3).stdout)
      #expect(refused["result"] == 2)
      #expect(door.openings() == 1)
    }
  }
}

extension Holder {
  /// Runs a command of the holder in Python, to its end.
  @discardableResult
  fileprivate func python(_ arguments: String...) throws -> Outcome {
    let fixed = [
      "-m", "latchkey_holder", "--credential", file, "--radio", try site.air.holderRadio(), "--state",
      site.bench.directory("python-holders"),
    ]
    return try run(
      executable: try Repository.python, fixed + arguments, directory: "\(Repository.root)/Examples/python")
  }
}
