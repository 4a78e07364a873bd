public import POSIX
internal import Wording

/// How the text of an option or operand becomes a value, and what is said where it doesn't.
public struct ValueReader<Value: Sendable>: Sendable {
  /// What was expected, to follow "expected": `a whole number from 1 to 255`.
  let expected: String
  /// The value of a text; nil where it isn't one.
  public let read: @Sendable (String) -> Value?
  /// The words that there are, so that a mistyped one can be told the nearest.
  let words: [String]

  public init(expected: String, words: [String] = [], _ read: @escaping @Sendable (String) -> Value?) {
    self.expected = expected
    self.words = words
    self.read = read
  }

  /// The same for a list with commas, `a,b,c`: at least one, none empty.
  public var list: ValueReader<[Value]> {
    ValueReader<[Value]>(expected: "\(expected), or several with commas and no spaces") { [read] text in
      var values: [Value] = []
      for part in text.split(separator: ",", omittingEmptySubsequences: false) {
        guard !part.isEmpty, let value = read(String(part)) else { return nil }
        values.append(value)
      }
      return values
    }
  }

  func value(of text: String, named name: String) throws(CommandError) -> Value {
    if let value = read(text) { return value }
    let near = nearestWord(to: text, among: words).map { "; did you mean “\($0)”?" } ?? ""
    throw .usage("\(name): expected \(expected), not “\(text)”\(near)")
  }
}

extension ValueReader where Value == String {
  /// Any text, an empty one too.
  public static var text: ValueReader { ValueReader(expected: "text") { $0 } }

  /// The path of a file or directory: not empty, no NUL.
  public static var path: ValueReader {
    ValueReader(expected: "a path") { $0.isEmpty || $0.utf8.contains(0) ? nil : $0 }
  }
}

extension ValueReader where Value: FixedWidthInteger {
  /// A whole decimal number in a range.
  public static func integer(in range: ClosedRange<Value>) -> ValueReader {
    ValueReader(expected: "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
      guard !text.hasPrefix("+"), let value = Value(text), range.contains(value) else { return nil }
      return value
    }
  }

  /// A number of a fixed number of hexadecimal digits, for example `F5FF`.
  public static func hexadecimal(digits: Int) -> ValueReader {
    ValueReader(expected: "\(digits) hexadecimal digits") { text in
      guard text.utf8.count == digits, !text.hasPrefix("+"), !text.hasPrefix("-") else { return nil }
      return Value(text, radix: 16)
    }
  }
}

extension ValueReader where Value == Duration {
  /// A duration `250ms`, `5s`, `30m`, `8h` in a range.
  public static func duration(in range: ClosedRange<Duration>) -> ValueReader {
    ValueReader(expected: "a duration from \(range.lowerBound.text) to \(range.upperBound.text)") { text in
      guard let value = Duration(text: text), range.contains(value) else { return nil }
      return value
    }
  }
}

extension ValueReader where Value == Duration {
  /// Seconds as a decimal number, with up to three digits behind the point: `3`, `0.5`.
  public static func seconds(in range: ClosedRange<Duration>) -> ValueReader {
    ValueReader(expected: "seconds from \(decimal(range.lowerBound)) to \(decimal(range.upperBound))") { text in
      let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      let fraction = parts.count == 2 ? parts[1] : "0"
      let digits = { (part: Substring) in part.utf8.allSatisfy { (0x30...0x39).contains($0) } }
      guard digits(parts[0]), digits(fraction), parts[0].utf8.count <= 9, (1...3).contains(fraction.utf8.count),
        let whole = Int64(parts[0]), let part = Int64(fraction + String(repeating: "0", count: 3 - fraction.utf8.count))
      else { return nil }
      let value = Duration.milliseconds(whole * 1_000 + part)
      return range.contains(value) ? value : nil
    }
  }

  private static func decimal(_ duration: Duration) -> String {
    let milliseconds = duration.wholeMilliseconds
    if milliseconds % 1_000 == 0 { return "\(milliseconds / 1_000)" }
    let digits = String(milliseconds % 1_000)
    return "\(milliseconds / 1_000)." + String(repeating: "0", count: 3 - digits.count) + digits
  }
}

extension ValueReader where Value == WallTime {
  /// A moment: RFC 3339 with a zone, or `now`.
  public static var time: ValueReader {
    ValueReader(expected: "a time like 2026-11-30T08:00:00+01:00, or now") { text in
      text == "now" ? .now() : WallTime(rfc3339: text)
    }
  }
}

extension ValueReader where Value == [UInt8] {
  /// Bytes as hexadecimal digits, so many of them.
  public static func bytes(_ count: ClosedRange<Int>) -> ValueReader {
    let (least, most) = (count.lowerBound, count.upperBound)
    return ValueReader(expected: "\(least == most ? "" : "\(least) to ")\(most) bytes as hexadecimal digits") { text in
      guard let bytes = Hexadecimal.bytes(text), count.contains(bytes.count) else { return nil }
      return bytes
    }
  }
}

extension ValueReader where Value: CaseIterable & RawRepresentable<String> {
  /// One of the words that an enumeration has.
  public static var word: ValueReader {
    let words = Value.allCases.map(\.rawValue)
    return ValueReader(expected: "one of \(words.joined(separator: ", "))", words: words) { Value(rawValue: $0) }
  }
}
