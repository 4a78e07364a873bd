import JSON
import POSIX
import TestSupport
import Testing

/// What `latchkey` sends over a virtual radio, and what it remembers of that.
@Suite("latchkey on the air")
struct HolderStateTests {
  /// A credential with slots of one second, a radio, and the arguments that name both and the state.
  private struct Kit {
    let bench: Workbench
    let air: any VirtualAir
    private let file: String

    init(_ bench: Workbench) throws {
      self.bench = bench
      air = try bench.air()
      file = try credentialFile(bench, try firstVector(), slotSeconds: 1, doors: listedDoors)
    }

    /// A radio for one process at a time.
    var arguments: [String] {
      get throws {
        [
          "--credential", file, "--radio", try air.holderRadio(), "--state", bench.directory("state"), "--timeout",
          "200ms", "--no-answer", "--json",
        ]
      }
    }

    func run(_ command: String..., exit: Int32 = 0) throws -> Outcome {
      try bench.run(.latchkey, command + arguments).expecting(exit: exit)
    }

    /// Runs a command and answers what it says went on the air.
    func sent(_ command: String...) throws -> JSONValue {
      let outcome = try bench.run(.latchkey, command + arguments).expecting(exit: 0)
      return try broadcast(outcome)
    }

    func broadcast(_ outcome: Outcome) throws -> JSONValue {
      let events = try outcome.jsonLines
      guard events.count == 2, events[0]["event"] == "broadcast", events[1]["event"] == "ended" else {
        throw TestError("expected a broadcast and its end\n\(outcome)")
      }
      return events[0]
    }

    var stateName: String { "state/alice@8ded4b41-24f1-6fb9-f79e-64bba2d7f109.state" }
  }

  @Test(
    "Each command is what it says",
    arguments: [
      (["unlock", "front"], "unlock", 0), (["unlock", "front", "--seconds", "255"], "unlock", 255),
      (["lock", "2"], "lock", 0), (["hold", "front"], "hold", 0), (["hold", "front", "--minutes", "30"], "hold", 30),
      (["release", "front"], "release", 0), (["status", "front"], "status", 0), (["lockdown", "front"], "lockdown", 0),
      (["lockdown", "front", "--end"], "lockdown", 1), (["duress", "front"], "unlock", 0),
    ])
  func commands(arguments: [String], shown: String, argument: Int64) async throws {
    try await withWorkbench { bench in
      let kit = try Kit(bench)
      let outcome = try bench.run(.latchkey, arguments + kit.arguments).expecting(exit: 0)
      let event = try kit.broadcast(outcome)
      #expect(event["command"]?.string == shown)
      #expect(event["argument"]?.integer == argument)
      #expect(event["door"] == "front")
      #expect(outcome.stderr.contains("for 200ms; no answer was asked for\n"))
      let decoded = try bench.run(.latchkey, ["decode", try frame(event)] + kit.arguments.prefix(2) + ["--json"])
      let command = try decoded.jsonLines.first?["frames"]?.array?.first
      #expect(command?["command"]?.string == arguments[0])
      #expect(command?["argument"]?.integer == argument)
      #expect(command?["answerWanted"] == false)
      #expect(command?["sequence"] == event["sequence"])
      #expect(command?["press"] == event["press"])
    }
  }

  @Test("Each carrier carries the frame", arguments: ["uuid128", "name", "uuid16"])
  func carriers(carrier: String) async throws {
    try await withWorkbench { bench in
      let kit = try Kit(bench)
      let event = try kit.sent("unlock", "front", "--carrier", carrier)
      let data = try event["advertisingData"]?.string.expected("data") ?? ""
      let decoded = try bench.run(.latchkey, ["decode", data] + kit.arguments.prefix(2) + ["--json"]).expecting(exit: 0)
      let found = try decoded.jsonLines.first?["frames"]?.array?.first
      #expect(found?["carrier"]?.string == carrier)
      #expect(found?["frame"] == event["frame"])
    }
  }

  @Test("Two processes at once use nothing twice, and no press is lost")
  func twoAtOnce() async throws {
    try await withWorkbench { bench in
      let kit = try Kit(bench)
      let processes = try (0..<6).map { _ in try bench.start(.latchkey, ["unlock", "front"] + kit.arguments) }
      let events = try processes.map { process in
        try process.waitForExit()
        return try process.events("broadcast").first.expected("broadcast\n\(process.report)")
      }
      let places = events.map { "\($0["slot"]?.text() ?? "") \($0["sequence"]?.text() ?? "")" }
      #expect(Set(places).count == 6)
      #expect(Set(events.map { $0["press"] }).count == 6)
      #expect(Set(events.map { $0["frame"] }).count == 6)
    }
  }

