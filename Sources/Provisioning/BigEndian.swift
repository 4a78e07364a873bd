extension Span<UInt8> {
  /// The big-endian integer at an offset; 0 where the bytes aren't all there, which callers rule out before.
  func integer<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type = Number.self) -> Number {
    let size = Number.bitWidth / 8
    guard offset >= 0, offset <= count - size else { return 0 }
    var value: UInt64 = 0
    for index in offset..<(offset + size) { value = value << 8 | UInt64(self[index]) }
    return Number(truncatingIfNeeded: value)
  }
}

extension [UInt8] {
  /// Appends an integer of up to eight bytes, the most significant byte first.
  mutating func append(bigEndian number: some FixedWidthInteger) {
    for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}
