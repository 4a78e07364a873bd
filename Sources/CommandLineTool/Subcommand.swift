/// One thing that a program does: its name, what it takes, and what it runs.
public struct Subcommand: Sendable {
  /// One word, or two for what is done to a kind of thing: `unlock`, `door add`.
  public let name: String
  let summary: String
  let operands: [OperandDeclaration]
  let options: [OptionDeclaration]
  let isBuilt: Bool
  let run: @Sendable (Arguments, Output) throws(CommandError) -> ExitCode

  /// - Parameters:
  ///   - summary: one line for the list of commands.
  ///   - run: does it; what it returns is what the process exits with.
  public init(
    _ name: String, _ summary: String, operands: [any DeclaredOperand] = [], options: [any DeclaredOption] = [],
    run: @escaping @Sendable (Arguments, Output) throws(CommandError) -> ExitCode
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands.map(\.declaration)
    self.options = options.map(\.declaration)
    self.isBuilt = true
    self.run = run
  }

  /// A subcommand of the contract that this version doesn't do: whatever follows it, exit 2.
  public static func notBuilt(_ name: String, _ summary: String) -> Subcommand {
    Subcommand(unbuilt: name, summary)
  }

  private init(unbuilt name: String, _ summary: String) {
    self.name = name
    self.summary = summary
    operands = []
    options = []
    isBuilt = false
    run = { (_: Arguments, _: Output) throws(CommandError) -> ExitCode in throw .notBuilt(name) }
  }
}
