import Database
import JSON
import POSIX
import TestSupport
import Testing

/// A door's contact and its way out, by pipes (docs/door-monitor.md).
@Suite("A door that sees itself")
struct DoorInputTests {
  static let inputs = "sensor: { pipe: contact }\nrequest-to-exit: { pipe: exit }\n"

  /// A door that runs, with both pipes, and a holder.
  private func door(
    _ bench: Workbench, _ settings: String = "", commands: String = "unlock,lock,status,lockdown,hold"
  ) throws -> (Door, Holder) {
    let site = try Site(bench)
    try site.addDoors("front")
    let alice = try site.issue("alice", commands: commands)
    for name in ["contact", "exit"] { try makePipe(bench, name) }
    let door = try Door(
      site, settings: Self.inputs + "allow-by-time: [lockdown, hold]\n" + settings)
    try door.start()
    return (door, alice)
  }

  private func makePipe(_ bench: Workbench, _ name: String) throws {
    try run(executable: "/usr/bin/mkfifo", ["-m", "600", bench.directory(name)]).expecting(exit: 0)
  }

  /// Writes lines into a pipe, and is gone.
  private func say(_ bench: Workbench, _ pipe: String, _ text: String) throws {
    try run(executable: "/bin/sh", ["-c", "printf %b \"$1\" > \"$2\"", "sh", text + "\\n", bench.directory(pipe)])
      .expecting(exit: 0)
  }

  private func health(_ door: Door, exit: Int32) throws -> String {
    try door.site.bench.run(.latchkeyd, ["health", "--config", door.configuration]).expecting(exit: exit).stdout
  }

  private func status(_ door: Door) throws -> JSONValue {
    let outcome = try door.site.bench.run(.latchkeyd, ["status", "--config", door.configuration, "--json"])
    return try outcome.expecting(exit: 0).jsonLines.first?["doors"]?.array?.first.expected("a door") ?? .null
  }

  /// Waits until all that was written into the contact's pipe has been taken.
  private func awaitEndOfContact(_ bench: Workbench, _ door: Door) throws {
    try say(bench, "contact", "nothing")
    try door.daemon.event("input", ["state": "ignored"])
  }

