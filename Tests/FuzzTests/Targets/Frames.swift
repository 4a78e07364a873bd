import AirProtocol
import LatchkeyCrypto

/// Frames against a table of known keys: what a holder has sealed is verified as it was said, and nothing else is.
///
/// The first byte chooses between any 16 bytes, a right hint before any 13, and a sealed frame with some bits changed.
func checkFrame(_ input: [UInt8]) throws {
  var source = ByteSource(input)
  let door = try TestDoors.shared.get()
  switch source.byte() % 3 {
  case 0:
    let frame = Frame(high: source.word(), low: source.word())
    try require(Frame(bytes: frame.bytes) == frame, "a frame reads as it was written")
    try door.checkGenuine(frame)
    try door.checkBeacon(frame)
    try door.checkAnswer(frame, to: Frame(high: source.word(), low: source.word()))
  case 1:
    let exchange = door.exchange(source.byte(), source.byte())
    let hint = UInt64(exchange.commandHint) << 40
    try door.checkGenuine(Frame(high: hint | source.word() & 0xFF_FFFF_FFFF, low: source.word()))
  default:
    try door.checkSealed(&source)
  }
}

/// Two doors with three credentials each, in a slot with those around it, and with a challenge each.
private struct TestDoors: Sendable {
  static let shared = Result { try TestDoors() }

  private let index: HintIndex
  private let beaconKey = BeaconKey(Block(high: 5, low: 6))
  /// Those of all keys, by key and epoch.
  private let exchanges: [[Exchange]]

  private init() throws {
    let table = try KeyTable([Self.door(1, beaconKey), Self.door(0x1234, beaconKey)])
    let epochs =
      (100...104).map { Epoch.time(slot: $0, doors: 2) }
      + [Epoch.challenges([Challenge(random: 7), Challenge(random: 8)])]
    index = try HintIndex.build(table, from: nil, epochs: epochs)
    var exchanges: [[Exchange]] = []
    for key in 0..<table.count {
      let door = table.doorIndex(ofKey: key) ?? 0
      exchanges.append(
        try epochs.compactMap { epoch in
          try epoch.freshness[door].flatMap { try table.exchange(ofKey: key, freshness: $0) }
        })
    }
    self.exchanges = exchanges
  }

  private static func door(_ number: UInt16, _ beaconKey: BeaconKey) throws -> DoorKeys {
    guard let door = DoorNumber(rawValue: number), let root = HintRoot(keyBytes(32, number)) else {
      throw BrokenProperty(description: "a door")
    }
    return try DoorKeys(
      number: door, hintRoot: root, beaconKey: beaconKey, frameKeys: keyBytes(48, number &+ 1),
      hintSecrets: keyBytes(48, number &+ 2))
  }

  func exchange(_ key: UInt8, _ epoch: UInt8) -> Exchange {
    let epochs = exchanges[Int(key) % exchanges.count]
    return epochs[Int(epoch) % epochs.count]
  }

  private func verdict(_ frame: Frame) throws -> Verdict {
    var verifier = try FrameVerifier()
    return try verifier.verify(frame, index: index)
  }

  /// What is verified is what its exchange makes of the plaintext: nothing else carries that tag.
  func checkGenuine(_ frame: Frame) throws {
    guard case .verified(let command) = try verdict(frame) else { return }
    let exchange = try index.table.exchange(ofKey: command.key, freshness: command.freshness)
    try require(exchange?.seal(command.plaintext) == frame, "a verified frame is its holder's")
  }

  func checkBeacon(_ frame: Frame) throws {
    guard let beacon = try beaconKey.open(frame) else { return }
    try require(beaconKey.seal(beacon) == frame, "a beacon is written as it was read")
  }

  func checkAnswer(_ frame: Frame, to command: Frame) throws {
    let exchange = exchange(UInt8(truncatingIfNeeded: frame.low), 0)
    let hinted = Frame(high: UInt64(exchange.answerHint) << 40 | frame.high & 0xFF_FFFF_FFFF, low: frame.low)
    guard let answer = try exchange.openAnswer(hinted, to: command) else { return }
    try require(exchange.seal(answer, to: command) == hinted, "an answer is written as it was read")
  }

  func checkSealed(_ source: inout ByteSource) throws {
    let exchange = exchange(source.byte(), source.byte())
    let plaintext = CommandPlaintext(
      sequence: source.byte(), code: source.byte(), argument: source.byte(), flags: source.byte(), press: source.byte())
    let frame = try exchange.seal(plaintext)
    guard case .verified(let command) = try verdict(frame) else {
      throw BrokenProperty(description: "what a holder has sealed is verified")
    }
    try require(command.plaintext == plaintext && command.freshness == exchange.freshness, "it says what was said")
    if let known = plaintext.command {
      let again = Command(code: known.code, argument: known.argument)
      try require(
        again == known && (known.code, known.argument) == (plaintext.code, plaintext.argument),
        "a command is written as it was read")
    }
    let forged = Frame(high: frame.high ^ source.word(), low: frame.low ^ source.word())
    if forged != frame, case .verified = try verdict(forged) {
      throw BrokenProperty(description: "a changed frame isn't verified")
    }
  }
}

/// Keys that are the same in every run.
private func keyBytes(_ count: Int, _ seed: UInt16) -> SecretBytes {
  var state = UInt64(seed) &+ 1
  return SecretBytes(
    copying: (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    })
}
