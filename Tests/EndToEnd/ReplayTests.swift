import JSON
import POSIX
import TestSupport
import Testing

/// What was recorded from the air opens nothing.
@Suite("Replay")
struct ReplayTests {
  @Test("At once: the same advert again is a repetition of the first")
  func atOnce() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      let advert = try alice.payload()
      try advert.broadcast()
      try door.await("granted", alice)
      let before = try door.counter("repeated")
      try advert.broadcast()
      let counters = try door.counters()
      #expect((counters["repeated"]?.integer ?? 0) > before)
      #expect(counters["granted"] == 1)
      try door.stop()
      #expect(door.openings() == 1)
    }
  }

  @Test("After a restart: refused, whether /run is still there or not", arguments: [true, false])
  func afterRestart(volatileKept: Bool) async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      waitUntil(nextSecond())
      let advert = try alice.payload()
      try advert.broadcast()
      try door.await("granted", alice)
      try door.stop()
      if !volatileKept { try bench.directory.removeTree("site-run") }
      let daemon = try bench.start(.latchkeyd, ["run", "--config", door.configuration, "--json"])
      try daemon.event("radio", ["state": "on"])
      try advert.broadcast()
      try daemon.event("replayed", ["credential": "alice"])
      #expect(daemon.events("granted").isEmpty)
      daemon.signal(.terminate)
      try daemon.waitForExit()
      #expect(door.openings() == 1)
    }
  }

  @Test("After the window: it is nobody's frame any more")
  func afterWindow() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      let advert = try alice.payload()
      let made = WallTime.now()
      try advert.broadcast()
      try door.await("granted", alice)
      // Slots of one second, two of them accepted behind the door's own.
      waitUntil(WallTime(seconds: made.seconds + 4))
      let before = try door.counter("foreign")
      try advert.broadcast()
      let counters = try door.counters()
      #expect((counters["foreign"]?.integer ?? 0) > before)
      #expect(counters["granted"] == 1)
      try door.stop()
      #expect(door.openings() == 1)
    }
  }

  @Test("A frame of a lower sequence, kept back, opens nothing and is told once")
  func keptBack() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      waitUntil(nextSecond())
      let now = WallTime.now().rfc3339(milliseconds: false)
      let keptBack = try alice.payload(at: now, sequence: 1, press: "01")
      let sent = try alice.payload(at: now, sequence: 2, press: "02")
      try sent.broadcast()
      try door.await("granted", alice, ["sequence": 2])
      try keptBack.broadcast()
      try door.await("replayed", alice, ["sequence": 1])
      let daemon = try door.daemon
      try door.stop()
      #expect(daemon.events("replayed").count == 1)
      #expect(door.openings() == 1)
    }
  }

  @Test("The same press in a new frame is the same intent")
  func samePress() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      let now = WallTime.now().rfc3339(milliseconds: false)
      try alice.payload(at: now, sequence: 0, press: "07").broadcast()
      try door.await("granted", alice, ["sequence": 0])
      try alice.payload(at: now, sequence: 1, press: "07").broadcast()
      let counters = try door.counters()
      #expect(counters["granted"] == 1)
      #expect((counters["repeated"]?.integer ?? 0) > 0)
      try door.stop()
      #expect(door.openings() == 1)
    }
  }

  @Test("A frame from a clock that is too far ahead or behind is foreign", arguments: [-60, 60])
  func wrongClock(seconds: Int64) async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      let moment = WallTime(seconds: WallTime.now().seconds + seconds).rfc3339(milliseconds: false)
      try alice.payload(at: moment).broadcast()
      try opensFor(alice, door)
      let last = try door.stop()
      #expect((last["counters"]?["foreign"]?.integer ?? 0) > 0)
      #expect(last["counters"]?["granted"] == 1)
    }
  }

  @Test("An unknown command is malformed, and its frame is spent")
  func malformed() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      // `lock` takes no argument: authentic, and not a command.
      let outcome = try bench.run(
        .latchkey,
        [
          "payload", "front", "--credential", alice.file, "--command", "lock", "--argument", "1", "--at", "now",
          "--sequence", "0", "--press", "01",
        ])
      #expect(outcome.exit == 2, "a sender makes no frame that every door refuses")
      try opensFor(alice, door)
    }
  }
}
