import JSON
import TestSupport
import Testing

@Suite("The helpers of the tests")
struct TestSupportTests {
  @Test("A program's exit code, output and input are kept apart")
  func outcome() throws {
    let outcome = try run(executable: "/bin/sh", ["-c", "cat; echo bad >&2; exit 3"], stdin: "good\n")
    #expect(outcome.exit == 3)
    #expect(outcome.stdout == "good\n")
    #expect(outcome.stderr == "bad\n")
  }

  @Test("Lines of a process that goes on can be awaited")
  func lines() throws {
    try withWorkbench { bench in
      let script = "trap 'echo again' HUP; echo ready; while read line; do echo \"got $line\"; done; echo done"
      let process = try bench.start(executable: "/bin/bash", ["-c", script])
      try process.line("ready") { $0 == "ready" ? true : nil }
      try process.write(Array("one\ntwo\n".utf8))
      #expect(try process.line("two") { $0.hasPrefix("got t") ? $0 : nil } == "got two")
      #expect(throws: TestError.self) {
        try process.line("one", within: .milliseconds(50)) { $0 == "got one" ? true : nil }
      }
      process.signal(.kill)
      #expect(try process.waitForExit() == .signalled(9))
      #expect(throws: TestError.self) { try process.line("done") { $0 == "done" ? true : nil } }
    }
  }

  @Test("Bumble hears what another Bumble sends, and noise that nobody sent")
  func noise() async throws {
    try await withWorkbench { bench in
      let radio = try bench.rootCanal()
      let noisy = try bench.noise(on: radio)
      let script = "\(Repository.root)/Tests/EndToEnd/bumble/air.py"
      let python = try Repository.python
      let scanner = try bench.start(executable: python, [script, "scan", String(noisy.radio.dropFirst(4))])
      try scanner.event("scanning")
      let uuid = "1B825CE0-CBCE-6B1A-692C-5918EE4C2589"
      let sender = try bench.start(
        executable: python, [script, "advertise", String(radio.spec.dropFirst(4)), "--uuid"])
      try sender.write(Array("\(uuid)\n".utf8))
      try scanner.event("report", ["uuid128": [.string(uuid)]])
      try noisy.shout([[0x02, 0x01, 0x06], [0x03, 0x09, 0x4C, 0x4B]])
      try scanner.event("report", ["data": "020106", "uuid128": []])
      try scanner.event("report", ["name": "LK"])
    }
  }

  @Test("A virtual radio dies and returns on its port")
  func rootCanal() throws {
    try withWorkbench { bench in
      let radio = try bench.rootCanal()
      #expect(try radio.devices() == [])
      radio.kill()
      #expect(throws: (any Error).self) { try radio.devices() }
      try radio.restart()
      #expect(try radio.devices() == [])
    }
  }
}
