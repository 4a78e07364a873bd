// Normalisation is the standard library's own and under test; Foundation, which has the public form, stays out.
@_spi(_Unicode) internal import Swift

/// The name by which people know a site, door or holder: free text in any language, fit to print on one line.
///
/// It is in Unicode's form NFC, so that two names that look the same are the same bytes. Control, line separator and
/// direction characters are refused, as are names that start or end with a space, or show nothing at all.
public struct DisplayName: Hashable, Sendable {
  /// The longest, in bytes of UTF-8.
  public static let longest = 200

  /// 1 to 200 bytes of UTF-8 in NFC.
  public let text: String

  /// Takes a text after normalising it.
  ///
  /// - Throws: what is wrong with it, with the first character that is refused.
  public init(_ text: String) throws(DisplayNameError) {
    // Below U+0300 everything is in NFC already.
    let isPlain = text.unicodeScalars.allSatisfy { $0.value < 0x300 }
    self.text = isPlain ? text : String(String.UnicodeScalarView(text._nfc))
    try check(self.text)
  }
}

extension DisplayName: CustomStringConvertible {
  /// The name itself.
  public var description: String { text }
}

/// Why a text is no display name.
public enum DisplayNameError: Error, Hashable, Sendable {
  case empty
  /// So many bytes where at most 200 are allowed.
  case tooLong(bytes: Int)
  /// A control, direction or other format character, a line separator or a noncharacter.
  case character(Unicode.Scalar)
  case spaceAtAnEnd
}

extension DisplayNameError: CustomStringConvertible {
  /// What was expected, for example "expected a name without the character U+202E".
  public var description: String {
    switch self {
    case .empty: "expected a name with at least one character to see"
    case .tooLong(let bytes): "expected a name of at most \(DisplayName.longest) bytes, found \(bytes)"
    case .character(let scalar):
      "expected a name without control or direction characters, found U+\(hexadecimal(scalar.value))"
    case .spaceAtAnEnd: "expected a name without spaces at its ends"
    }
  }
}

private func check(_ text: String) throws(DisplayNameError) {
  var isVisible = false
  for scalar in text.unicodeScalars {
    if isRefused(scalar) { throw .character(scalar) }
    // Looked up once in most names: the look-ups cost more than all else here.
    if !isVisible { isVisible = shows(scalar) }
  }
  guard isVisible else { throw .empty }
  guard text.utf8.count <= DisplayName.longest else { throw .tooLong(bytes: text.utf8.count) }
  if text.unicodeScalars.first.map(isSpace) == true { throw .spaceAtAnEnd }
  if text.unicodeScalars.last.map(isSpace) == true { throw .spaceAtAnEnd }
}

/// Whether a character that isn't refused is a space.
private func isSpace(_ scalar: Unicode.Scalar) -> Bool {
  scalar.isASCII ? scalar == " " : scalar.properties.isWhitespace
}

/// Whether there is something to see of a character that isn't refused.
private func shows(_ scalar: Unicode.Scalar) -> Bool {
  if scalar.isASCII { return scalar != " " }
  return !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
}

/// Whether a character has no place in a name.
private func isRefused(_ scalar: Unicode.Scalar) -> Bool {
  if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
  // Joiners shape Persian and Indic words and emoji.
  if scalar.value == 0x200C || scalar.value == 0x200D { return false }
  let properties = scalar.properties
  return switch properties.generalCategory {
  case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
  default: properties.isNoncharacterCodePoint || properties.isBidiControl
  }
}

/// At least four hexadecimal digits, as code points are written.
private func hexadecimal(_ value: UInt32) -> String {
  let digits = String(value, radix: 16, uppercase: true)
  return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}
