import JSON
import POSIX
import TestSupport
import Testing

/// `latchkeyd test-lock` and `latchkeyd close`: an operator moves locks.
@Suite("Lock tests")
struct LockTestTests {
  private func test(_ door: Door, _ options: String..., exit: Int32) throws -> Outcome {
    try door.site.bench.run(
      .latchkeyd, ["test-lock", "front", "--config", door.configuration] + options
    ).expecting(exit: exit)
  }

  @Test("It opens and closes the lock, tells when, and is in the log with its number")
  func opens() async throws {
    try await withWorkbench { bench in
      let (door, _) = try oneDoor(bench, settings: "pulse: 1s")
      let outcome = try test(door, "--json", exit: 0)
      let report = try outcome.jsonLines.first.expected("a report")
      let event = try door.daemon.event("lock-test", ["door": "front"])
      #expect(report["id"] == event["id"] && report["pulseMs"] == 1_000 && report["failure"] == nil)
      let moves = report["moves"]?.array ?? []
      #expect(moves.compactMap { $0["lock"]?.string } == ["open", "closed"])
      #expect((1_000..<10_000).contains(moves.last?["afterMs"]?.integer ?? 0), "\(report)")
      // The movements belong to it.
      #expect(try door.daemon.event("lock", ["state": "open"])["id"] == event["id"])
      let text = try test(door, "--seconds", "2", exit: 0)
      #expect(text.stdout.contains("test of front, #") && text.stdout.contains("for 2000 ms"), "\(text)")
      #expect(door.openings() == 2)
      try door.stop()
    }
  }

  @Test("In lockdown and while the door is open it is refused")
  func refused() async throws {
    try await withWorkbench { bench in
      let (door, _) = try oneDoor(bench)
      let alice = try door.site.issue("carol", commands: "lockdown,hold,release", freshness: "challenge")
      try door.site.export("front")
      try door.daemon.signal(.hangUp)
      try door.daemon.event("reloaded")
      try alice.latchkey("lockdown", "front").expecting(exit: 0)
      #expect(try test(door, exit: 3).stdout == "lockdown: door front: the door is locked down\n")
      try alice.latchkey("lockdown", "front", "--end").expecting(exit: 0)
      try alice.latchkey("hold", "front").expecting(exit: 0)
      #expect(try test(door, exit: 75).stderr.contains("the door is open"))
      #expect(door.openings() == 1)
      try bench.run(.latchkeyd, ["test-lock", "back", "--config", door.configuration]).expecting(exit: 2)
      try door.stop()
    }
  }

  @Test("A lock that fails is 69, with the reason")
  func fails() async throws {
    try await withWorkbench { bench in
      let (door, _) = try oneDoor(bench)
      let text = try bench.directory.text("site.yaml")
      try bench.directory.write("site.yaml", text.replacing("echo 'front open'", with: "exit 3; echo"))
      try door.daemon.signal(.hangUp)
      try door.daemon.event("reloaded")
      #expect(try test(door, exit: 69).stderr.contains("exit code 3"))
      try door.stop()
    }
  }

  // MARK: - close

