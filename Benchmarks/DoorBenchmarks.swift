internal import AirProtocol
internal import DoorController
internal import LatchkeyCrypto
internal import Ledger
internal import LockHardware
internal import POSIX

/// A door as `latchkeyd` runs it, but for radio and lock: what a credential costs in memory, and a frame in time.
struct DoorBenchmarks {
  private let credentials: Int
  private let rulebook: Rulebook
  private let pipeline: DoorPipeline
  private let clock = SlotClock(slotSeconds: 60, skewSlots: 2)
  /// The moment at which all of this happens.
  private let now = WallTime.now()
  private let residentBytes: Int
  private let baseline: Baseline

  /// All measurements of this file.
  static func run(credentials: Int) throws -> [Measurement] {
    let door = try LargeDoor(credentials: credentials)
    let benchmarks = try DoorBenchmarks(door)
    defer { benchmarks.pipeline.stopDoors() }
    let rollover = try benchmarks.rollover()
    let foreign = try benchmarks.foreign()
    return rollover + foreign + [try benchmarks.verify(), try benchmarks.trialDecryption(), benchmarks.bytes()]
  }

  /// Loads the door and waits until it has shown two challenges, and the index with the third stands beside the running one.
  private init(_ door: LargeDoor) throws {
    credentials = door.credentials
    let before = Meter.residentBytes
    let configuration = try DoorConfiguration.load(path: door.configurationPath)
    let ready = Monitor(0)
    let now = now
    rulebook = try Rulebook(loading: configuration)
    pipeline = try DoorPipeline(
      standingAt: now, rulebook, statePath: configuration.statePath
    ) { ready.withLock { $0 += 1 } }
    let limit = BootInstant.now() + .seconds(60)
    var built = 0
    while built < 3 {
      let due = pipeline.tick()
      built = ready.wait(until: min(due, limit)) { [built] in $0 > built ? $0 : nil } ?? built
      guard BootInstant.now() < limit else { throw BenchmarkError("no third challenge's index within a minute") }
    }
    residentBytes = Meter.residentBytes - before
    baseline = try Self.oneCandidate(rulebook.table)
  }

  /// The least that a candidate can cost: another AES key and two blocks under it.
  private static func oneCandidate(_ table: KeyTable) throws -> Baseline {
    let encryptor = try AESEncryptor()
    let rounds = 100_000
    var block = Block.zero
    let time = try Meter.median(rounds: 9) {
      for number in 0..<rounds {
        try encryptor.setKey(table.doors[0].frameKeys.block(at: number % max(1, table.count)) ?? .zero)
        block = try encryptor.encrypt(try encryptor.encrypt(block))
      }
    }
    return Baseline(key: "oneCandidateNs", value: time / Double(rounds), unit: "ns")
  }

  /// `bytesPerCredential`: keys and rules, the running index and the next one: six slots and up to three challenges each.
  private func bytes() -> Measurement {
    Measurement(
      key: "bytesPerCredential", value: Double(residentBytes) / Double(max(1, credentials)), unit: "bytes",
      credentials: credentials, target: 200, baseline: Baseline(key: "keyBytes", value: 32, unit: "bytes"))
  }

  private var slot: UInt64 { clock?.slot(at: now.seconds) ?? 0 }

  /// What a door expects so many slots and challenges later: the five slots that are accepted and the next one, the two live
  /// challenges and the next one.
  private func epochs(slots: UInt64 = 0, challenges: UInt64 = 0) -> [Epoch] {
    ((slot + slots - 2)...(slot + slots + 3)).map { .time(slot: $0, doors: 1) }
      + (challenges..<(challenges + 3)).map { .challenges([Challenge(random: $0)]) }
  }

  /// `slotRolloverMs`, `challengeRolloverMs`: the index with another slot, or another challenge, made from the running one.
  private func rollover() throws -> [Measurement] {
    let encryptor = try AESEncryptor()
    var words = [UInt32](repeating: 0, count: rulebook.table.count)
    let bulk = try Meter.median(rounds: 9) {
      var span = words.mutableSpan
      try encryptor.compress(rulebook.table.doors[0].hintSecrets, into: &span)
    }
    var index = try HintIndex.build(rulebook.table, from: nil, epochs: epochs())
    func measure(_ key: String, _ next: (UInt64) -> [Epoch]) throws -> Measurement {
      var shift: UInt64 = 0
      let time = try Meter.median(rounds: 15) {
        shift += 1
        index = try HintIndex.build(rulebook.table, from: index, epochs: next(shift))
      }
      guard index.count == 9 * credentials else { throw BenchmarkError("an index of \(index.count) entries") }
      return Measurement(
        key: key, value: time / 1e6, unit: "ms", credentials: credentials, target: 60,
        baseline: Baseline(key: "bulkAesMs", value: bulk / 1e6, unit: "ms"))
    }
    return [
      try measure("slotRolloverMs") { epochs(slots: $0) },
      try measure("challengeRolloverMs") { epochs(slots: 15, challenges: $0) },
    ]
  }

