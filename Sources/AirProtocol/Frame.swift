/// The one object of the air: 16 bytes, whose meaning only a holder of the right key can tell (protocol.md).
///
/// The bytes are kept as two big-endian words, so that hint, ciphertext and tag are shifts and not copies.
public struct Frame: Hashable, Sendable {
  /// Bytes 0 ..< 8, the first of them the most significant.
  public let high: UInt64
  /// Bytes 8 ..< 16, the first of them the most significant.
  public let low: UInt64

  /// How many bytes a frame has.
  public static let size = 16

  /// The frame of these two big-endian words.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The frame of exactly 16 bytes; nil for any other number of them.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Frame.size else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      if index < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt64(byte) }
    }
    self.init(high: high, low: low)
  }

  /// Its first three bytes, by which a door finds the candidates for its key ("Command frame"); below 2²⁴.
  @inlinable
  public var hint: UInt32 { UInt32(truncatingIfNeeded: high >> 40) }

  /// Its 16 bytes, in the order of the protocol's text (a `uuid128` advertisement reverses them).
  public var bytes: [UInt8] { (0..<Frame.size).map { self[$0] } }

  /// Byte 0 ..< 16; 0 for any other index.
  public subscript(index: Int) -> UInt8 {
    switch index {
    case 0..<8: UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * index))
    case 8..<16: UInt8(truncatingIfNeeded: low >> UInt64(120 - 8 * index))
    default: 0
    }
  }
}

extension Frame: CustomStringConvertible {
  /// The 32 lower-case hex digits of its bytes.
  public var description: String { hexadecimal(high) + hexadecimal(low) }
}

/// The 16 lower-case hex digits of a word.
func hexadecimal(_ word: UInt64) -> String {
  let digits = String(word, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}