  @Test("A state that is damaged or of a later version is refused and left as it is")
  func damagedState() async throws {
    try await withWorkbench { bench in
      let kit = try Kit(bench)
      _ = try kit.sent("unlock", "front")
      let whole = try bench.directory.read(kit.stateName)
      for length in [0, 1, whole.count / 2, whole.count - 1] {
        let cut = Array(whole[..<length])
        try bench.directory.write(kit.stateName, bytes: cut)
        let outcome = try kit.run("unlock", "front", exit: 65)
        #expect(outcome.stdout == "")
        #expect(outcome.stderr.hasPrefix("latchkey: \(bench.directory(kit.stateName)): damaged ("))
        #expect(try bench.directory.read(kit.stateName) == cut)
      }
      // The way back that the message names.
      try bench.directory.rename(kit.stateName, to: "away")
      _ = try kit.sent("unlock", "front")
    }
  }

  @Test("What another process holds too long is busy")
  func heldState() async throws {
    try await withWorkbench { bench in
      let kit = try Kit(bench)
      _ = try kit.sent("unlock", "front")
      let lock = try FileLock.acquire(bench.directory(kit.stateName + ".lock"))
      let outcome = try kit.run("unlock", "front", exit: 75)
      let path = bench.directory(kit.stateName)
      #expect(outcome.stderr == "latchkey: \(path): another process holds it; try later\n")
      withExtendedLifetime(lock) {}
    }
  }

  @Test("A state that can't be written sends nothing")
  func unwritableState() async throws {
    try await withWorkbench { bench in
      let kit = try Kit(bench)
      try bench.directory.write("state", "in the way")
      let outcome = try kit.run("unlock", "front", exit: 73)
      #expect(outcome.stdout == "")
      #expect(outcome.stderr == "latchkey: can't lock \(bench.directory(kit.stateName)).lock: Not a directory\n")
    }
  }

  @Test(
    "A signal takes it off the air first",
    arguments: [TestSignal.terminate, .interrupt, .hangUp],
    // H4 commands LE Set Advertising Enable and LE Set Extended Advertising Enable, on and off (Core Specification,
    // volume 4, part E, sections 7.8.9 and 7.8.56).
    [
      ("legacy", "010A200101", "010A200100"), ("extended", "01392006010100000000", "013920020000"),
    ])
  func signals(signal: TestSignal, commands: (family: String, on: String, off: String)) async throws {
    try await withWorkbench { bench in
      let kit = try Kit(bench)
      let capture = bench.directory("capture")
      let arguments =
        Array(try kit.arguments.dropLast(4)) + [
          "--timeout", "1h", "--json", "--capture", capture, "--radio-commands", commands.family,
        ]
      let process = try bench.start(.latchkey, ["unlock", "front"] + arguments)
      try process.event("broadcast")
      process.signal(signal)
      #expect(try process.waitForExit() == .signalled(signal.rawValue))
      let packets = try bench.directory.read("capture")
      #expect(contains(packets, try hexadecimalBytes(commands.on).expected("hex")))
      #expect(contains(packets, try hexadecimalBytes(commands.off).expected("hex")))
    }
  }

  @Test("A radio that dies meanwhile is told")
  func dyingRadio() async throws {
    try await withWorkbench { bench in
      let kit = try Kit(bench)
      let process = try bench.start(
        .latchkey, ["unlock", "front"] + kit.arguments.dropLast(4) + ["--timeout", "1h", "--json"])
      try process.event("broadcast")
      kit.air.kill()
      #expect(try process.waitForExit() == .exited(5))
      #expect(process.errorText.contains("latchkey: the radio ended the connection"))
    }
  }

  @Test(
    "The state lies where the environment says, else in the home directory",
    arguments: [
      ("XDG_STATE_HOME", "latchkey"), ("HOME", ".local/state/latchkey"),
    ])
  func defaultState(variable: String, folder: String) async throws {
    try await withWorkbench { bench in
      let kit = try Kit(bench)
      let arguments = Array(try kit.arguments.prefix(4)) + ["--timeout", "100ms", "--no-answer"]
      let home = try bench.directory.makeDirectory("home")
      try bench.run(
        .latchkey, ["unlock", "front"] + arguments, environment: ["HOME": "/"].merging([variable: home]) { $1 }
      )
      .expecting(exit: 0)
      #expect(bench.directory.has("home/\(folder)/alice@8ded4b41-24f1-6fb9-f79e-64bba2d7f109.state"))
    }
  }

  private func frame(_ event: JSONValue) throws -> String { try event["frame"]?.string.expected("a frame") ?? "" }

  private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: part) }
  }
}
