import JSON
import POSIX
import TestSupport
import Testing

/// What a lock's programs are told, and what becomes of what they write.
@Suite("Lock commands")
struct LockCommandTests {
  @Test("They learn whose movement it is, and nothing of the daemon's own environment")
  func environment() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try self.door(bench, "echo 'front open'", with: "env > unlock.env; echo 'front open'")
      try door.start()
      try alice.latchkey("unlock", "front").expecting(exit: 0)
      let id = try #require(try door.await("granted", alice)["id"]?.integer)
      let lines = try bench.directory.text("unlock.env").split(separator: "\n").map(String.init)
      let own = lines.filter { line in !["PWD=", "OLDPWD=", "SHLVL=", "_="].contains { line.hasPrefix($0) } }
      #expect(
        Set(own) == [
          "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LATCHKEY_ACTION=unlock",
          "LATCHKEY_DOOR=front", "LATCHKEY_EVENT=\(id)", "LATCHKEY_CREDENTIAL=alice", "LATCHKEY_HOLDER=Holder of alice",
        ])
      try door.daemon.event("lock", ["state": "closed", "id": .integer(id)])
    }
  }

  @Test("What they write is in the log, as events and as lines for people")
  func output() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try self.door(
        bench, "echo 'front open'", with: "echo 'coil is warm' >&2; echo 'front open'")
      try door.start()
      try alice.latchkey("unlock", "front").expecting(exit: 0)
      let granted = try door.await("granted", alice)
      let output = try door.daemon.event("lock-output", ["door": "front", "state": "open"])
      #expect(output["detail"] == "coil is warm" && output["id"] == granted["id"])
      try door.stop()
      let daemon = try bench.start(.latchkeyd, ["run", "--config", door.configuration])
      try daemon.line("radio on") { $0.contains("radio on") ? true : nil }
      waitUntil(nextSecond())
      try alice.latchkey("unlock", "front").expecting(exit: 0)
      try daemon.line("output") { $0.contains("lock-output front open") && $0.hasSuffix("- coil is warm") ? true : nil }
      daemon.signal(.terminate)
      #expect(try daemon.waitForExit() == .exited(0))
    }
  }

  private func door(_ bench: Workbench, _ command: String, with replacement: String) throws -> (Door, Holder) {
    let site = try Site(bench)
    try site.addDoors("front")
    let alice = try site.issue("alice")
    let door = try Door(site)
    try bench.directory.rewrite("site.yaml") { $0.replacing(command, with: replacement) }
    return (door, alice)
  }
}
