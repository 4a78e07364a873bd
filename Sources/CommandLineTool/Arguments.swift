/// What was given to a subcommand, read and checked.
public struct Arguments: Sendable {
  var options: [String: [any Sendable]] = [:]
  var operands: [String: any Sendable] = [:]

  /// The option's value; nil where it wasn't given.
  public subscript<Value>(option: Option<Value>) -> Value? {
    options[option.declaration.name]?.last as? Value
  }

  /// All values of an option that may be given several times, in order.
  public func all<Value>(_ option: Option<Value>) -> [Value] {
    (options[option.declaration.name] ?? []).compactMap { $0 as? Value }
  }

  /// Whether the flag was given.
  public subscript(flag: Flag) -> Bool { options[flag.declaration.name] != nil }

  /// The operand's value; nil where it wasn't given.
  public subscript<Value>(operand: Operand<Value>) -> Value? { operands[operand.declaration.name] as? Value }

  /// The value of an option that the command can't do without.
  public func required<Value>(_ option: Option<Value>) throws(CommandError) -> Value {
    guard let value = self[option] else { throw .usage("expected \(option.declaration.synopsis)") }
    return value
  }

  /// The value of an operand that the command can't do without.
  public func required<Value>(_ operand: Operand<Value>) throws(CommandError) -> Value {
    guard let value = self[operand] else { throw .usage("expected \(operand.declaration.name)") }
    return value
  }
}
