internal import AirProtocol

/// A frame in 22 characters of base64url without padding (RFC 4648 section 5), canonical form only.
enum Base64URLFrame {
  /// 128 bits in characters of six bits each; the last one has four bits to spare.
  static let characters = 22

  /// The frame's characters, in ASCII.
  static func encode(_ frame: Frame) -> [UInt8] {
    let bytes = frame.bytes
    return (0..<characters).map { index in
      // Six bits from bit 6·index on; behind the last byte stand zeros.
      let bit = 6 * index
      let first = UInt16(bytes[bit / 8]) << 8
      let second = bit / 8 + 1 < bytes.count ? UInt16(bytes[bit / 8 + 1]) : 0
      return character(of: UInt8(truncatingIfNeeded: (first | second) >> UInt16(10 - bit % 8) & 63))
    }
  }

  /// The frame of the 22 characters from `start` on; nil where one isn't in the alphabet or a spare bit isn't 0.
  ///
  /// The caller has looked at the length.
  static func decode(_ text: Span<UInt8>, from start: Int) -> Frame? {
    var high: UInt64 = 0
    var low: UInt64 = 0
    for index in 0..<(characters - 1) {
      guard let bits = value(of: text[start + index]) else { return nil }
      high = high << 6 | low >> 58
      low = low << 6 | UInt64(bits)
    }
    guard let last = value(of: text[start + characters - 1]), last & 15 == 0 else { return nil }
    return Frame(high: high << 2 | low >> 62, low: low << 2 | UInt64(last >> 4))
  }

  private static func character(of bits: UInt8) -> UInt8 {
    switch bits {
    case 0..<26: bits + 0x41
    case 26..<52: bits - 26 + 0x61
    case 52..<62: bits - 52 + 0x30
    case 62: 0x2D
    default: 0x5F
    }
  }

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case 0x41...0x5A: character - 0x41
    case 0x61...0x7A: character - 0x61 + 26
    case 0x30...0x39: character - 0x30 + 52
    case 0x2D: 62
    case 0x5F: 63
    default: nil
    }
  }
}
