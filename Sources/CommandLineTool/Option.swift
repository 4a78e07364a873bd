/// What the help, the parser and the complaints need to know of an option, whatever its type.
public struct OptionDeclaration: Sendable {
  /// With its dashes: `--seconds`.
  let name: String
  /// What stands for the value in the help, `N`; nil for a flag.
  let placeholder: String?
  let help: String
  let isRequired: Bool
  let repeats: Bool
  let isBuilt: Bool
  let read: @Sendable (String) throws(CommandError) -> any Sendable

  /// As in a usage line: `--seconds N`.
  var synopsis: String { placeholder.map { "\(name) \($0)" } ?? name }
}

/// An option of a subcommand or of the whole program.
public protocol DeclaredOption: Sendable {
  var declaration: OptionDeclaration { get }
}

/// An option with a value: `--seconds 5` or `--seconds=5`.
public struct Option<Value: Sendable>: DeclaredOption {
  public let declaration: OptionDeclaration

  /// - Parameters:
  ///   - name: with its dashes.
  ///   - placeholder: stands for the value in the help, in capitals.
  ///   - required: whether the command can't do without; the parser sees to it.
  ///   - repeats: whether it may be given several times; else the second is an error.
  public init(
    _ name: String, _ placeholder: String, _ reader: ValueReader<Value>, required: Bool = false, repeats: Bool = false,
    _ help: String
  ) {
    declaration = OptionDeclaration(
      name: name, placeholder: placeholder, help: help, isRequired: required, repeats: repeats, isBuilt: true
    ) { (text: String) throws(CommandError) -> any Sendable in try reader.value(of: text, named: name) }
  }
}

/// An option without a value: given or not.
public struct Flag: DeclaredOption {
  public let declaration: OptionDeclaration

  public init(_ name: String, _ help: String) {
    declaration = OptionDeclaration(
      name: name, placeholder: nil, help: help, isRequired: false, repeats: false, isBuilt: true
    ) { _ in true }
  }
}

/// An option of the contract whose rule isn't enforced yet: whoever gives it is refused with exit 2.
public struct UnbuiltOption: DeclaredOption {
  public let declaration: OptionDeclaration

  public init(_ name: String, _ placeholder: String? = nil, _ help: String) {
    declaration = OptionDeclaration(
      name: name, placeholder: placeholder, help: help, isRequired: false, repeats: true, isBuilt: false
    ) { (_: String) throws(CommandError) -> any Sendable in throw .notBuilt(name) }
  }
}

/// What the help and the parser need to know of an operand, whatever its type.
public struct OperandDeclaration: Sendable {
  let name: String
  let help: String
  let isRequired: Bool
  let read: @Sendable (String) throws(CommandError) -> any Sendable
}

/// An operand of a subcommand.
public protocol DeclaredOperand: Sendable {
  var declaration: OperandDeclaration { get }
}

/// An argument that is known by its place: `unlock DOOR`.
public struct Operand<Value: Sendable>: DeclaredOperand {
  public let declaration: OperandDeclaration

  public init(_ name: String, _ reader: ValueReader<Value>, required: Bool = true, _ help: String) {
    declaration = OperandDeclaration(name: name, help: help, isRequired: required) {
      (text: String) throws(CommandError) -> any Sendable in try reader.value(of: text, named: name)
    }
  }
}
