internal import Glibc
internal import POSIX

/// One of the programs: its name, what it is for, its subcommands.
public struct Program: Sendable {
  let name: String
  let summary: String
  let options: [OptionDeclaration]
  let subcommands: [Subcommand]

  /// - Parameters:
  ///   - options: those that every subcommand takes, before or after its name, beside `--json` and `--help`.
  ///   - subcommands: in the order in which the help lists them.
  public init(_ name: String, _ summary: String, options: [any DeclaredOption] = [], subcommands: [Subcommand]) {
    self.name = name
    self.summary = summary
    self.options = options.map(\.declaration)
    self.subcommands = subcommands
  }

  /// Runs what the process's arguments ask for, and ends the process with the exit code of it.
  public func main() -> Never {
    StandardStream.openMissing()
    // A reader that has seen enough (`… | head -1`) is no reason to leave work half done.
    StandardStream.ignoreBrokenPipes()
    exit(run(CommandLine.arguments.dropFirst(), .standardOutput, .standardError).rawValue)
  }

  /// Runs what the arguments ask for.
  ///
  /// - Parameter arguments: without the program's own name.
  public func run(_ arguments: some Sequence<String>, _ standardOutput: Sink, _ standardError: Sink) -> ExitCode {
    let plain = Output(json: false, standardOutput, standardError)
    do throws(CommandError) {
      switch try ArgumentParser.parse(self, arguments) {
      case .help(let subcommand):
        plain.say(help(subcommand), terminator: "")
        return try plain.finished(.done)
      case .run(let subcommand, let arguments, let json):
        let output = Output(json: json, standardOutput, standardError)
        return try output.finished(try subcommand.run(arguments, output))
      }
    } catch {
      plain.note("\(name): \(error.message)")
      return error.exit
    }
  }
}
