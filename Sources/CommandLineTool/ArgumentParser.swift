internal import Wording

/// What a command line asks for.
enum Invocation {
  case help(Subcommand?)
  case run(Subcommand, Arguments, json: Bool)
}

/// Reads a command line: the subcommand's words, options anywhere, `--` before operands that begin with a dash.
struct ArgumentParser {
  private let program: Program
  private var rest: ArraySlice<String>
  private var words: [String] = []
  private var subcommand: Subcommand?
  private var operandTexts: [String] = []
  private var optionTexts: [(declaration: OptionDeclaration, text: String)] = []
  private var wantsHelp = false
  private var json = false

  /// - Parameter arguments: without the program's own name.
  static func parse(_ program: Program, _ arguments: some Sequence<String>) throws(CommandError) -> Invocation {
    var parser = ArgumentParser(program: program, rest: Array(arguments)[...])
    try parser.takeAll()
    if parser.wantsHelp { return .help(parser.subcommand) }
    guard let subcommand = parser.subcommand else { throw .usage(parser.missingSubcommand) }
    return .run(subcommand, try parser.read(subcommand), json: parser.json)
  }

  private init(program: Program, rest: ArraySlice<String>) {
    self.program = program
    self.rest = rest
  }

  private mutating func takeAll() throws(CommandError) {
    var onlyOperands = false
    while let argument = rest.popFirst() {
      if !onlyOperands, argument == "--" {
        onlyOperands = true
      } else if !onlyOperands, argument.hasPrefix("-"), argument != "-" {
        try takeOption(argument)
      } else if subcommand == nil {
        try takeWord(argument)
      } else {
        operandTexts.append(argument)
      }
    }
  }

  /// Takes a word of the subcommand's name; refuses one that no name goes on with.
  private mutating func takeWord(_ word: String) throws(CommandError) {
    words.append(word)
    let typed = words.joined(separator: " ")
    subcommand = program.subcommands.first { $0.name == typed }
    if subcommand != nil || program.subcommands.contains(where: { $0.name.hasPrefix(typed + " ") }) { return }
    let near = nearestWord(to: typed, among: program.subcommands.map(\.name))
    throw .usage("unknown command “\(typed)”\(near.map { "; did you mean “\($0)”?" } ?? "")\(hint)")
  }

  private var missingSubcommand: String {
    if words.isEmpty { return "expected a command\(hint)" }
    let typed = words.joined(separator: " ")
    let next = program.subcommands.map(\.name).filter { $0.hasPrefix(typed + " ") }
    let endings = next.map { String($0.dropFirst(typed.count + 1)) }.joined(separator: ", ")
    return "“\(typed)” goes on with \(endings)\(hint)"
  }

  private var hint: String { "; see \(program.name) --help" }

  private mutating func takeOption(_ argument: String) throws(CommandError) {
    switch argument {
    case "--help", "-h": wantsHelp = true
    case "--json": json = true
    // What isn't built is said to be so, whatever follows it.
    case _ where subcommand?.isBuilt == false: break
    default: try takeDeclaredOption(argument)
    }
  }

  private mutating func takeDeclaredOption(_ argument: String) throws(CommandError) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts.first ?? "")
    let known = (subcommand?.options ?? []) + program.options
    guard let declaration = known.first(where: { $0.name == name }) else { throw unknownOption(name, known) }
    guard declaration.isBuilt else { throw .notBuilt(name) }
    guard let placeholder = declaration.placeholder else {
      guard parts.count == 1 else { throw .usage("\(name) takes no value") }
      optionTexts.append((declaration, ""))
      return
    }
    if parts.count == 2 {
      optionTexts.append((declaration, String(parts[1])))
      return
    }
    // A forgotten value would otherwise swallow the next option.
    guard let value = rest.first, !value.hasPrefix("--") else {
      throw .usage("\(name): expected a value (\(name) \(placeholder))")
    }
    optionTexts.append((declaration, value))
    rest = rest.dropFirst()
  }

  private func unknownOption(_ name: String, _ known: [OptionDeclaration]) -> CommandError {
    let place = subcommand.map { " of \($0.name)" } ?? " before the command"
    let near = nearestWord(to: name, among: known.map(\.name) + ["--help", "--json"])
    return .usage("unknown option \(name)\(place)\(near.map { "; did you mean \($0)?" } ?? "")")
  }

  /// Reads every text as its option's or operand's type.
  private func read(_ subcommand: Subcommand) throws(CommandError) -> Arguments {
    var arguments = Arguments()
    guard subcommand.isBuilt else { return arguments }
    for (declaration, text) in optionTexts {
      if arguments.options[declaration.name] != nil, !declaration.repeats {
        throw .usage("\(declaration.name) is given twice")
      }
      arguments.options[declaration.name, default: []].append(try declaration.read(text))
    }
    if operandTexts.count > subcommand.operands.count {
      throw .usage("unexpected argument “\(operandTexts[subcommand.operands.count])” of \(subcommand.name)")
    }
    for (operand, text) in zip(subcommand.operands, operandTexts) {
      arguments.operands[operand.name] = try operand.read(text)
    }
    for operand in subcommand.operands where operand.isRequired && arguments.operands[operand.name] == nil {
      throw .usage("\(subcommand.name): expected \(operand.name)")
    }
    for option in subcommand.options where option.isRequired && arguments.options[option.name] == nil {
      throw .usage("\(subcommand.name): expected \(option.synopsis)")
    }
    return arguments
  }
}
