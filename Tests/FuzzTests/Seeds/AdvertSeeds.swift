import TestSupport

/// Advertising data: AD structures, and frames in their carriers.
func advertSeeds() throws -> [Seed] {
  var seeds = [
    Seed("ad-structures", "phone", [2, 1, 0x1A, 2, 0x0A, 0x0C, 0x0A, 0xFF, 0x4C, 0, 0x10, 5, 0x1B, 0x1C, 1, 2, 3]),
    Seed("ad-structures", "ibeacon", [2, 1, 6, 0x1A, 0xFF, 0x4C, 0, 2, 0x15] + [UInt8](repeating: 9, count: 21)),
    Seed(
      "ad-structures", "eddystone",
      [2, 1, 6, 3, 3, 0xAA, 0xFE, 0x0A, 0x16, 0xAA, 0xFE, 0x10, 0, 3] + Array("abcd".utf8)),
    Seed("ad-structures", "padded", [2, 1, 6] + [UInt8](repeating: 0, count: 28)),
    Seed("ad-structures", "overrun", [2, 1, 6, 9, 9] + Array("Kitchen".utf8)),
    Seed("ad-structures", "type-alone", [1, 9, 2, 1, 6]), Seed("ad-structures", "length-alone", [2, 1, 6, 30]),
    Seed("ad-structures", "over-31-bytes", [UInt8](repeating: 7, count: 8 * 12)),
    Seed("carriers", "words-repeat", [0, 0x13, 3, 0xFF, 0xF5] + [UInt8](repeating: 1, count: 16)),
    Seed("carriers", "other-name", [1, 0x1A, 9] + Array("q7ZAAAAAAAAAAAAAAAAAAAAAQ".utf8)),
    Seed("carriers", "name-of-another-marker", [0, 0x19, 9] + Array("XKAAAAAAAAAAAAAAAAAAAAAA".utf8)),
    // Bits of the last character that belong to no byte.
    Seed("carriers", "name-not-canonical", [0, 0x19, 9] + Array("LKAAAAAAAAAAAAAAAAAAAAAB".utf8)),
    Seed("carriers", "five-frames", [0, 0x51, 7] + (0..<80).map { UInt8($0) }),
    Seed("carriers", "list-of-15-bytes", [0, 0x10, 7] + (0..<15).map { UInt8($0) }),
    Seed("carriers", "marker-within", [0, 0x17, 3, 0xFF, 0xF5, 0xFF, 0xF5] + (0..<18).map { UInt8($0) }),
  ]
  for (index, record) in try Vectors.records("cases").prefix(2).enumerated() {
    let carriers = try record.record("carriers")
    for carrier in ["uuid128", "name", "uuid16"] where !carriers.isNull(carrier) {
      let data = try carriers.bytes(carrier)
      seeds.append(Seed("carriers", "vector-\(index)-\(carrier)", [0] + data))
      seeds.append(Seed("ad-structures", "vector-\(index)-\(carrier)", data))
    }
  }
  return seeds
}

/// Frames: those of the vectors are foreign to the test's keys; the others choose key, freshness and what is said.
func frameSeeds() throws -> [Seed] {
  let vectors = try Vectors.records("cases").prefix(3).enumerated().map { index, record in
    Seed("frame", "vector-\(index)", [0] + (try record.bytes("commandFrame")))
  }
  let zeros = [UInt8](repeating: 0, count: 16)
  return vectors + [
    Seed("frame", "right-hint", [1, 2, 4, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]),
    Seed("frame", "right-hint-of-a-challenge", [1, 5, 5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]),
    Seed("frame", "unlock", [2, 0, 2, 1, 1, 5, 1, 9] + zeros),
    Seed("frame", "unknown-command", [2, 3, 5, 255, 9, 0, 0, 0] + zeros),
    Seed("frame", "bit-of-the-tag", [2, 4, 0, 7, 7, 0, 0, 1] + zeros.dropLast() + [1]),
    Seed("frame", "bit-of-the-hint", [2, 1, 1, 0, 6, 1, 1, 2, 0x80] + zeros.dropLast()),
    Seed("frame", "challenge", [0, 0x80] + zeros.dropLast()),
  ]
}
