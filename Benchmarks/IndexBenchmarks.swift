internal import AirProtocol
internal import LatchkeyCrypto

/// A door's index at a number of credentials: rolling over to the next slot, foreign, forged and valid frames.
struct IndexBenchmarks {
  private let credentials: Int
  private let table: KeyTable
  private let slot: UInt64 = 360_000_000
  private let clock = SlotClock()

  /// A door with so many credentials of random keys.
  init(credentials: Int) throws {
    self.credentials = credentials
    guard let door = DoorNumber(rawValue: 1), let hintRoot = HintRoot(try SystemRandom.bytes(HintRoot.size)) else {
      throw BenchmarkError("no door")
    }
    table = try KeyTable([
      DoorKeys(
        number: door, hintRoot: hintRoot, beaconKey: BeaconKey(.zero),
        frameKeys: try SystemRandom.bytes(credentials * Block.size),
        hintSecrets: try SystemRandom.bytes(credentials * Block.size))
    ])
  }

  /// All measurements of this file.
  static func run(credentials: Int) throws -> [Measurement] {
    let before = Meter.residentBytes
    let benchmarks = try IndexBenchmarks(credentials: credentials)
    let index = try HintIndex.build(benchmarks.table, from: nil, epochs: benchmarks.epochs(from: 0))
    let resident = Meter.residentBytes - before
    let bytes = benchmarks.measurement(
      "indexBytesPerCredential", Double(resident) / Double(max(1, credentials)), "bytes")
    return [bytes] + (try benchmarks.rollover(index)) + (try benchmarks.foreign(index))
      + (try benchmarks.verified(index)) + (try benchmarks.trialDecryption())
  }

  /// The five slots that are accepted so many slots later.
  private func epochs(from shift: UInt64) -> [Epoch] {
    ((slot + shift - 2)...(slot + shift + 2)).map { .time(slot: $0, doors: 1) }
  }

  private func measurement(_ key: String, _ value: Double, _ unit: String) -> Measurement {
    Measurement(key: key, value: value, unit: unit, credentials: credentials)
  }

  /// The next slot's index, made from the running one.
  private func rollover(_ index: HintIndex) throws -> [Measurement] {
    var shift: UInt64 = 0
    var next = index
    let first = try Meter.median(rounds: 1) { next = try HintIndex.build(table, from: nil, epochs: epochs(from: 0)) }
    let time = try Meter.median(rounds: 15) {
      shift += 1
      next = try HintIndex.build(table, from: next, epochs: epochs(from: shift))
    }
    let both = Meter.residentBytes
    withExtendedLifetime(next) {}
    return [
      measurement("firstIndexMs", first / 1e6, "ms"),
      measurement("slotRolloverMs", time / 1e6, "ms"),
      measurement("residentTwoIndexesBytes", Double(both), "bytes"),
    ]
  }

  /// Random frames, of which about a quarter meet a candidate by chance.
  private func foreign(_ index: HintIndex) throws -> [Measurement] {
    guard try Meter.allocations({ _ = try frame(key: 0) }) > 0 else {
      throw BenchmarkError("the counter of allocations doesn't count")
    }
    let frames = try randomFrames(100_000)
    var verifier = try FrameVerifier()
    var tried = 0
    let pass = {
      for frame in frames where try verifier.verify(frame, index: index) != .foreign { tried += 1 }
    }
    try pass()
    tried = 0
    let allocations = try Meter.allocations(pass)
    let share = Double(tried) / Double(frames.count)
    let time = try Meter.median(rounds: 9, pass)
    return [
      measurement("foreignFrameNs", time / Double(frames.count), "ns"),
      measurement("foreignFrameAllocations", Double(allocations) / Double(frames.count), "count"),
      measurement("foreignFrameCandidates", share, "share"),
    ]
  }

  /// Frames of random credentials in random accepted slots.
  private func verified(_ index: HintIndex) throws -> [Measurement] {
    let frames = try (0..<20_000).compactMap { _ in
      try frame(key: Int(try SystemRandom.number(UInt32.self)) % credentials)
    }
    var verifier = try FrameVerifier()
    var verified = 0
    let pass = {
      for frame in frames { if case .verified = try verifier.verify(frame, index: index) { verified += 1 } }
    }
    try pass()
    guard verified == frames.count else { throw BenchmarkError("\(verified) of \(frames.count) verified") }
    let allocations = try Meter.allocations(pass)
    let time = try Meter.median(rounds: 9, pass)
    return [
      measurement("verifyNs", time / Double(frames.count), "ns"),
      measurement("verifyAllocations", Double(allocations) / Double(frames.count), "count"),
    ]
  }

  /// The baseline: every key under every accepted slot, without hints, until the right one is found, the last.
  private func trialDecryption() throws -> [Measurement] {
    guard let frame = try frame(key: credentials - 1) else { return [] }
    let encryptor = try AESEncryptor()
    let tag = frame.low
    var found = 0
    let time = try Meter.median(rounds: 3) {
      for key in 0..<credentials {
        guard let frameKey = table.doors[0].frameKeys.block(at: key) else { continue }
        try encryptor.setKey(frameKey)
        let mask = try encryptor.encrypt(Block(high: 0x81 << 56 | tag >> 8, low: tag << 56)).high >> 24
        let plain = (frame.high & 0xFF_FFFF_FFFF) ^ mask
        for slot in (slot - 2)...(slot + 2) {
          let block = Block(high: 0x01 << 56 | slot >> 8, low: slot << 56 | 1 << 40 | plain)
          if try encryptor.encrypt(block).high == tag { found += 1 }
        }
      }
    }
    guard found == 3 else { throw BenchmarkError("trial decryption found \(found) instead of 3") }
    return [measurement("trialDecryptionMs", time / 1e6, "ms")]
  }

  private func frame(key: Int) throws -> Frame? {
    let random = try SystemRandom.number(UInt64.self)
    let freshness = Freshness.time(slot: slot - 2 + random % 5)
    return try table.exchange(ofKey: key, freshness: freshness)?.seal(
      CommandPlaintext(
        sequence: UInt8(truncatingIfNeeded: random >> 8), command: .unlock(seconds: 0),
        press: UInt8(truncatingIfNeeded: random >> 16), wantsAnswer: false))
  }

  private func randomFrames(_ count: Int) throws -> [Frame] {
    let bytes = try SystemRandom.bytes(count * Frame.size)
    return (0..<count).compactMap { bytes.block(at: $0).map { Frame(high: $0.high, low: $0.low) } }
  }
}

/// A benchmark measured something else than it meant to.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
