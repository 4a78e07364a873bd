internal import AirProtocol
internal import LatchkeyCrypto

/// Report events as a controller gives them in a crowded hall, each with its H4 type byte, one report in each.
///
/// One advert in ten has a 128-bit UUID as a carrier has it, one of five of these the hint of a key that the door
/// knows; the others are what phones, beacons and headphones send.
struct HallAdverts {
  /// All events, one behind the other.
  private(set) var bytes: [UInt8] = []
  /// Where each begins, and where the last one ends.
  private(set) var starts = [0]
  private var forged: [Int] = []
  private var random = Pseudorandom(seed: 1)

  var count: Int { starts.count - 1 }

  init(count: Int) {
    for number in 0..<count {
      if number % 50 == 3 { forged.append(number) }
      bytes += number % 10 == 3 ? uuid() : foreign()
      starts.append(bytes.count)
    }
  }

  /// Gives the forged ones hints that are right in this slot and the two behind it.
  mutating func forge(_ table: KeyTable, slot: UInt64) throws {
    for number in forged {
      let key = Int(random.next() % UInt64(max(1, table.count)))
      guard let hint = try table.exchange(ofKey: key, freshness: .time(slot: slot))?.commandHint else { continue }
      // A UUID has the frame's bytes reversed, and stands before the last byte, the RSSI.
      let end = starts[number + 1] - 1
      for place in 0..<3 { bytes[end - 1 - place] = UInt8(truncatingIfNeeded: hint >> UInt32(16 - 8 * place)) }
    }
  }

  /// The event of a legacy report (Core Specification, Vol 4, Part E, 7.7.65.2).
  static func legacy(_ data: [UInt8], address: [UInt8], type: UInt8 = 3) -> [UInt8] {
    let report = [0x02, 1, type, 1] + address + [UInt8(clamping: data.count)] + data + [0xC4]
    return [0x04, 0x3E, UInt8(clamping: report.count)] + report
  }

  /// The event of an extended report (7.7.65.13).
  private static func extended(_ data: [UInt8], address: [UInt8], type: UInt8) -> [UInt8] {
    let report =
      [0x0D, 1, type, 0, 1] + address + [1, 2, 0, 0x7F, 0xC4, 0, 0, 0, 0, 0, 0, 0, 0, 0] + [UInt8(clamping: data.count)]
      + data
    return [0x04, 0x3E, UInt8(clamping: report.count)] + report
  }

  private mutating func uuid() -> [UInt8] {
    Self.legacy([2, 1, 6, 17, 7] + random.bytes(16), address: random.bytes(6))
  }

  private mutating func foreign() -> [UInt8] {
    let address = random.bytes(6)
    switch random.next() % 16 {
    // Apple: nearby info, AirPods, Find My.
    case 0..<3:
      return Self.legacy(
        [2, 1, 0x1A, 2, 10, 12, 10, 0xFF, 0x4C, 0, 0x10, 5] + random.bytes(5), address: address, type: 0)
    case 3: return Self.legacy([30, 0xFF, 0x4C, 0, 7, 25] + random.bytes(25), address: address)
    case 4: return Self.legacy([30, 0xFF, 0x4C, 0, 0x12, 25] + random.bytes(25), address: address)
    // iBeacon, Eddystone.
    case 5, 6: return Self.legacy([2, 1, 6, 26, 0xFF, 0x4C, 0, 2, 0x15] + random.bytes(21), address: address)
    case 7:
      return Self.legacy([2, 1, 6, 3, 3, 0xAA, 0xFE, 21, 0x16, 0xAA, 0xFE, 0] + random.bytes(17), address: address)
    // Exposure notification, Fast Pair, a Windows computer.
    case 8: return Self.legacy([2, 1, 26, 3, 3, 0x6F, 0xFD, 23, 0x16, 0x6F, 0xFD] + random.bytes(20), address: address)
    case 9:
      return Self.legacy([2, 1, 2, 6, 0x16, 0x2C, 0xFE] + random.bytes(3) + [2, 10, 0xEC], address: address, type: 0)
    case 10: return Self.legacy([30, 0xFF, 6, 0, 1, 9, 0x20, 2] + random.bytes(23), address: address)
    // Names: a headphone's scan response, a watch.
    case 11: return Self.legacy(name("JBL Flip \(random.next() % 100)"), address: address, type: 4)
    case 12:
      return Self.legacy(
        [2, 1, 6, 3, 3, 0x0D, 0x18] + name("Watch-\(random.next() % 10_000)"), address: address, type: 0)
    // Extended advertising, and legacy adverts in extended reports.
    case 13:
      return Self.extended([2, 1, 6, 26, 0xFF, 0x4C, 0, 2, 0x15] + random.bytes(21), address: address, type: 0x10)
    case 14:
      return Self.extended(
        name("Sensor-\(random.next() % 1_000)") + [61, 0xFF, 0x59, 0] + random.bytes(58), address: address, type: 0)
    default: return Self.extended([91, 0x16, 0xD2, 0xFC] + random.bytes(88), address: address, type: 0)
    }
  }

  private func name(_ text: String) -> [UInt8] { [UInt8(text.utf8.count + 1), 9] + text.utf8 }
}

/// Repeatable random numbers (SplitMix64).
struct Pseudorandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
