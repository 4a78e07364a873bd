internal import Wording

/// A piece of a YAML text with the place where it stands.
///
/// Only what a configuration needs: scalars are text, whatever they look like; no anchors, aliases or tags.
public struct YAMLNode: Sendable {
  /// What a node holds.
  public enum Content: Sendable {
    /// An empty value, `~` or `null`, without quotes.
    case null
    case scalar(String)
    case sequence([YAMLNode])
    /// In the order of the text; a key stands once.
    case mapping([Entry])
  }

  /// A key and its value.
  public struct Entry: Sendable {
    public let key: String
    /// Line of the key, from 1.
    public let line: Int
    public let value: YAMLNode
  }

  public let content: Content
  /// Where it begins, from 1.
  public let line: Int

  /// What it is, in words for a complaint.
  var kind: String {
    switch content {
    case .null: "nothing"
    case .scalar(let text): "“\(text.count > 60 ? text.prefix(60) + "…" : text)”"
    case .sequence: "a list"
    case .mapping: "a mapping"
    }
  }
}

/// Why a configuration is refused: the file, the line, the field, and what was expected there.
public struct ConfigurationError: Error, Hashable, Sendable {
  /// The file as it was named.
  public let file: String
  /// From 1.
  public let line: Int
  /// Keys from the top with points between, `doors.front.pulse`; empty where the text isn't YAML at all.
  public let field: String
  public let problem: String

  public init(file: String, line: Int, field: String, problem: String) {
    self.file = file
    self.line = line
    self.field = field
    self.problem = problem
  }
}

extension ConfigurationError: CustomStringConvertible {
  /// `latchkeyd.yaml:12: doors.front.pulse: expected a duration from 1s to 1h, found “5”`.
  ///
  /// Always one line without control characters, whatever the file holds.
  public var description: String { "\(file):\(line): \(field.isEmpty ? "" : "\(field): ")\(problem)".printable }
}