  @Test("close closes what nobody is in charge of, and leaves a daemon's locks alone")
  func close() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench, settings: "pulse: 20s")
      try opensFor(alice, door)
      let arguments = ["close", "--config", door.configuration]
      #expect(try bench.run(.latchkeyd, arguments).expecting(exit: 75).stderr.contains("is in charge of the locks"))
      let before = door.lock.lines.count
      // Killed in mid-pulse, and without bundle and radio: the configuration is enough.
      try door.daemon.stop()
      try bench.directory.removeTree("site-front.bundle")
      #expect(try bench.run(.latchkeyd, arguments).expecting(exit: 0).stdout == "front closed\n")
      try door.awaitClosing()
      #expect(door.lock.lines[before...].allSatisfy { $0 == "front close" })
    }
  }

  private func otherLock(_ text: String) -> String {
    text.replacing("echo 'front open'", with: "echo 'other open'").replacing(
      "echo 'front close'", with: "echo 'other close'")
  }

  @Test("close closes what the killed daemon was in charge of, though the configuration names another lock")
  func closeOfAnotherConfiguration() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench, settings: "pulse: 20s")
      try opensFor(alice, door)
      let text = try bench.directory.text("site.yaml")
      try bench.directory.write("site.yaml", otherLock(text))
      try door.daemon.stop()
      let outcome = try bench.run(.latchkeyd, ["close", "--config", door.configuration]).expecting(exit: 0)
      #expect(outcome.stdout == "front closed\nfront (as of the last run) closed\n")
      // Both close at once, in either order.
      var left: Set = ["front close", "other close"]
      try door.lock.line("closing of both") { line -> Bool? in
        left.remove(line)
        return left.isEmpty ? true : nil
      }
    }
  }

  @Test("a start closes it too, says so, and forgets it")
  func startWithAnotherConfiguration() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench, settings: "pulse: 20s")
      try opensFor(alice, door)
      try bench.directory.write("site.yaml", otherLock(bench.directory.text("site.yaml")))
      try door.daemon.stop()
      try door.launch()
      try door.awaitClosing("front")
      try door.daemon.event("lock", ["detail": "the lock of the last run's configuration"])
      try door.stop()
      #expect(try fileStatus(bench.directory("site-state.db.locks")) == nil)
      let before = door.lock.lines.count
      try door.start(waitsForTime: false)
      #expect(!door.lock.lines[before...].contains("front close"))
      try door.stop()
    }
  }

  /// Lets the program that closes the first lock do so or not: it is another than the one of the configuration by now.
  private func breakable(_ text: String, _ bench: Workbench) -> String {
    text.replacing("echo 'front close'", with: "test ! -e \(bench.directory("broken")) || exit 3; echo 'front close'")
  }

  private func dryRun(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let first = lines.firstIndex(where: { $0.hasSuffix("command:") }),
      let last = lines.firstIndex(where: { $0.hasSuffix("directory: .") })
    else { return text }
    return (lines[..<first] + ["        dry-run: {}"] + lines[(last + 1)...]).joined(separator: "\n")
  }

  @Test("what a start or a reload couldn't close stays known until it is closed", arguments: [true, false])
  func leftOpen(byAReload: Bool) async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench, settings: "pulse: 20s")
      try door.stop()
      try bench.directory.write("site.yaml", breakable(bench.directory.text("site.yaml"), bench))
      try door.start()
      try opensFor(alice, door)
      try bench.directory.write("broken", "")
      let text = try bench.directory.text("site.yaml")
      try bench.directory.write("site.yaml", dryRun(text))
      if byAReload {
        try door.daemon.signal(.hangUp)
        try door.daemon.event("reloaded")
      } else {
        try door.daemon.stop()
        try door.start(waitsForTime: false)
      }
      try door.daemon.event("lock-failed", ["door": "front"])
      let arguments = ["--config", door.configuration]
      let limit = BootInstant.now() + .seconds(20)
      while (try? bench.run(.latchkeyd, ["health"] + arguments).expecting(exit: 1)) == nil, BootInstant.now() < limit {}
      try bench.run(.latchkeyd, ["health"] + arguments).expecting(exit: 1)
      try door.daemon.stop()
      #expect(
        try bench.run(.latchkeyd, ["close"] + arguments).expecting(exit: 69).stdout.contains(
          "front (as of the last run) isn't closed"))
      try bench.directory.removeTree("broken")
      let before = door.lock.lines.count
      try bench.run(.latchkeyd, ["close"] + arguments).expecting(exit: 0)
      try door.awaitClosing()
      #expect(door.lock.lines[before...].allSatisfy { $0 == "front close" })
      try door.launch()
      try door.daemon.event("lock", ["detail": "the lock of the last run's configuration"])
      try door.stop()
      #expect(try fileStatus(bench.directory("site-state.db.locks")) == nil)
    }
  }

  @Test(
    "a configuration that can't be read keeps nobody's lock open: what the service manager keeps says what to close")
  func closeWithoutConfiguration() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench, settings: "pulse: 20s")
      try opensFor(alice, door)
      try bench.directory.write("site.yaml", "radio: [")
      try door.daemon.stop()
      let before = door.lock.lines.count
      let environment = ["STATE_DIRECTORY": bench.directory.path]
      let arguments = ["--config", door.configuration]
      let outcome = try bench.run(.latchkeyd, ["close"] + arguments, environment: environment).expecting(exit: 65)
      #expect(outcome.stdout == "front (as of the last run) closed\n")
      try door.awaitClosing()
      #expect(door.lock.lines[before...].allSatisfy { $0 == "front close" })
      // A start that fails does the same.
      try bench.run(.latchkeyd, ["run"] + arguments, environment: environment).expecting(exit: 65)
      try door.awaitClosing()
    }
  }

  @Test("close says which lock it couldn't close")
  func closeFails() async throws {
    try await withWorkbench { bench in
      let (door, _) = try oneDoor(bench)
      try door.stop()
      let text = try bench.directory.text("site.yaml")
      try bench.directory.write("site.yaml", text.replacing("echo 'front close'", with: "exit 3; echo"))
      let outcome = try bench.run(.latchkeyd, ["close", "--config", door.configuration, "--json"]).expecting(exit: 69)
      #expect(try outcome.jsonLines.first?["closed"] == false)
    }
  }
}
