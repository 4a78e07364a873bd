import JSON
import POSIX
import TestSupport
import Testing

/// The radio goes, comes back, and is let go.
@Suite("The radio")
struct RadioTests {
  @Test("The radio dies and returns: one change of state each, and the door goes on without a restart")
  func returns() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      let daemon = try door.daemon
      alice.site.air.kill()
      try daemon.json("the loss of the radio") { $0["event"] == "radio" && $0["state"] != "on" }
      try alice.site.air.restart()
      try daemon.event("radio", ["state": "on"], within: .seconds(40))
      try opensFor(alice, door)
      try door.stop()
      #expect(daemon.events("radio").count { $0["state"] == "on" } == 2)
    }
  }

  @Test("A door whose radio isn't there yet waits for it")
  func comesLate() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice")
      let door = try Door(site)
      site.air.kill()
      let daemon = try bench.start(.latchkeyd, ["run", "--config", door.configuration, "--json"])
      try daemon.json("a radio that isn't on") { $0["event"] == "radio" && $0["state"] != "on" }
      try site.air.restart()
      try daemon.event("radio", ["state": "on"], within: .seconds(40))
      daemon.signal(.terminate)
      #expect(try daemon.waitForExit() == .exited(0))
      try door.start()
      try opensFor(alice, door)
    }
  }

  @Test("SIGTERM: off the air and gone within a second, the lock shut")
  func terminate() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench, settings: "pulse: 30s")
      try opensFor(alice, door)
      let daemon = try door.daemon
      let asked = BootInstant.now()
      daemon.signal(.terminate)
      #expect(try daemon.waitForExit(within: .seconds(5)) == .exited(0))
      #expect(BootInstant.now() - asked < .seconds(1.5))
      try door.awaitClosing()
      try alice.site.air.awaitInUse(0)
    }
  }

  @Test("SIGTERM with a radio that answers nothing any more")
  func terminateDeadRadio() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      alice.site.air.freeze()
      let daemon = try door.daemon
      let asked = BootInstant.now()
      daemon.signal(.terminate)
      #expect(try daemon.waitForExit(within: .seconds(5)) == .exited(0))
      #expect(BootInstant.now() - asked < .seconds(1.5))
    }
  }

  @Test("A holder that is interrupted leaves the air")
  func interruptedHolder() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      let sender = try alice.start("unlock", "front", "--timeout", "30s")
      try door.await("granted", alice)
      try alice.site.air.awaitInUse(2)
      sender.signal(.interrupt)
      try sender.waitForExit(within: .seconds(5))
      try alice.site.air.awaitInUse(1)
    }
  }

  @Test("A door out of range hears nothing, and hears again when it is back")
  func range() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      try alice.site.air.setDoorInRange(false)
      try alice.shout("unlock", "front").expecting(exit: 0)
      #expect(try door.counter("granted") == 0)
      try alice.site.air.setDoorInRange(true)
      try opensFor(alice, door)
      try door.stop()
      #expect(door.openings() == 1)
    }
  }

  @Test("A holder without a radio says why, and what to do", arguments: ["tcp:127.0.0.1:1", "unix:/nowhere/radio"])
  func noRadio(spec: String) async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice")
      let outcome = try bench.run(
        .latchkey,
        [
          "unlock", "front", "--credential", alice.file, "--state", bench.directory("holders"), "--radio", spec,
          "--timeout", "1s",
        ]
      ).expecting(exit: 5)
      #expect(outcome.stderr.contains(spec))
      #expect(outcome.stderr.split(separator: "\n").count == 1)
    }
  }
}
