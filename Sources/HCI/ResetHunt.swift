/// Looks for the beginning of the packets in bytes that may start anywhere: the Command Complete of Reset
/// (Core Specification, Vol 4, Part A, 4), which answers what every radio is sent first.
struct ResetHunt: Sendable {
  /// H4 type, event code, length, credits (any), opcode of Reset, lowest byte first.
  private static let sought: [UInt8?] = [0x04, 0x0E, 0x04, nil, 0x03, 0x0C]

  /// Bytes that may be the beginning of what is looked for.
  private var held: [UInt8] = []
  /// Bytes passed over since the last `takeSkipped`.
  private var skipped: UInt64 = 0
  /// Whether it was found: from then on bytes go their own way.
  private(set) var isOver = false

  /// Takes bytes.
  ///
  /// - Returns: what is to be read as packets: from the reply to Reset on; empty as long as that hasn't come.
  mutating func push(_ bytes: Span<UInt8>) -> [UInt8] {
    var all = held
    all.append(contentsOf: bytes)
    let last = all.count - Self.sought.count
    for start in 0..<max(0, last + 1) where Self.begins(all, at: start) {
      skipped &+= UInt64(start)
      held = []
      isOver = true
      return Array(all[start...])
    }
    held = Array(all.suffix(Self.sought.count - 1))
    skipped &+= UInt64(all.count - held.count)
    return []
  }

  /// How many bytes were passed over since the last call.
  mutating func takeSkipped() -> UInt64 {
    defer { skipped = 0 }
    return skipped
  }

  private static func begins(_ bytes: [UInt8], at start: Int) -> Bool {
    for (offset, wanted) in sought.enumerated() where wanted != nil && wanted != bytes[start + offset] { return false }
    return true
  }
}
