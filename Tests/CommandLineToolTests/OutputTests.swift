import POSIX
import Testing

@testable import CommandLineTool

@Suite struct OutputTests {
  @Test func peopleReadStandardOutput() {
    let run = Run(["say", "--flag"])
    #expect(run.output == "for people\n")
    #expect(run.errors == "a \\u{9}note\n")
  }

  @Test func withJSONPeopleReadStandardError() {
    let run = Run(["say", "--json"])
    #expect(run.output == "{\"for\":\"programs\"}\n")
    #expect(run.errors == "for people\na \\u{9}note\n")
  }

  @Test func aFullDiskIsNoticed() {
    let run = Run(["say"], failingWith: .noSpace)
    #expect(run.errors == "a \\u{9}note\ntool: can't write standard output: No space left on device\n")
    #expect(run.exit == .cantWrite)
  }

  @Test func aClosedPipeIsNot() {
    let run = Run(["say"], failingWith: .brokenPipe)
    #expect(run.errors == "a \\u{9}note\n")
    #expect(run.exit == .done)
  }

  @Test func theCommandsOwnExitCodeStays() {
    #expect(Run(["deny"], failingWith: .noSpace).exit == .denied)
  }
}
