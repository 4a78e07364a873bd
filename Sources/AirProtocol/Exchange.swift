public import LatchkeyCrypto

/// What one credential and one door share under one freshness: enough to make and to read their frames.
///
/// Holder and door have the same exchange. Its frames are deterministic: the same plaintext is the same frame.
public struct Exchange: Hashable, Sendable {
  public let door: DoorNumber
  public let freshness: Freshness
  /// The first three bytes of command frames: `block[0..<3]`.
  public let commandHint: UInt32
  /// The first three bytes of answer frames: `block[3..<6]`.
  public let answerHint: UInt32
  private let frameKey: Block

  /// The exchange of a credential at a door; about 2 µs.
  public init(
    keys: CredentialKeys, hintRoot: HintRoot, door: DoorNumber, freshness: Freshness
  ) throws(CryptoError) {
    let encryptor = try AESEncryptor(key: try hintRoot.hintKey(for: freshness))
    let block = try encryptor.encrypt(keys.hintSecret) ^ keys.hintSecret
    self.door = door
    self.freshness = freshness
    self.commandHint = UInt32(truncatingIfNeeded: block.high >> 40)
    self.answerHint = UInt32(truncatingIfNeeded: block.high >> 16) & 0xFF_FFFF
    self.frameKey = keys.frameKey
  }

  /// The command frame ("Command frame").
  public func seal(_ command: CommandPlaintext) throws(CryptoError) -> Frame {
    let (cipher, tag) = try AESEncryptor(key: frameKey).seal(
      command.packed, label: 1, binding: freshness.bytes, door: door)
    return Frame(hint: commandHint, cipher: cipher, tag: tag)
  }

  /// What a command frame of this exchange says; nil for any frame that isn't one.
  public func openCommand(_ frame: Frame) throws(CryptoError) -> CommandPlaintext? {
    guard frame.hint == commandHint else { return nil }
    return try AESEncryptor(key: frameKey).open(
      frame.cipher, tag: frame.tag, label: 1, binding: freshness.bytes, door: door
    ).map(CommandPlaintext.init(packed:))
  }

  /// The answer frame to a command frame of this exchange ("Answer frame").
  public func seal(_ answer: Answer, to command: Frame) throws(CryptoError) -> Frame {
    let (cipher, tag) = try AESEncryptor(key: frameKey).seal(answer.packed, label: 2, binding: command.tag, door: door)
    return Frame(hint: answerHint, cipher: cipher, tag: tag)
  }

  /// What an answer to `command` says; nil for any frame that isn't one.
  public func openAnswer(_ frame: Frame, to command: Frame) throws(CryptoError) -> Answer? {
    guard frame.hint == answerHint else { return nil }
    return try AESEncryptor(key: frameKey).open(
      frame.cipher, tag: frame.tag, label: 2, binding: command.tag, door: door
    ).map(Answer.init(packed:))
  }
}

extension BeaconKey {
  /// The beacon's frame ("Beacon frame").
  public func seal(_ beacon: Beacon) throws(CryptoError) -> Frame {
    let challenge = beacon.challenge.bytes
    let (cipher, tag) = try AESEncryptor(key: block).sealBeacon(beacon.packed, challenge: challenge)
    return Frame(high: challenge, low: cipher << 32 | tag)
  }

  /// The beacon that a frame is; nil where its first bit is 0, its tag isn't right, or it is of no door.
  public func open(_ frame: Frame) throws(CryptoError) -> Beacon? {
    guard let challenge = Challenge(bytes: frame.high) else { return nil }
    return try AESEncryptor(key: block).openBeacon(
      frame.low >> 32, tag: frame.low & 0xFFFF_FFFF, challenge: challenge.bytes
    ).flatMap { Beacon(challenge: challenge, packed: $0) }
  }
}
