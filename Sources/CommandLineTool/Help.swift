extension Program {
  /// What `--help` prints: of the whole program, or of one subcommand.
  func help(_ subcommand: Subcommand?) -> String {
    guard let subcommand else { return programHelp }
    let operands = subcommand.operands.map { $0.isRequired ? $0.name : "[\($0.name)]" }
    let options = subcommand.options.map { $0.isRequired ? $0.synopsis : "[\($0.synopsis)]" }
    let usage = ([name, subcommand.name] + operands + options).joined(separator: " ")
    var text = "usage: \(usage)\n\n\(subcommand.summary)\(subcommand.isBuilt ? "" : " (not built yet)")\n"
    text += table("Operands", subcommand.operands.map { ($0.name, $0.help) })
    text += table("Options", (subcommand.options + commonOptions).map { ($0.synopsis, $0.completeHelp) })
    return text
  }

  private var programHelp: String {
    var text = "usage: \(name) COMMAND …\n\n\(summary)\n"
    text += table("Commands", subcommands.map { ($0.name, $0.summary + ($0.isBuilt ? "" : " (not built yet)")) })
    text += table("Options of every command", commonOptions.map { ($0.synopsis, $0.completeHelp) })
    return text + "\nMore of one command: \(name) COMMAND --help\n"
  }

  private var commonOptions: [OptionDeclaration] {
    let json = Flag("--json", "one JSON object a line on standard output; text for people goes to standard error")
    return options + [json.declaration, Flag("--help", "this text").declaration]
  }

  private func table(_ title: String, _ rows: [(left: String, right: String)]) -> String {
    if rows.isEmpty { return "" }
    let width = min(28, rows.map(\.left.count).max() ?? 0)
    let lines = rows.map { left, right in
      // A long name has its explanation on the next line.
      let gap = left.count > width ? "\n" + spaces(width + 4) : spaces(width - left.count + 2)
      return "  \(left)\(gap)\(right)\n"
    }
    return "\n\(title):\n" + lines.joined()
  }

  private func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}

extension OptionDeclaration {
  fileprivate var completeHelp: String {
    help + (repeats && isBuilt ? " (may be given several times)" : "") + (isBuilt ? "" : " (not built yet)")
  }
}
