import Database
import JSON
import POSIX
import TestSupport
import Testing

/// `kill -9` at any moment opens nothing twice and forgets no grant.
@Suite("Crashes")
struct CrashTests {
  @Test("Killed before the record: the frame isn't spent, and opens once after the restart")
  func beforeRecord() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try doorWithUses(bench)
      for round in 1...3 {
        let advert = try crash(door, alice, at: "after-decision")
        try door.start()
        try advert.broadcast()
        try door.await("granted", alice, within: .seconds(5))
        try door.awaitOpening()
        #expect(door.openings() == round)
        try door.stop()
      }
    }
  }

  @Test("Killed after the record: the lock stays shut, the frame is spent", arguments: ["after-record", "before-lock"])
  func afterRecord(fault: String) async throws {
    try await withWorkbench { bench in
      let (door, alice) = try doorWithUses(bench)
      for _ in 0..<3 {
        let advert = try crash(door, alice, at: fault)
        let daemon = try bench.start(.latchkeyd, ["run", "--config", door.configuration, "--json"])
        try daemon.event("radio", ["state": "on"])
        try advert.broadcast()
        try daemon.event("replayed", ["credential": "alice"], within: .seconds(5))
        #expect(daemon.events("granted").isEmpty)
        daemon.signal(.kill)
        try daemon.waitForExit()
      }
      #expect(door.openings() == 0, "a crash leaves the lock shut")
      // Three of four uses are spent by grants that nobody saw: not forgotten.
      try door.start()
      // Neither of these presses is one of those above, which would be answered as the intents that they were.
      waitUntil(nextSecond())
      try alice.payload(sequence: 0, press: "01").broadcast()
      try door.await("granted", alice, ["command": "unlock"])
      try door.awaitOpening()
      try alice.payload(sequence: 1, press: "02").broadcast()
      try door.await("denied", alice, ["reason": "uses-exhausted"])
    }
  }

  @Test("Killed between record and lock: whoever asks again after the restart hears that the lock failed")
  func lockFailedAcrossARestart() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice", freshness: "challenge")
      let door = try Door(site)
      let daemon = try door.start(fault: "before-lock", waitsForTime: false)
      let sender = try alice.start("unlock", "front", "--timeout", "20s")
      guard try daemon.waitForExit() == .signalled(9) else { throw TestError("no crash\n\(daemon.report)") }
      // The same press is asked for on, under the challenge of the next run.
      try door.start(waitsForTime: false)
      #expect(try sender.waitForExit() == .exited(69))
      #expect(door.openings() == 0)
    }
  }

  @Test("Killed in mid-opening: the next start closes the lock first")
  func inMidPulse() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench, settings: "pulse: 30s")
      try opensFor(alice, door)
      let daemon = try door.daemon
      daemon.signal(.kill)
      try daemon.waitForExit()
      try door.start()
      try door.awaitClosing()
      #expect(door.openings() == 1)
    }
  }

  @Test("Killed in mid-opening, and the next start can't begin: the lock is closed all the same")
  func inMidPulseWithADamagedBundle() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench, settings: "pulse: 30s")
      try opensFor(alice, door)
      let daemon = try door.daemon
      daemon.signal(.kill)
      try daemon.waitForExit()
      var bytes = try bench.directory.read("site-front.bundle")
      bytes[bytes.count / 2] ^= 1
      try bench.directory.write("site-front.bundle", bytes: bytes)
      try bench.run(.latchkeyd, ["run", "--config", door.configuration]).expecting(exit: 65)
      try door.awaitClosing()
    }
  }

  @Test("Killed while its unlock program runs: the program doesn't open the door after the next start has closed it")
  func duringUnlock() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice")
      let door = try Door(site, settings: "pulse: 30s")
      // Its first movement takes as long as the file `slow` is there.
      try bench.directory.rewrite("site.yaml") {
        $0.replacing(
          "echo 'front open'", with: "touch begun; while test -e slow; do sleep 0.05; done; echo 'front open'")
      }
      try bench.directory.write("slow", "")
      let daemon = try door.start()
      try alice.shout("unlock", "front").expecting(exit: 0)
      try bench.directory.awaitFile("begun")
      daemon.signal(.kill)
      try daemon.waitForExit()
      try door.start()
      try door.awaitClosing()
      // Were the program still there, it would open now, before the next press does.
      try bench.directory.removeTree("slow")
      try opensFor(alice, door)
      #expect(door.openings() == 1)
    }
  }

  @Test("A lock that can't be closed at the end is tried again and told: exit 69")
  func lockFailsAtTheEnd() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice")
      let door = try Door(site, settings: "pulse: 30s")
      try bench.directory.rewrite("site.yaml") {
        $0.replacing("echo 'front close'", with: "test ! -e broken && echo 'front close'")
      }
      let daemon = try door.start()
      try opensFor(alice, door)
      try bench.directory.write("broken", "")
      daemon.signal(.terminate)
      #expect(try daemon.waitForExit() == .exited(69))
      #expect(daemon.events("lock-failed").count == 3)
    }
  }

  @Test("A log that nobody reads any more holds up neither the lock nor the end")
  func stalledLog() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      try door.stop()
      let log = bench.directory("log")
      try run(executable: "/usr/bin/mkfifo", [log]).expecting(exit: 0)
      let daemon = try bench.start(
        executable: "/bin/sh",
        [
          "-c", "exec \"$0\" run --config \"$1\" --json 1<>\"$2\"", try Program.latchkeyd.path, door.configuration,
          log,
        ])
      try alice.site.air.awaitInUse(1)
      // More than a pipe holds, which is 64 KiB.
      for _ in 0..<400 {
        daemon.signal(.user1)
        waitMilliseconds(1)
      }
      try alice.latchkey("unlock", "front").expecting(exit: 0)
      try door.awaitOpening()
      try door.awaitClosing()
      daemon.signal(.terminate)
      #expect(try daemon.waitForExit(within: .seconds(5)) == .exited(0))
    }
  }

  @Test("Started without standard input, output and error, it writes its events into no file of its own")
  func closedStreams() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice", freshness: "challenge")
      let door = try Door(site)
      let daemon = try bench.start(
        executable: "/bin/sh",
        ["-c", "exec \"$0\" run --config \"$1\" <&- >&- 2>&-", try Program.latchkeyd.path, door.configuration])
      try alice.latchkey("unlock", "front").expecting(exit: 0)
      daemon.signal(.terminate)
      #expect(try daemon.waitForExit() == .exited(0))
      #expect(try bench.directory.read("site-state.db.lock").isEmpty)
      #expect(try bench.directory.read("site-state.db").starts(with: Array("SQLite format 3".utf8)))
    }
  }

  @Test("A clock once a day ahead: challenges open all the same, and --accept-clock is the way back to time")
  func clockOnceAhead() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      let (bob, carol) = (try alice.site.issue("bob"), try alice.site.issue("carol", freshness: "challenge"))
      try alice.site.export("front")
      try opensFor(alice, door)
      try door.stop()
      // As a day ahead would have left it: the last record, the floor and alice's mark.
      let state = try Connection(path: bench.directory("site-state.db"), access: .readWrite)
      try state.run("UPDATE ledger SET recorded = recorded + 86400000")
      try state.run("UPDATE door SET floor = floor + 86400")
      try state.run("UPDATE credential SET slot = slot + 86400")
      let daemon = try door.start(waitsForTime: false)
      #expect(daemon.events("clock").last?["state"] == "untrusted")
      try carol.latchkey("unlock", "front").expecting(exit: 0)
      try bob.latchkey("unlock", "front").expecting(exit: 3)
      try door.await("denied", bob, ["reason": "clock-untrusted"])
      try door.stop()
      try door.start(["--accept-clock"])
      // Her mark, too, is taken back.
      try opensFor(alice, door)
    }
  }

  @Test("Killed at any moment, again and again: no press opens twice")
  func anyMoment() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench, settings: "pulse: 100ms")
      var grants = 0
      for round in 0..<12 {
        let before = door.openings()
        let daemon = try door.daemon
        let sender = try alice.start("unlock", "front", "--timeout", "400ms")
        // Later each round: from before the first advert is heard to after the lock has closed.
        waitMilliseconds(round * 40)
        daemon.signal(.kill)
        try daemon.waitForExit()
        grants += daemon.events("granted").count
        // The same press is still on the air while the door comes back.
        try door.start()
        try sender.waitForExit()
        grants += try door.daemon.events("granted").count
        #expect(door.openings() - before <= 1)
      }
      try opensFor(alice, door)
      #expect(door.openings() <= grants + 1)
    }
  }

  /// A door where alice has four uses.
  private func doorWithUses(_ bench: Workbench) throws -> (Door, Holder) {
    let site = try Site(bench)
    try site.addDoors("front")
    let alice = try site.issue("alice", "--uses", "4")
    let door = try Door(site)
    try door.start()
    try door.stop()
    return (door, alice)
  }

  /// Starts the daemon so that it dies at that step, and lets alice press once; answers what she sent.
  private func crash(_ door: Door, _ alice: Holder, at fault: String) throws -> Advert {
    let daemon = try door.start(fault: fault)
    // From the beginning of a slot there are three seconds until the frame is too old.
    waitUntil(nextSecond())
    // Another press each second: one that came again by chance would be the same intent, and decide nothing.
    let advert = try alice.payload(press: String(WallTime.now().seconds % 200 + 16, radix: 16))
    try advert.broadcast()
    guard try daemon.waitForExit() == .signalled(9) else { throw TestError("no crash at \(fault)\n\(daemon.report)") }
    return advert
  }
}