  @Test("Grant, movement and entry are three records of one id, and the beacon shows the open door")
  func entry() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try door(bench, "pulse: 3s")
      try say(bench, "contact", "closed")
      try alice.latchkey("unlock", "front").expecting(exit: 0)
      let id = try door.await("granted", alice)["id"].expected("an id")
      try say(bench, "contact", "open")
      let opened = try door.daemon.event("opened")
      #expect(opened["id"] == id && opened["detail"] == "by a grant")
      #expect(try status(door)["contact"] == "open")
      #expect(try alice.latchkey("status", "front").expecting(exit: 0).stdout.contains("\"doorOpen\":true"))
      try say(bench, "contact", "closed")
      try door.daemon.event("closed")
      #expect(door.daemonEvents("forced").isEmpty)
      let records = try recordsFollowing(id.integer ?? 0, door)
      #expect(records == ["lock", "opened"])
      try door.stop()
    }
  }

  @Test("A door that is opened without a grant and without an exit is forced until it is closed")
  func forced() async throws {
    try await withWorkbench { bench in
      let (door, _) = try door(bench)
      try say(bench, "contact", "closed\\nopen")
      let forced = try door.daemon.event("forced")
      #expect(try health(door, exit: 1).contains("door front was forced open"))
      #expect(try status(door)["alarm"] == "forced")
      let text = try bench.run(.latchkeyd, ["status", "--config", door.configuration]).expecting(exit: 0).stdout
      #expect(text.contains(": closed, lock closed, door open, ALARM: forced"), "\(text)")
      try say(bench, "contact", "closed")
      let restored = try door.daemon.event("restored")
      #expect(restored["id"] == forced["id"] && forced["id"] != nil)
      #expect(try health(door, exit: 0) == "well\n")
      #expect(door.openings() == 0)
      try door.stop()
    }
  }

  @Test("A siren that can't be had is told, shown and no problem of the lock's; close says so too")
  func siren() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try door(bench)
      let sensor = "sensor: { pipe: contact }\n"
      let text = try bench.directory.text("site.yaml").replacing(
        sensor, with: sensor + "    siren: { gpio: { chip: no-such-chip, line: 1 } }\n")
      try bench.directory.write("site.yaml", text)
      door.daemonHangUp()
      let failed = try door.daemon.event("siren", ["state": "failed"])
      #expect(failed["door"] == "front" && failed["detail"]?.string?.isEmpty == false)
      let words = try health(door, exit: 1)
      #expect(words.hasPrefix("not well: door front: its siren fails: "), "\(words)")
      #expect(try status(door)["siren"] == "failed")
      let shown = try bench.run(.latchkeyd, ["status", "--config", door.configuration]).expecting(exit: 0).stdout
      #expect(shown.contains("lock closed, door not seen yet, its siren FAILS ("), "\(shown)")
      try say(bench, "contact", "closed\\nopen")
      try door.daemon.event("forced")
      // The lock goes on as if there were no siren.
      try alice.latchkey("unlock", "front").expecting(exit: 0)
      try door.await("granted", alice)
      #expect(door.daemonEvents("lock-failed").isEmpty)
      try door.stop()
      let close = try bench.run(.latchkeyd, ["close", "--config", door.configuration]).expecting(exit: 69)
      #expect(close.stdout.hasPrefix("front closed\nfront's siren isn't off: "), "\(close.stdout)")
      #expect(close.stderr.contains("a siren couldn't be switched off"))
    }
  }

  @Test("A door that stands open is warned about, alarmed, and restored")
  func heldOpen() async throws {
    try await withWorkbench { bench in
      let (door, _) = try door(bench, "held-open-warning: 1s\nheld-open-alarm: 2s")
      // It stood open when it was looked at first.
      try say(bench, "contact", "open")
      try door.daemon.event("held-open-warning")
      let alarm = try door.daemon.event("held-open")
      #expect(try health(door, exit: 1).contains("door front stands open for too long"))
      try say(bench, "contact", "closed")
      #expect(try door.daemon.event("restored")["id"] == alarm["id"])
      #expect(door.daemonEvents("forced").isEmpty)
      try door.stop()
    }
  }

  @Test("In lockdown the way out opens the lock, is no alarm, and ends no lockdown")
  func exitInLockdown() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try door(bench, "exit-pulse: 500ms")
      try say(bench, "contact", "closed")
      try alice.latchkey("lockdown", "front").expecting(exit: 0)
      try say(bench, "exit", "exit")
      let exit = try door.daemon.event("exit")
      try door.daemon.event("lock", ["state": "open"])
      try say(bench, "contact", "open")
      #expect(try door.daemon.event("opened")["id"] == exit["id"])
      try door.daemon.event("lock", ["state": "closed"])
      #expect(try status(door)["mode"] == "lockdown")
      try alice.latchkey("unlock", "front").expecting(exit: 3)
      #expect(door.daemonEvents("forced").isEmpty)
      try door.stop()
    }
  }

  @Test("A lockdown that lets somebody out doesn't read as one that ends")
  func statusOfAnExitInLockdown() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try door(bench, "exit-pulse: 60s")
      try alice.latchkey("lockdown", "front").expecting(exit: 0)
      try say(bench, "exit", "exit")
      try door.daemon.event("lock", ["state": "open"])
      let text = try bench.run(.latchkeyd, ["status", "--config", door.configuration]).expecting(exit: 0).stdout
      #expect(text.contains("): lockdown, open for another "), "\(text)")
      #expect(text.contains(" s for who gets out, lock open"), "\(text)")
      try door.stop()
    }
  }

  @Test(
    "On a full disk the way out opens the lock, and a forced door is told",
    .enabled(if: SmallFileSystem.isPossible, "mounting needs CAP_SYS_ADMIN"))
  func fullDisk() async throws {
    try await withWorkbench { bench in
      let disk = try SmallFileSystem(in: bench.directory, size: "512k")
      let (door, alice) = try door(bench, "exit-pulse: 500ms\nshunt: 0s")
      try door.stop()
      try bench.directory.rewrite("site.yaml") {
        $0.replacing("state: site-state.db", with: "state: \(disk("state.db"))")
      }
      try door.start()
      try say(bench, "contact", "closed")
      try fill(disk)
      try alice.shout("unlock", "front").expecting(exit: 0)
      try door.daemon.event("ledger", ["state": "failed"])
      #expect(door.openings() == 0)
      try say(bench, "exit", "exit")
      #expect(try door.daemon.event("exit")["id"] == nil)
      try door.daemon.event("lock", ["state": "open"])
      try door.daemon.event("lock", ["state": "closed"])
      try say(bench, "contact", "open")
      #expect(try door.daemon.event("forced")["id"] == nil)
    }
  }

  @Test("A door's thread that hangs, as on a disk that answers no more, keeps nobody in")
  func hung() async throws {
    try await withWorkbench { bench in
      let (door, _) = try door(bench, "exit-pulse: 500ms\npulse: 1s")
      try door.stop()
      try door.start(fault: "hang-after-lock", waitsForTime: false)
      let asking = try bench.start(.latchkeyd, ["test-lock", "front", "--config", door.configuration])
      // By then the pipe is listened to for long enough.
      try door.awaitOpening()
      try door.awaitClosing()
      for _ in 0..<2 {
        try say(bench, "exit", "exit")
        try door.awaitOpening()
        try door.awaitClosing()
      }
      #expect(asking.isRunning && door.daemonEvents("exit").isEmpty)
    }
  }

  /// Leaves no room on a disk.
  private func fill(_ disk: SmallFileSystem) throws {
    _ = try run(executable: "/bin/sh", ["-c", "cat /dev/zero > \"$1\"", "sh", disk("ballast")])
  }

  @Test("After a restart a door that stands open isn't forced")
  func restart() async throws {
    try await withWorkbench { bench in
      let (door, _) = try door(bench)
      try say(bench, "contact", "closed")
      try awaitEndOfContact(bench, door)
      try door.stop()
      try door.start(waitsForTime: false)
      #expect(try status(door)["contact"] == "unknown")
      try say(bench, "contact", "open")
      try door.daemon.event("opened")
      try say(bench, "contact", "closed")
      try door.daemon.event("closed")
      #expect(door.daemonEvents("forced").isEmpty && door.daemonEvents("restored").isEmpty)
      try door.stop()
    }
  }

  @Test("Garbage, long lines and writers that go away harm nothing; a pipe that is gone is told, and found again")
  func garbage() async throws {
    try await withWorkbench { bench in
      let (door, _) = try door(bench)
      try say(bench, "contact", "closed")
      try say(bench, "contact", "\\0377\\0001\\033[2J" + String(repeating: "x", count: 5_000))
      let ignored = try door.daemon.event("input", ["state": "ignored"])
      #expect(ignored["detail"]?.string?.hasPrefix("sensor: expected open or closed, found “") == true)
      try say(bench, "contact", "open\\nclosed")
      try door.daemon.event("restored")
      try bench.directory.removeTree("contact")
      let lost = try door.daemon.event("input", ["state": "lost"])
      #expect(lost["detail"]?.string?.hasPrefix("sensor: ") == true)
      #expect(try health(door, exit: 1).contains("door front: its sensor can't be read"))
      #expect(try status(door)["contact"] == "unknown")
      try makePipe(bench, "contact")
      try door.daemon.event("input", ["state": "found"])
      try say(bench, "contact", "open")
      try door.daemon.event("opened")
      try door.stop()
    }
  }

  @Test("A reload keeps what the contact said, and takes another way out")
  func reload() async throws {
    try await withWorkbench { bench in
      let (door, _) = try door(bench, "exit-pulse: 500ms")
      try say(bench, "contact", "closed\\nopen")
      try door.daemon.event("forced")
      try bench.directory.rewrite("site.yaml") { $0.replacing("{ pipe: exit }", with: "{ pipe: button }") }
      door.daemonHangUp()
      try door.daemon.event("reloaded")
      #expect(try status(door)["alarm"] == "forced")
      try door.daemon.event("input", ["state": "lost"])
      try makePipe(bench, "button")
      try door.daemon.event("input", ["state": "found"])
      try say(bench, "button", "exit")
      try door.awaitOpening()
      try bench.directory.rewrite("site.yaml") { text in
        text.split(separator: "\n").filter { !$0.contains("pipe:") && !$0.contains("exit-pulse") }
          .joined(separator: "\n") + "\n"
      }
      door.daemonHangUp()
      try door.daemon.event("reloaded")
      let sightless = try status(door)
      #expect(sightless["alarm"] == nil && sightless["contact"] == nil)
      try door.stop()
    }
  }

  @Test("The lock closes as soon as the door does, where it should")
  func relocks() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try door(bench, "relock-on-close: true\npulse: 60s\nlongest-pulse: 60s")
      try say(bench, "contact", "closed")
      try alice.latchkey("unlock", "front").expecting(exit: 0)
      try door.daemon.event("lock", ["state": "open"])
      try say(bench, "contact", "open\\nclosed")
      try door.daemon.event("lock", ["state": "closed"])
      #expect(try status(door)["mode"] == "closed")
      try door.stop()
    }
  }

  /// Kinds of the records that belong to another, in their order.
  private func recordsFollowing(_ id: Int64, _ door: Door) throws -> [String] {
    let connection = try Connection(path: door.site.bench.directory("site-state.db"), access: .readOnly)
    return try connection.prepare("SELECT kind FROM event WHERE follows = ? ORDER BY id").map(id) {
      (row) throws(DatabaseError) in try row.text(0)
    }
  }
}

extension Door {
  fileprivate func daemonHangUp() { (try? daemon)?.signal(.hangUp) }

  fileprivate func daemonEvents(_ kind: String) -> [JSONValue] { (try? daemon.events(kind)) ?? [] }
}
