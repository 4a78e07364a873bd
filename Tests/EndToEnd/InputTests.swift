import JSON
import TestSupport
import Testing

/// Every bad input: one line that names file, line or field and what was expected, and the exit code of the contract.
@Suite("Bad input")
struct InputTests {
  @Test(
    "A configuration that can't be used",
    arguments: [
      ("radio: tcp:127.0.0.1:1", "radio: carrier-pigeon", "radio"),
      ("radio: tcp:127.0.0.1:1", "radio: serial:/dev/ttyUSB0,12345", "115200"),
      ("radio: tcp:127.0.0.1:1", "radio: hci:0\ntake-over: perhaps", "take-over"),
      ("pulse: 1s", "pulse: 1 fortnight", "pulse"),
      ("pulse: 1s", "pulsse: 1s", "pulse"),
      ("clock: battery", "clock: sundial", "clock"),
      ("clock: battery", "clock: battery\nbeacon-radio: lantern", "beacon-radio"),
      ("pulse: 1s", "pulse: 1s\n    freshness: daily", "freshness"),
      ("state: site-state.db", "state: [a, b]", "state"),
      ("clock: battery", "clock: battery\nmetrics: [a, b]", "metrics"),
      ("clock: battery", "clock: battery\ncontrol: /\(String(repeating: "x", count: 107))", "control"),
      ("unlock:", "unlok:", "unlock"), ("command:", "gpio:", "gpio"),
      ("lock:\n", "lock:\n      serial: { port: /dev/ttyS1 }\n", "expected one key"),
      ("pulse: 1s", "pulse: 1s\n    sensor: { gpio: { line: 4 } }", "sensor.gpio: expected the key “chip”"),
      ("pulse: 1s", "pulse: 1s\n    relock-on-close: true", "relock-on-close: expected the key “sensor”"),
      (
        "pulse: 1s", "pulse: 1s\n    siren: { gpio: { chip: gpiochip0, line: 1 } }",
        "siren: expected the key “sensor”"
      ),
      ("doors:", "dors:", "doors"),
      ("bundle: site-front.bundle", "bundle: elsewhere.bundle", "elsewhere.bundle"),
    ])
  func configuration(what: String, instead: String, named: String) async throws {
    try await withWorkbench { bench in
      let door = try doorWithoutDaemon(bench)
      let text = try bench.directory.text("site.yaml").replacing(door.site.air.doorRadio, with: "tcp:127.0.0.1:1")
      try bench.directory.write("site.yaml", text.replacing(what, with: instead))
      let outcome = try bench.run(.latchkeyd, ["run", "--config", door.configuration]).expecting(exit: 65)
      try expectOneLine(outcome, naming: named)
      #expect(outcome.stderr.contains(named == "elsewhere.bundle" ? named : "site.yaml:"))
      #expect(!bench.directory.has("site-state.db"), "nothing is half-written")
    }
  }

  @Test("A configuration that others can change is refused with the chmod to run: it names programs")
  func configurationOfOthers() async throws {
    try await withWorkbench { bench in
      let door = try doorWithoutDaemon(bench)
      try run(executable: "/bin/chmod", ["666", door.configuration]).expecting(exit: 0)
      let outcome = try bench.run(.latchkeyd, ["run", "--config", door.configuration]).expecting(exit: 77)
      try expectOneLine(outcome, naming: "chmod go-w")
    }
  }

  @Test("A capture that is a pipe is refused, not waited for")
  func captureIsAPipe() async throws {
    try await withWorkbench { bench in
      let door = try doorWithoutDaemon(bench)
      let pipe = bench.directory("pipe")
      try run(executable: "/usr/bin/mkfifo", [pipe]).expecting(exit: 0)
      let outcome = try bench.run(.latchkeyd, ["replay", "--config", door.configuration, pipe]).expecting(exit: 65)
      try expectOneLine(outcome, naming: "pipe")
    }
  }

