import JSON
import POSIX
import TestSupport
import Testing

/// The daemon under a service manager (sd_notify(3), decision 0087): the manager is the test.
@Suite("Service")
struct ServiceTests {
  /// A door at an air that nobody hears yet, and its manager.
  private func managed(
    _ bench: Workbench, settings: String = "", radio: String? = nil, socket: String? = nil
  ) throws -> (Door, NotifySocket) {
    let manager = try NotifySocket(socket ?? bench.directory("notify"))
    let site = try Site(bench)
    try site.addDoors("front")
    return (try Door(site, settings: settings, radio: radio), manager)
  }

  private func launch(_ door: Door, _ manager: NotifySocket, _ environment: [String: String] = [:]) throws {
    try door.launch(environment: environment.merging(["NOTIFY_SOCKET": manager.name]) { $1 })
  }

  /// When a reload began, in microseconds; 0 where the packet doesn't say.
  private func moment(in packet: [String]) -> UInt64 {
    for line in packet where line.hasPrefix("MONOTONIC_USEC=") {
      return UInt64(line.trimmingPrefix("MONOTONIC_USEC=")) ?? 0
    }
    return 0
  }

  @Test("READY comes once the lock is closed and the radio on; a reload and the end are told")
  func life() async throws {
    try await withWorkbench { bench in
      let (door, manager) = try managed(bench)
      try launch(door, manager)
      try manager.packet("READY=1")
      #expect(manager.packets.flatMap { $0 }.last { $0.hasPrefix("STATUS=") } == "STATUS=well", "\(manager.packets)")
      // Events are written by a thread of their own: they may be behind.
      try door.daemon.event("lock", ["state": "closed"])
      try door.daemon.event("radio", ["state": "on"])
      try door.daemon.signal(.hangUp)
      let reloading = try manager.packet("RELOADING=1")
      #expect((1...monotonicMicroseconds()).contains(moment(in: reloading)), "\(reloading)")
      try manager.packet("READY=1")
      // One that is refused is over as well, and says why.
      try door.configure(extra: "no-such-key: 1\n")
      try door.daemon.signal(.hangUp)
      try manager.packet("RELOADING=1")
      let refused = try manager.packet("READY=1")
      #expect(
        refused.contains { $0.hasPrefix("STATUS=well; warning: the newest configuration was refused") }, "\(refused)")
      try door.stop()
      try manager.packet("STOPPING=1")
      #expect(manager.packets.flatMap { $0 }.count { $0 == "READY=1" } == 3)
    }
  }

  @Test("A radio that isn't there is waited for: the start is excused, the watchdog fed, and it isn't ready")
  func radioMissing() async throws {
    try await withWorkbench { bench in
      // The name of the abstract namespace is one that no other test has.
      let name = "@latchkey-test\(bench.directory("notify"))"
      let (door, manager) = try managed(bench, radio: "unix:\(bench.directory("nowhere"))", socket: name)
      try launch(door, manager, ["WATCHDOG_USEC": "400000"])
      try manager.packet("status") { $0.hasPrefix("STATUS=not well: the radio is not on") }
      for _ in 0..<5 {
        let sign = try manager.packet("WATCHDOG=1")
        #expect(sign.contains("EXTEND_TIMEOUT_USEC=800000"), "\(sign)")
      }
      try door.awaitClosing()
      // A reload is nobody's business before the start is over: its READY would end the start.
      try door.daemon.signal(.hangUp)
      try door.daemon.event("reloaded")
      for _ in 0..<3 { try manager.packet("WATCHDOG=1") }
      try door.stop()
      let lines = manager.packets.flatMap { $0 }
      #expect(!lines.contains("READY=1") && !lines.contains("RELOADING=1"), "\(lines)")
    }
  }

  @Test("A lock that doesn't close keeps the daemon from being ready")
  func lockFails() async throws {
    try await withWorkbench { bench in
      let (door, manager) = try managed(bench)
      let text = try String(decoding: readFile(door.configuration, limit: 1 << 16), as: UTF8.self)
      try bench.directory.write("site.yaml", text.replacing("echo 'front close'", with: "exit 1; echo"))
      try launch(door, manager, ["WATCHDOG_USEC": "400000"])
      try door.daemon.event("radio", ["state": "on"])
      try manager.packet("status") { $0.contains("its lock didn't get closed") }
      for _ in 0..<3 { try manager.packet("WATCHDOG=1") }
      #expect(!manager.packets.flatMap { $0 }.contains("READY=1"))
    }
  }

  @Test("A daemon that is stopped gives no sign of life, and gives one again when it goes on")
  func stopped() async throws {
    try await withWorkbench { bench in
      let (door, manager) = try managed(bench)
      try launch(door, manager, ["WATCHDOG_USEC": "400000"])
      try manager.packet("READY=1")
      try manager.packet("WATCHDOG=1")
      try door.daemon.signal(.pause)
      let before = BootInstant.now()
      // What was on its way when the signal came.
      _ = try? manager.packet("WATCHDOG=1", within: .milliseconds(300))
      #expect(throws: TestError.self) { try manager.packet("WATCHDOG=1", within: .seconds(2)) }
      #expect(BootInstant.now() - before >= .seconds(2))
      try door.daemon.signal(.proceed)
      try manager.packet("WATCHDOG=1")
      try door.stop()
    }
  }

  @Test("A door's loop that hangs gives no sign of life though other threads go on; the lock closes at its time")
  func hung() async throws {
    try await withWorkbench { bench in
      let (door, manager) = try managed(bench, settings: "pulse: 2s")
      try launch(door, manager, ["WATCHDOG_USEC": "400000", "LATCHKEY_FAULT": "hang-after-lock"])
      try manager.packet("READY=1")
      let asking = try bench.start(.latchkeyd, ["test-lock", "front", "--config", door.configuration])
      try door.awaitOpening()
      _ = try? manager.packet("WATCHDOG=1", within: .milliseconds(300))
      #expect(throws: TestError.self) { try manager.packet("WATCHDOG=1", within: .seconds(1)) }
      try door.awaitClosing()
      #expect(asking.isRunning)
    }
  }

  @Test("Another process's watchdog isn't fed")
  func otherProcess() async throws {
    try await withWorkbench { bench in
      let (door, manager) = try managed(bench)
      try launch(door, manager, ["WATCHDOG_USEC": "400000", "WATCHDOG_PID": "1"])
      try manager.packet("READY=1")
      try door.stop()
      #expect(!manager.packets.flatMap { $0 }.contains("WATCHDOG=1"))
    }
  }

  @Test("Locks' programs see nothing of the service manager")
  func environment() async throws {
    try await withWorkbench { bench in
      let (door, manager) = try managed(bench)
      try bench.directory.rewrite("site.yaml") {
        $0.replacing("echo 'front close'", with: "{ env; echo 'front close'; }")
      }
      try launch(door, manager, ["WATCHDOG_USEC": "20000000"])
      try door.awaitClosing()
      let seen = door.lock.lines
      #expect(seen.contains("LATCHKEY_DOOR=front"), "\(seen)")
      #expect(!seen.contains { $0.hasPrefix("NOTIFY_SOCKET") || $0.hasPrefix("WATCHDOG") }, "\(seen)")
    }
  }

  // MARK: - A restart at rest

  @Test("A restart waits until the pulse is over, and says what it waits for")
  func restart() async throws {
    try await withWorkbench { bench in
      let (door, manager) = try managed(bench, settings: "pulse: 3s")
      try launch(door, manager)
      try manager.packet("READY=1")
      try bench.run(.latchkeyd, ["status", "--config", door.configuration]).expecting(exit: 0)
      let testing = try bench.start(.latchkeyd, ["test-lock", "front", "--config", door.configuration])
      try door.awaitOpening()
      let answer = try bench.run(.latchkeyd, ["restart", "--config", door.configuration]).expecting(exit: 0)
      #expect(answer.stdout == "as soon as front is closed\n")
      let health = try bench.run(.latchkeyd, ["health", "--config", door.configuration]).expecting(exit: 0)
      #expect(health.stdout.contains("a restart is asked for, and waits for door front (unlocked)"), "\(health)")
      let opened = try door.daemon.event("lock", ["state": "open"])
      let closed = try door.daemon.event("lock", ["state": "closed"])
      try manager.packet("STOPPING=1")
      #expect(try door.daemon.waitForExit() == .exited(0))
      let times = [opened, closed].compactMap { $0["time"]?.string.flatMap { WallTime(rfc3339: $0) } }
      try #require(times.count == 2)
      #expect((times[1].seconds - times[0].seconds) >= 2)
      // Whoever waited for the test hears how it came out, though the daemon ends with it.
      #expect(try testing.waitForExit() == .exited(0), "\(testing.report)")
    }
  }

  @Test("Without a service manager nobody would start it anew: a restart is refused")
  func restartAlone() async throws {
    try await withWorkbench { bench in
      let (door, _) = try oneDoor(bench)
      let answer = try bench.run(.latchkeyd, ["restart", "--config", door.configuration]).expecting(exit: 75)
      #expect(answer.stderr.contains("no service manager"), "\(answer)")
      try door.stop()
    }
  }
}
