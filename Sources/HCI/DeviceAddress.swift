/// A Bluetooth device address: 48 bits (Core Specification, Vol 6, Part B, 1.3).
public struct DeviceAddress: Hashable, Sendable {
  /// The address as a number below 2^48; its text begins with the highest byte.
  public let value: UInt64

  /// The low 48 bits of a number.
  public init(value: UInt64) { self.value = value & 0xFFFF_FFFF_FFFF }

  /// Reads `AA:BB:CC:DD:EE:FF`, in either case; nil for anything else.
  public init?(text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6 else { return nil }
    var value: UInt64 = 0
    for part in parts {
      guard part.utf8.count == 2, part.utf8.allSatisfy({ isHexDigit($0) }), let byte = UInt8(part, radix: 16) else {
        return nil
      }
      value = value << 8 | UInt64(byte)
    }
    self.value = value
  }

  /// The six bytes in the order of HCI and of the air: lowest first.
  public var littleEndianBytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

  /// A fresh non-resolvable private address: 46 random bits under two zero bits (Vol 6, Part B, 1.3.2.2).
  ///
  /// The clause wants at least one 1 and one 0 among the random bits; drawing again takes care of it.
  public static func nonResolvable(using generator: inout some RandomNumberGenerator) -> DeviceAddress {
    let mask: UInt64 = 0x3FFF_FFFF_FFFF
    while true {
      let bits = generator.next() & mask
      if bits != 0 && bits != mask { return DeviceAddress(value: bits) }
    }
  }

  /// A fresh non-resolvable private address from the system's random numbers (getrandom(2)).
  public static func nonResolvable() -> DeviceAddress {
    var generator = SystemRandomNumberGenerator()
    return nonResolvable(using: &generator)
  }
}

extension DeviceAddress: CustomStringConvertible {
  /// Upper-case text, for example `0B:1C:2D:3E:4F:50`.
  public var description: String { littleEndianBytes.reversed().map { hexadecimal($0) }.joined(separator: ":") }
}

/// Two upper-case hexadecimal digits.
func hexadecimal(_ byte: UInt8) -> String {
  let digits = String(byte, radix: 16, uppercase: true)
  return digits.count == 2 ? digits : "0" + digits
}

private func isHexDigit(_ character: UInt8) -> Bool {
  switch character {
  case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
  default: false
  }
}
