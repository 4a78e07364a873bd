/// How a JSON text is laid out.
public enum JSONLayout: Sendable {
  /// One line without spaces, no line break at its end.
  case compact
  /// Two spaces a level, one member a line, a line break at the end: for files that people read.
  case pretty
}

extension JSONValue {
  /// The value as JSON text.
  ///
  /// Total: a real number that JSON can't say (infinity, not a number) is written as null. Control characters,
  /// those from U+007F to U+009F included, are escaped, so that a name from the air can't steer a terminal.
  public func text(_ layout: JSONLayout = .compact) -> String { String(decoding: encoded(layout), as: UTF8.self) }

  /// The value as JSON text in UTF-8 (see `text`).
  public func encoded(_ layout: JSONLayout = .compact) -> [UInt8] {
    var writer = JSONWriter(pretty: layout == .pretty)
    writer.write(self, level: 0)
    if layout == .pretty { writer.bytes.append(UInt8(ascii: "\n")) }
    return writer.bytes
  }
}

private struct JSONWriter {
  let pretty: Bool
  var bytes: [UInt8] = []

  init(pretty: Bool) { self.pretty = pretty }

  mutating func write(_ value: JSONValue, level: Int) {
    switch value {
    case .null: append("null")
    case .bool(let flag): append(flag ? "true" : "false")
    case .integer(let number): append(String(number))
    case .real(let number): append(number.isFinite ? number.description : "null")
    case .string(let text): write(text)
    case .array(let elements):
      list("[", "]", elements, level: level) { writer, element in writer.write(element, level: level + 1) }
    case .object(let object):
      list("{", "}", object.members, level: level) { writer, member in
        writer.write(member.key)
        writer.append(writer.pretty ? ": " : ":")
        writer.write(member.value, level: level + 1)
      }
    }
  }

  private mutating func list<Item>(
    _ open: String, _ close: String, _ items: [Item], level: Int, _ write: (inout JSONWriter, Item) -> Void
  ) {
    append(open)
    for (index, item) in items.enumerated() {
      if index > 0 { append(",") }
      startLine(level + 1)
      write(&self, item)
    }
    if !items.isEmpty { startLine(level) }
    append(close)
  }

  private mutating func startLine(_ level: Int) {
    guard pretty else { return }
    append("\n")
    for _ in 0..<level { append("  ") }
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func write(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var previous: UInt8 = 0
    for byte in text.utf8 {
      // U+0080 to U+009F are C2 80 to C2 9F in UTF-8; no other character has C2 before such a byte.
      if previous == 0xC2, byte < 0xA0 {
        bytes.removeLast()
        escape(byte)
      } else {
        write(byte)
      }
      previous = byte
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func write(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append("\\\"")
    case UInt8(ascii: "\\"): append("\\\\")
    case UInt8(ascii: "\n"): append("\\n")
    case UInt8(ascii: "\r"): append("\\r")
    case UInt8(ascii: "\t"): append("\\t")
    case 0..<0x20, 0x7F: escape(byte)
    default: bytes.append(byte)
    }
  }

  private mutating func escape(_ byte: UInt8) {
    let digits = String(byte, radix: 16)
    append(digits.utf8.count == 1 ? "\\u000\(digits)" : "\\u00\(digits)")
  }
}
