import JSON
import TestSupport
import Testing

/// `min-rssi` of a door: how strong a virtual radio hears is not for us to say, but all is too weak at 20, nothing at -127.
@Suite("A signal that is too weak")
struct MinRSSITests {
  @Test("It opens nothing until a reload lets it, and the same frame is then judged as the first")
  func reload() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench, settings: "min-rssi: 20")
      let sender = try alice.start(
        "unlock", "front", "--freshness", "time", "--no-answer", "--timeout", "60s")
      let weak = try door.await("weak", alice, ["command": "unlock"])
      #expect(weak["id"] == nil, "it isn't recorded")
      #expect(door.openings() == 0)
      try bench.directory.rewrite("site.yaml") { $0.replacing("min-rssi: 20", with: "min-rssi: -127") }
      try door.daemon.signal(.hangUp)
      try door.daemon.event("reloaded")
      try door.await("granted", alice)
      try door.awaitOpening()
      sender.signal(.terminate)
      try sender.waitForExit()
      let daemon = try door.daemon
      let last = try door.stop()
      #expect((last["counters"]?["weak"]?.integer ?? 0) > 0)
      #expect(daemon.events("weak").count == 1, "once a minute")
      #expect(daemon.events("replayed").isEmpty)
    }
  }

  @Test("A recording obeys it too")
  func replay() async throws {
    try await withWorkbench { bench in
      let capture = bench.directory("air.btsnoop")
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice")
      let door = try Door(site, settings: "min-rssi: -127")
      try door.start(["--capture", capture])
      try alice.payload().broadcast()
      try door.await("granted", alice)
      try door.stop()
      func replayed() throws -> JSONValue {
        let outcome = try bench.run(.latchkeyd, ["replay", "--config", door.configuration, capture, "--json"])
        return try outcome.expecting(exit: 0).jsonLines.last?["summary"].expected("a summary") ?? .null
      }
      #expect(try replayed()["granted"] == 1)
      try bench.directory.rewrite("site.yaml") { $0.replacing("min-rssi: -127", with: "min-rssi: 20") }
      let summary = try replayed()
      #expect(summary["granted"] == 0 && (summary["weak"]?.integer ?? 0) > 0)
    }
  }
}