  /// `foreignAdvertNs`, `foreignAdvertAllocations`: HCI events with a random 128-bit UUID each, as the radio hands them on.
  private func foreign() throws -> [Measurement] {
    let count = 100_000
    let events = try Self.events(count)
    let length = events.count / count
    guard try Meter.allocations({ _ = try frame(key: 0) }) > 0 else {
      throw BenchmarkError("the counter of allocations doesn't count")
    }
    let arrival = BootInstant.now()
    let pass = {
      let span = events.span
      for number in 0..<count {
        pipeline.hear(span.extracting((number * length)..<((number + 1) * length)), arrival: arrival)
      }
    }
    let rounds = 11
    let before = pipeline.snapshot()
    pass()
    let allocations = Meter.allocations(pass)
    let time = Meter.median(rounds: rounds, pass)
    let after = pipeline.snapshot()
    guard after.foreign + after.forged - before.foreign - before.forged == UInt64((rounds + 2) * count) else {
      throw BenchmarkError("some adverts weren't foreign")
    }
    return [
      Measurement(
        key: "foreignAdvertNs", value: time / Double(count), unit: "ns", credentials: credentials, target: 300,
        baseline: baseline),
      Measurement(
        key: "foreignAdvertAllocations", value: Double(allocations) / Double(count), unit: "", credentials: credentials,
        target: 0),
    ]
  }

  /// LE Advertising Report events of 35 bytes, one after the other: flags and a list of one UUID.
  private static func events(_ count: Int) throws -> [UInt8] {
    let random = try SystemRandom.bytes(count * (6 + Frame.size))
    return random.withBytes { random in
      var events: [UInt8] = []
      events.reserveCapacity(count * 35)
      for number in 0..<count {
        let start = number * (6 + Frame.size)
        events += [0x3E, 33, 0x02, 1, 0x03, 1]
        for index in 0..<6 { events.append(random[start + index]) }
        events += [21, 2, 0x01, 0x06, 17, 0x07]
        for index in 6..<(6 + Frame.size) { events.append(random[start + index]) }
        events.append(0xC4)
      }
      return events
    }
  }

  /// `verifyNs`: frames of random credentials in random accepted slots.
  private func verify() throws -> Measurement {
    let index = try HintIndex.build(rulebook.table, from: nil, epochs: epochs())
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
    return Measurement(
      key: "verifyNs", value: try Meter.median(rounds: 9, pass) / Double(frames.count), unit: "ns",
      credentials: credentials, target: 1_000, baseline: baseline)
  }

  /// `trialDecryptionMs`: every key under every accepted slot, without hints, until the right one is found, the last.
  private func trialDecryption() throws -> Measurement {
    guard let frame = try frame(key: credentials - 1) else { throw BenchmarkError("no credentials") }
    let encryptor = try AESEncryptor()
    let tag = frame.low
    var found = 0
    let time = try Meter.median(rounds: 3) {
      for key in 0..<credentials {
        guard let frameKey = rulebook.table.doors[0].frameKeys.block(at: key) else { continue }
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
    return Measurement(key: "trialDecryptionMs", value: time / 1e6, unit: "ms", credentials: credentials)
  }

  private func frame(key: Int) throws -> Frame? {
    let random = try SystemRandom.number(UInt64.self)
    return try rulebook.table.exchange(ofKey: key, freshness: .time(slot: slot - 2 + random % 5))?.seal(
      CommandPlaintext(
        sequence: UInt8(truncatingIfNeeded: random >> 8), command: .unlock(seconds: 0),
        press: UInt8(truncatingIfNeeded: random >> 16), wantsAnswer: false))
  }
}

extension DoorPipeline {
  /// A pipeline without radio and lock, whose wall clock stands still.
  convenience init(
    standingAt now: WallTime, _ rulebook: Rulebook, statePath: String, onIndexReady: @escaping @Sendable () -> Void
  ) throws {
    try self.init(
      rulebook, ledger: Ledger(path: statePath, volatileDirectory: nil), clockSource: .battery,
      environment: DoorPipeline.Environment(
        clocks: Clocks(boot: { .now() }, wall: { now }, synchronisation: { (true, .zero) }), trustsClock: true,
        buildsInBackground: true, onIndexReady: onIndexReady, makeLock: { _, _, _, _ in NoLock() }, emit: { _ in },
        air: { _ in }))
  }
}

/// No lock at all.
private struct NoLock: Lock {
  func open(until: BootInstant?, for cause: LockCause?) {}
  func letOut(until: BootInstant) {}
  func close(for cause: LockCause?, endingExitsBy known: BootInstant?) {}
  var standingOrders: StandingOrders { StandingOrders(opens: false, letsOut: false) }
  func refresh() {}
  func beginStop() {}
  func stop() {}
}
