/// A site's identifier: the 16 bytes of a UUID, in the order of its text ("Words").
public struct SiteID: Hashable, Sendable {
  /// The 16 bytes.
  public let bytes: [UInt8]

  /// The site of exactly 16 bytes; nil for any other number of them.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    self.bytes = Array(bytes)
  }

  /// The site of a UUID's text, `8-4-4-4-12` hex digits of either case (RFC 9562 section 4).
  public init?(text: some StringProtocol) {
    let characters = Array(text.utf8)
    guard characters.count == 36 else { return nil }
    var digits: [UInt8] = []
    for (index, character) in characters.enumerated() {
      if [8, 13, 18, 23].contains(index) {
        guard character == 0x2D else { return nil }
      } else {
        guard let digit = hexadecimalDigit(character) else { return nil }
        digits.append(digit)
      }
    }
    self.bytes = (0..<16).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
  }
}

extension SiteID: CustomStringConvertible {
  /// The UUID's text in lower case.
  public var description: String {
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
    return text
  }
}

/// The value of an ASCII hex digit of either case; nil for another character.
private func hexadecimalDigit(_ character: UInt8) -> UInt8? {
  switch character {
  case 0x30...0x39: character - 0x30
  case 0x41...0x46: character - 0x41 + 10
  case 0x61...0x66: character - 0x61 + 10
  default: nil
  }
}
