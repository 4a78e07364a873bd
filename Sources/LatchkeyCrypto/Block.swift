/// The 16 bytes that AES works on, as a value: a key, a message or a ciphertext.
///
/// As it may be a key, no description shows what it holds.
public struct Block: Hashable, Sendable {
  /// Bytes 0 ..< 8, the first of them the most significant.
  public let high: UInt64
  /// Bytes 8 ..< 16, the first of them the most significant.
  public let low: UInt64

  /// How many bytes a block has.
  public static let size = 16
  /// Sixteen bytes of 0.
  public static let zero = Block(high: 0, low: 0)

  /// The block of these two big-endian words.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The block of exactly 16 bytes; nil for any other number of them.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Block.size else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      if index < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt64(byte) }
    }
    self.init(high: high, low: low)
  }

  /// Its 16 bytes.
  ///
  /// A secret's copy in an array is not wiped.
  public var bytes: [UInt8] {
    [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) } }
  }

  @inlinable
  public static func ^ (left: Block, right: Block) -> Block {
    Block(high: left.high ^ right.high, low: left.low ^ right.low)
  }
}

extension Block: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "Block" }
  public var debugDescription: String { "Block" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
