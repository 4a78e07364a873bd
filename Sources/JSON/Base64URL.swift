/// The base64url alphabet without padding (RFC 4648 section 5), in its canonical form only.
public enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The text of some bytes: four characters for three bytes, no padding.
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var (buffer, bits) = (UInt32(0), UInt32(0))
    for byte in bytes {
      buffer = (buffer << 8) | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[Int((buffer >> bits) & 0x3F)])
      }
      buffer &= (1 << bits) - 1
    }
    if bits > 0 { text.append(alphabet[Int((buffer << (6 - bits)) & 0x3F)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text.
  ///
  /// Answers nil where it has padding, another character, an impossible length, or unused bits that aren't 0.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let characters = text.utf8
    guard characters.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count * 3 / 4)
    var (buffer, bits) = (UInt32(0), UInt32(0))
    for character in characters {
      guard let value = value(of: character) else { return nil }
      buffer = (buffer << 6) | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
      }
      buffer &= (1 << bits) - 1
    }
    return buffer == 0 ? bytes : nil
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
