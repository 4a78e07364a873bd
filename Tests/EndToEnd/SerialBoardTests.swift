import JSON
import POSIX
import TestSupport
import Testing

/// A door whose lock is a board at a serial line (docs/serial-board.md), simulated at the other end of a pseudo-terminal.
@Suite("Serial board")
struct SerialBoardTests {
  /// A door that hasn't been started, and its board.
  private func door(_ bench: Workbench, settings: String) throws -> (Door, Holder, BoardSimulator) {
    let site = try Site(bench)
    try site.addDoors("front")
    let alice = try site.issue("alice")
    let door = try Door(site, settings: settings)
    let board = try BoardSimulator(in: bench.directory)
    try bench.directory.rewrite("site.yaml") { text in
      let lines = text.split(separator: "\n").filter { line in
        !["command:", "unlock: [", "lock: [", "directory:"].contains { line.trimmingPrefix { $0 == " " }.hasPrefix($0) }
      }
      return lines.joined(separator: "\n").replacing(
        "lock:\n", with: "lock: { serial: { port: board, baud: 19200 } }\n")
        + "\n"
    }
    return (door, alice, board)
  }

  /// Waits until the door has told that its lock opened and closed.
  private func awaitPulse(_ door: Door) throws {
    try door.daemon.event("lock", ["state": "open"])
    try door.daemon.event("lock", ["state": "closed"])
  }

  @Test("A grant opens the board, the pulse's end closes it, and its battery shows")
  func opens() async throws {
    try await withWorkbench { bench in
      let (door, alice, board) = try door(bench, settings: "pulse: 1s")
      board.change { $0.battery = 15 }
      try door.start()
      try alice.latchkey("unlock", "front").expecting(exit: 0)
      try door.await("granted", alice)
      try awaitPulse(door)
      #expect(board.movements == [.open, .closed])
      let asked = try bench.run(.latchkeyd, ["status", "--config", door.configuration, "--json"]).expecting(exit: 0)
      let status = try asked.jsonLines.first.expected("a status")
      #expect(status["doors"]?.array?.first?["battery"] == 15 && status["doors"]?.array?.first?["lock"] == "closed")
      let health = try bench.run(.latchkeyd, ["health", "--config", door.configuration]).expecting(exit: 0)
      #expect(health.stdout.contains("door front: its lock's battery is at 15 %"))
      try door.stop()
    }
  }

  @Test("A daemon that is killed in mid-pulse leaves a board that closes by itself")
  func outlivesNobody() async throws {
    try await withWorkbench { bench in
      let (door, alice, board) = try door(bench, settings: "pulse: 3s")
      try door.start()
      let granted = BootInstant.now()
      let press = try alice.start("unlock", "front", "--no-answer", "--timeout", "400ms")
      try board.await([.open])
      let daemon = try door.daemon
      daemon.signal(.kill)
      _ = try daemon.waitForExit()
      _ = try press.waitForExit()
      try board.await([.open, .closed])
      #expect(BootInstant.now() - granted >= .seconds(2))
      #expect(board.frames.last?[3] == 1, "nobody said so")
    }
  }

  @Test("A daemon that is stopped in mid-pulse leaves a board that closes by itself")
  func stopped() async throws {
    try await withWorkbench { bench in
      let (door, alice, board) = try door(bench, settings: "pulse: 3s")
      try door.start()
      try alice.shout("unlock", "front").expecting(exit: 0)
      try board.await([.open])
      let daemon = try door.daemon
      daemon.signal(.pause)
      try board.await([.open, .closed])
      daemon.signal(.proceed)
      try daemon.event("lock", ["state": "closed"])
      try door.stop()
    }
  }

  @Test("Two grants that overlap, and a reload between them, are one opening")
  func overlapping() async throws {
    try await withWorkbench { bench in
      let (door, alice, board) = try door(bench, settings: "pulse: 5s")
      try door.start()
      try alice.latchkey("unlock", "front").expecting(exit: 0)
      try door.daemon.signal(.hangUp)
      try door.daemon.event("reloaded")
      try alice.latchkey("unlock", "front").expecting(exit: 0)
      let second = BootInstant.now()
      try board.await([.open, .closed])
      // It was granted a little before, and the answer came after.
      #expect(BootInstant.now() - second > .seconds(2), "the second one counts")
      #expect(board.movements == [.open, .closed])
      try door.stop()
    }
  }

  @Test("A reload to another speed keeps the door working, and a board that doesn't answer is said to the holder")
  func reload() async throws {
    try await withWorkbench { bench in
      let (door, alice, board) = try door(bench, settings: "pulse: 3s")
      try door.start()
      try bench.directory.rewrite("site.yaml") { $0.replacing("baud: 19200", with: "baud: 115200") }
      try door.daemon.signal(.hangUp)
      try door.daemon.event("reloaded")
      try alice.latchkey("unlock", "front").expecting(exit: 0)
      try awaitPulse(door)
      board.change { $0.isSilent = true }
      try alice.latchkey("unlock", "front").expecting(exit: 69)
      let failure = try door.daemon.event("lock-failed", ["state": "open"])
      #expect(failure["detail"]?.string?.contains("didn't answer “unlock”, sent 4 times") == true)
      board.change { $0.isSilent = false }
      try door.daemon.event("lock", ["state": "closed"])
      try door.stop()
      #expect(board.movements == [.open, .closed])
    }
  }
}
