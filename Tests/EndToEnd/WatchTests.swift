import JSON
import POSIX
import TestSupport
import Testing

/// What an operator's monitoring sees of a door: metrics, status, health.
@Suite("Watching a door")
struct WatchTests {
  private func health(_ door: Door, exit: Int32) throws -> Outcome {
    try door.site.bench.run(.latchkeyd, ["health", "--config", door.configuration]).expecting(exit: exit)
  }

  private func status(_ door: Door) throws -> JSONValue {
    let outcome = try door.site.bench.run(.latchkeyd, ["status", "--config", door.configuration, "--json"])
    return try outcome.expecting(exit: 0).jsonLines.first.expected("a status")
  }

  @Test("The metrics are there from the start, have the grant, and say that it ended")
  func metrics() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice")
      let door = try Door(site)
      try door.configure(extra: "metrics: door.prom\n")
      try door.start()
      try bench.directory.awaitLine("latchkey_up 1", of: "door.prom")
      try opensFor(alice, door)
      let granted = "latchkey_decisions_total{result=\"granted\",reason=\"none\"} 1"
      try bench.directory.awaitLine(granted, of: "door.prom")
      let text = try bench.directory.text("door.prom")
      #expect(text.contains("\nlatchkey_radio_state{state=\"on\"} 1\n"))
      #expect(!text.contains("alice") && !text.contains("front"), "no ids, no names")
      #expect(try fileStatus(bench.directory("door.prom"))?.permissions == 0o644)
      try door.stop()
      #expect(try bench.directory.text("door.prom").contains("\nlatchkey_up 0\n"))
      #expect(try bench.directory.text("door.prom").contains("\nlatchkey_radio_state{state=\"stopped\"} 1\n"))
    }
  }

  @Test("A metrics file that can't be written is told once, and the door opens")
  func metricsNowhere() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice")
      let door = try Door(site)
      try door.configure(extra: "metrics: missing/door.prom\n")
      try door.start()
      try opensFor(alice, door)
      #expect(try health(door, exit: 0).stdout.contains("warning: the metrics can't be written"))
      let daemon = try door.daemon
      try door.stop()
      #expect(daemon.events("metrics").map { $0["state"] } == ["failed"])
    }
  }

  @Test("Well; the radio dies: not well, and why; it returns: well")
  func radioDies() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      #expect(try health(door, exit: 0).stdout == "well\n")
      alice.site.air.kill()
      try door.daemon.json("a radio that isn't there") { event in
        event["event"] == "radio" && event["detail"]?.string?.contains("nothing listens there") == true
      }
      let sick = try health(door, exit: 1)
      #expect(sick.stdout.hasPrefix("not well: the radio is not on ("))
      #expect(sick.lines.count == 1 && sick.stdout.contains(alice.site.air.doorRadio))
      let down = try status(door)
      #expect(down["radio"]?["state"] != "on" && down["health"]?["well"] == false)
      #expect(down["radio"]?["problem"]?.string?.contains("nothing listens there") == true)
      try alice.site.air.restart()
      try door.daemon.event("radio", ["state": "on"], within: .seconds(40))
      #expect(try health(door, exit: 0).stdout == "well\n")
      try opensFor(alice, door)
      let daemon = try door.daemon
      try door.stop()
      #expect(daemon.events("radio").count <= 4, "on, gone, not there, on: whatever the number of attempts")
    }
  }

  @Test("The status of a door that stands open")
  func open() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench, settings: "pulse: 30s")
      try opensFor(alice, door)
      let status = try status(door)
      let front = try status["doors"]?.array?.first.expected("a door")
      #expect(front?["id"] == "front" && front?["name"] == "Door front" && front?["mode"] == "open")
      #expect(front?["lock"] == "open" && front?["credentials"] == 1)
      #expect((20...30).contains(front?["secondsLeft"]?.integer ?? 0))
      #expect(status["counters"]?["granted"] == 1 && status["clock"]?["trusted"] == true)
      #expect(status["radio"]?["controller"]?["hciVersion"]?.integer != nil)
      #expect((0..<20_000).contains(status["radio"]?["lastReportAgeMs"]?.integer ?? -1))
      #expect(status["beacons"]?["state"] == "on" && front?["freshness"] == "either")
      #expect(status["ledger"]?["lastID"]?.integer != nil && status["ledger"]?["failing"] == false)
      let text = try bench.run(.latchkeyd, ["status", "--config", door.configuration]).expecting(exit: 0)
      for words in [
        "radio \(alice.site.air.doorRadio): on for", "door front (Door front): open for another", " granted=1",
        "beacons and answers: on", "takes time and challenges",
      ] {
        #expect(text.stdout.contains(words), "\(text)")
      }
    }
  }

  @Test("No daemon: status exits with 4, health with 1, each in one line")
  func noDaemon() async throws {
    try await withWorkbench { bench in
      let control = bench.directory("nobody.sock")
      let status = try bench.run(.latchkeyd, ["status", "--control", control]).expecting(exit: 4)
      #expect(status.stderr.contains("no daemon runs there") && status.stdout.isEmpty)
      let health = try bench.run(.latchkeyd, ["health", "--control", control, "--json"]).expecting(exit: 1)
      #expect(try health.jsonLines.first?["problems"]?.array?.first?["problem"] == "no-daemon")
      try bench.run(.latchkeyd, ["status", "--control", control, "--config", control]).expecting(exit: 2)
    }
  }

  @Test("A daemon that was killed leaves its socket; the next one takes it over")
  func killed() async throws {
    try await withWorkbench { bench in
      let (door, _) = try oneDoor(bench)
      try door.daemon.stop()
      #expect(bench.directory.has("site-run/control.sock"))
      #expect(try health(door, exit: 1).stdout.contains("no daemon runs there"))
      try door.start()
      #expect(try health(door, exit: 0).stdout == "well\n")
    }
  }

  @Test("A daemon that is stopped in its tracks doesn't answer")
  func frozen() async throws {
    try await withWorkbench { bench in
      let (door, _) = try oneDoor(bench)
      try door.daemon.signal(.pause)
      #expect(try health(door, exit: 1).stdout.contains("the daemon doesn't answer"))
      try door.daemon.signal(.proceed)
      #expect(try health(door, exit: 0).stdout == "well\n")
    }
  }
}
