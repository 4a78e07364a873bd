internal import Wording

/// A field of a configuration, for whoever knows what should be in it: every complaint names file, line and field.
public struct ConfigurationReader: Sendable {
  private let file: String
  private let path: [String]
  private let node: YAMLNode

  /// The whole text.
  public init(_ root: YAMLNode, file: String) { self.init(file: file, path: [], node: root) }

  private init(file: String, path: [String], node: YAMLNode) {
    self.file = file
    self.path = path
    self.node = node
  }

  /// Keys from the top with points between.
  public var field: String { joined(path) }

  /// Whether nothing stands there (an empty value, `~`, `null`).
  public var isNull: Bool { if case .null = node.content { true } else { false } }

  /// Whether a list stands there.
  public var isList: Bool { if case .sequence = node.content { true } else { false } }

  /// The complaint about this field; `problem` follows the field's name.
  public func complaint(_ problem: String) -> ConfigurationError {
    ConfigurationError(file: file, line: node.line, field: field, problem: problem)
  }

  private func found(_ expected: String) -> ConfigurationError {
    complaint("expected \(expected), found \(node.kind)")
  }

  /// The field as a mapping of keys that are all known.
  ///
  /// - Parameter keys: every key that may stand here, those that aren't built yet too: they are the reader's to refuse.
  /// - Throws: for any other key, with the nearest known one.
  public func mapping(_ keys: [String]) throws(ConfigurationError) -> ConfigurationMapping {
    let fields = try entries()
    for (key, value) in fields where !keys.contains(key) {
      let near = nearestWord(to: key, among: keys).map { "did you mean “\($0)”?" }
      throw value.complaint("unknown key; \(near ?? "expected \(keys.joined(separator: ", "))")")
    }
    return ConfigurationMapping(owner: self, fields: fields)
  }

  /// The field as a mapping whose keys are names of its own; in the order of the text.
  public func entries() throws(ConfigurationError) -> [(key: String, value: ConfigurationReader)] {
    guard case .mapping(let entries) = node.content else { throw found("a mapping") }
    return entries.map { entry in
      // A complaint about a value that stands on the next lines is best read at its key.
      let node = YAMLNode(content: entry.value.content, line: entry.line)
      return (entry.key, ConfigurationReader(file: file, path: path + [entry.key], node: node))
    }
  }

  /// The field as a list.
  public func elements() throws(ConfigurationError) -> [ConfigurationReader] {
    guard case .sequence(let nodes) = node.content else { throw found("a list") }
    return nodes.enumerated().map { index, node in
      ConfigurationReader(file: file, path: path + ["[\(index)]"], node: node)
    }
  }

  /// The field as a value that `read` makes of its text.
  ///
  /// - Parameters:
  ///   - expected: follows "expected" in the complaint: `an id ([a-z0-9]…)`.
  ///   - words: the words that there are, so that a mistyped one is told the nearest.
  public func value<Value>(
    _ expected: String, words: [String] = [], as read: (String) -> Value?
  ) throws(ConfigurationError) -> Value {
    guard case .scalar(let text) = node.content else { throw found(expected) }
    if let value = read(text) { return value }
    let near = nearestWord(to: text, among: words).map { "; did you mean “\($0)”?" } ?? ""
    throw complaint("expected \(expected), found \(node.kind)\(near)")
  }

  /// The field as text, not empty unless it is quoted.
  public func text() throws(ConfigurationError) -> String { try value("text") { $0 } }

  /// The field as a whole decimal number in a range.
  public func integer<Value: FixedWidthInteger>(in range: ClosedRange<Value>) throws(ConfigurationError) -> Value {
    try value("a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
      guard !text.hasPrefix("+"), let value = Value(text), range.contains(value) else { return nil }
      return value
    }
  }

  /// The field as `true` or `false`; YAML's other words for them (`yes`, `on`) are refused.
  public func boolean() throws(ConfigurationError) -> Bool {
    try value("true or false") { ["true": true, "false": false][$0] }
  }

  /// The field as a duration in a range: `250ms`, `5s`, `30m`, `8h`.
  public func duration(in range: ClosedRange<Duration>) throws(ConfigurationError) -> Duration {
    try value("a duration from \(range.lowerBound.text) to \(range.upperBound.text)") { text in
      guard let value = Duration(text: text), range.contains(value) else { return nil }
      return value
    }
  }

  /// The same, or the word `none`, which is nil.
  public func durationOrNone(in range: ClosedRange<Duration>) throws(ConfigurationError) -> Duration? {
    try value("a duration from \(range.lowerBound.text) to \(range.upperBound.text), or none") { text -> Duration?? in
      if text == "none" { return .some(nil) }
      guard let value = Duration(text: text), range.contains(value) else { return nil }
      return value
    }
  }

  /// The field as one of the words that an enumeration has.
  public func word<Value: CaseIterable & RawRepresentable<String>>(
    _ type: Value.Type = Value.self
  ) throws(ConfigurationError) -> Value {
    let words = Value.allCases.map(\.rawValue)
    return try value("one of \(words.joined(separator: ", "))", words: words) { Value(rawValue: $0) }
  }
}

/// The fields of a mapping whose keys are all known.
public struct ConfigurationMapping: Sendable {
  /// The mapping itself, for complaints about it as a whole.
  public let owner: ConfigurationReader
  let fields: [(key: String, value: ConfigurationReader)]

  /// The field; nil where the key isn't there.
  ///
  /// A key without a value is a field that complains when it is read.
  public subscript(key: String) -> ConfigurationReader? { fields.first { $0.key == key }?.value }

  /// The field that must be there.
  public func required(_ key: String) throws(ConfigurationError) -> ConfigurationReader {
    guard let field = self[key] else { throw owner.complaint("expected the key “\(key)”") }
    return field
  }

  /// The only field, where exactly one of several kinds must be chosen: `lock: { dry-run: {} }`.
  public func only() throws(ConfigurationError) -> (key: String, value: ConfigurationReader) {
    guard let field = fields.first, fields.count == 1 else {
      throw owner.complaint("expected one key, found \(fields.count)")
    }
    return field
  }
}
