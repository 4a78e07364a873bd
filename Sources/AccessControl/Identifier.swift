/// The name by which machines know a door, group or credential: `[a-z0-9][a-z0-9._-]{0,63}` (docs/cli.md).
///
/// Compared and sorted as bytes: it holds ASCII only, where that and the standard library's order are the same.
public struct Identifier: Hashable, Comparable, Sendable {
  /// The longest, in bytes.
  public static let longest = 64
  /// What is expected, for complaints: "expected …".
  public static let expectation = "an id of 1 to 64 characters a-z 0-9 . _ - that starts with a letter or digit"

  /// 1 to 64 bytes of ASCII.
  public let text: String

  /// Takes exactly this text; nil where it isn't an id.
  public init?(_ text: String) {
    guard isIdentifier(text.utf8) else { return nil }
    self.text = text
  }

  /// Takes exactly these bytes; nil where they aren't an id.
  public init?(utf8 bytes: Span<UInt8>) {
    guard (1...Self.longest).contains(bytes.count) else { return nil }
    var text = ""
    text.reserveCapacity(bytes.count)
    for index in bytes.indices {
      guard isAllowed(bytes[index], first: index == 0) else { return nil }
      text.unicodeScalars.append(Unicode.Scalar(bytes[index]))
    }
    self.text = text
  }

  public static func < (left: Identifier, right: Identifier) -> Bool { left.text < right.text }
}

extension Identifier: CustomStringConvertible {
  /// The id itself.
  public var description: String { text }
}

private func isIdentifier(_ bytes: String.UTF8View) -> Bool {
  guard let first = bytes.first, isAllowed(first, first: true), bytes.count <= Identifier.longest else { return false }
  return bytes.allSatisfy { isAllowed($0, first: false) }
}

private func isAllowed(_ byte: UInt8, first: Bool) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
  case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): !first
  default: false
  }
}
