import JSON
import POSIX
import Synchronization
import Wording

@testable import CommandLineTool

enum Carrier: String, CaseIterable {
  case uuid128
  case name
}

/// A program with a bit of everything, run on some arguments.
struct Run {
  let exit: ExitCode
  let output: String
  let errors: String

  init(_ arguments: [String], failingWith failure: Errno? = nil) {
    let output = Buffer(failure)
    let errors = Buffer(nil)
    exit = Run.tool.run(arguments, output.sink, errors.sink)
    self.output = output.text
    self.errors = errors.text
  }

  private static let door = Operand("DOOR", .text, "a door")
  private static let seconds = Option("--seconds", "N", .integer(in: 1...255), "how long")
  private static let end = Flag("--end", "the end")
  private static let timeout = Option("--timeout", "D", .duration(in: .milliseconds(1)...(.seconds(3_600))), "when")
  private static let credential = Option("--credential", "FILE", .path, repeats: true, "a credential")
  private static let carrier = Option<Carrier>("--carrier", "WORD", .word, required: true, "a carrier")

  private static let tool = Program(
    "tool", "A tool.", options: [credential],
    subcommands: [
      Subcommand(
        "unlock", "unlocks", operands: [door],
        options: [seconds, end, timeout, UnbuiltOption("--schedule", "ID", "a schedule")], run: unlock),
      Subcommand("door add", "adds", operands: [door]) { arguments, output in
        output.say("added \(arguments[door] ?? "")")
        return .done
      },
      Subcommand("door list", "lists", options: [carrier]) { _, _ in .done },
      Subcommand("say", "says", options: [Flag("--flag", "a flag")]) { _, output in
        output.say("for people")
        output.note("a \tnote")
        output.emit(["for": "programs"])
        return .done
      },
      Subcommand("deny", "denies") { _, output in
        output.say("denied")
        return .denied
      },
      .notBuilt("scan", "doors nearby"),
    ])

  private static func unlock(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
    let seconds = arguments[seconds].map { "\($0)" } ?? "-"
    let timeout = arguments[timeout]?.text ?? "-"
    let door = try arguments.required(door)
    output.say("\(door) \(seconds) \(arguments[end]) \(arguments.all(credential)) \(timeout)")
    return .done
  }
}

private final class Buffer: Sendable {
  private let bytes = Mutex<[UInt8]>([])
  private let failure: Errno?

  init(_ failure: Errno?) { self.failure = failure }

  var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

  var sink: Sink {
    Sink { [self] (new: [UInt8]) throws(Errno) in
      if let failure { throw failure }
      bytes.withLock { $0 += new }
    }
  }
}