  @Test("A file with secrets that others can read is refused with the chmod to run")
  func readableByOthers() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice")
      try bench.directory.write("open.json", bytes: try bench.directory.read("site-alice.json"), mode: 0o644)
      let outcome = try bench.run(
        .latchkey,
        [
          "payload", "front", "--credential", bench.directory("open.json"), "--command", "unlock", "--at", "now",
          "--sequence", "0", "--press", "00",
        ]
      ).expecting(exit: 77)
      #expect(outcome.stderr.contains("chmod 600"))
      _ = alice
    }
  }

  @Test("A credential file names its bad member", arguments: ["format", "secret", "slotSeconds", "target"])
  func credentialFile(member: String) async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      _ = try site.issue("alice")
      let text = try bench.directory.text("site-alice.json").replacing("\"\(member)\"", with: "\"X\"")
      try bench.directory.write("bad.json", text)
      let outcome = try bench.run(
        .latchkey,
        [
          "payload", "front", "--credential", bench.directory("bad.json"), "--command", "unlock", "--at", "now",
          "--sequence", "0", "--press", "00",
        ]
      ).expecting(exit: 65)
      try expectOneLine(outcome, naming: member)
    }
  }

  @Test("A second daemon on the same state says so and leaves")
  func busyState() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      let second = try bench.run(.latchkeyd, ["run", "--config", door.configuration]).expecting(exit: 75)
      try expectOneLine(second, naming: "site-state.db")
      try opensFor(alice, door)
    }
  }

  @Test("A bundle that is damaged at any byte, or cut, is refused")
  func damagedBundle() async throws {
    try await withWorkbench { bench in
      let door = try doorWithoutDaemon(bench)
      let whole = try bench.directory.read("site-front.bundle")
      func check() throws -> Outcome {
        try bench.run(
          .latchkeyd,
          [
            "check", "--bundle", bench.directory("site-front.bundle"), "--site-key", try door.site.publicKey(),
            "--credential", "alice", "--door", "front", "--command", "unlock", "--at", "now",
          ])
      }
      try check().expecting(exit: 0)
      for place in stride(from: 0, to: whole.count, by: max(1, whole.count / 24)) {
        var damaged = whole
        damaged[place] ^= 0x40
        try bench.directory.write("site-front.bundle", bytes: damaged)
        try expectOneLine(try check().expecting(exit: 65), naming: "site-front.bundle")
        try bench.directory.write("site-front.bundle", bytes: Array(whole[..<place]))
        try expectOneLine(try check().expecting(exit: 65), naming: "site-front.bundle")
      }
    }
  }

  @Test(
    "Wrong usage",
    arguments: [
      ["unlock", "nowhere"], ["unlock"], ["unlock", "front", "--carrier", "pigeon"], ["unlok", "front"],
      ["unlock", "front", "--freshness", "daily"], ["scan", "--seconds", "0"],
      ["payload", "nearest", "--command", "unlock", "--at", "now", "--sequence", "0", "--press", "00"],
    ])
  func usage(arguments: [String]) async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice")
      let outcome = try bench.run(
        .latchkey, arguments, environment: ["LATCHKEY_CREDENTIAL": alice.file, "HOME": bench.directory.path]
      ).expecting(exit: 2)
      try expectOneLine(outcome, naming: "latchkey")
    }
  }

  @Test("What later versions bring is refused, not ignored")
  func notBuilt() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      for arguments in [
        ["group", "list"], ["schedule", "list"], ["rotate", "alice", "--out", "x"], ["import", "x.csv"],
        ["backup", "x"], ["qr", "x"],
      ] {
        let outcome = try bench.run(.keys, ["--site", bench.directory(site.name)] + arguments).expecting(exit: 2)
        #expect(outcome.stderr.contains("not built yet"), "\(outcome)")
      }
    }
  }

  private func doorWithoutDaemon(_ bench: Workbench) throws -> Door {
    let site = try Site(bench)
    try site.addDoors("front")
    _ = try site.issue("alice")
    return try Door(site)
  }

  private func expectOneLine(_ outcome: Outcome, naming text: String) throws {
    #expect(outcome.stderr.split(separator: "\n").count == 1, "\(outcome)")
    #expect(outcome.stderr.contains(text), "\(outcome)")
    #expect(outcome.stdout.isEmpty, "\(outcome)")
  }
}
