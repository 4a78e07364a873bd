internal import LatchkeyCrypto

/// The protocol's deterministic authenticated encryption ("Keys", SIV), under the encryptor's current key.
///
/// A tag is an AES block over label, binding and plaintext; the plaintext is masked by an AES block over the tag. What
/// is opened is compared with its tag before it is returned. Tags are compared as one machine word, which takes the
/// same time whatever they hold.
extension AESEncryptor {
  /// Commands and answers: 40 bits of plaintext, a tag of 64 bits.
  ///
  /// - Parameters:
  ///   - label: 1 for commands, 2 for answers.
  ///   - binding: the freshness of a command, the command's tag for an answer.
  func seal(
    _ plain: UInt64, label: UInt64, binding: UInt64, door: DoorNumber
  ) throws(CryptoError) -> (cipher: UInt64, tag: UInt64) {
    let tag = try tag(of: plain, label: label, binding: binding, door: door)
    return (plain ^ (try mask(label: label, tag: tag)), tag)
  }

  /// The 40 bits of plaintext; nil where the tag isn't theirs.
  func open(
    _ cipher: UInt64, tag: UInt64, label: UInt64, binding: UInt64, door: DoorNumber
  ) throws(CryptoError) -> UInt64? {
    let plain = cipher ^ (try mask(label: label, tag: tag))
    return try self.tag(of: plain, label: label, binding: binding, door: door) == tag ? plain : nil
  }

  /// `AES(key, label ‖ binding ‖ u16be(door) ‖ plain)[0..<8]`.
  private func tag(
    of plain: UInt64, label: UInt64, binding: UInt64, door: DoorNumber
  ) throws(CryptoError) -> UInt64 {
    let low = binding << 56 | UInt64(door.rawValue) << 40 | plain
    return try encrypt(Block(high: label << 56 | binding >> 8, low: low)).high
  }

  /// `AES(key, 80 + label ‖ tag ‖ 00×7)[0..<5]`.
  private func mask(label: UInt64, tag: UInt64) throws(CryptoError) -> UInt64 {
    try encrypt(Block(high: (0x80 + label) << 56 | tag >> 8, low: tag << 56)).high >> 24
  }

  /// Beacons: 32 bits of plaintext, a tag of 32 bits, bound to the challenge that stands before them.
  func sealBeacon(_ plain: UInt64, challenge: UInt64) throws(CryptoError) -> (cipher: UInt64, tag: UInt64) {
    let tag = try beaconTag(of: plain, challenge: challenge)
    return (plain ^ (try beaconMask(challenge: challenge, tag: tag)), tag)
  }

  /// The 32 bits of a beacon's plaintext; nil where the tag isn't theirs.
  func openBeacon(_ cipher: UInt64, tag: UInt64, challenge: UInt64) throws(CryptoError) -> UInt64? {
    let plain = cipher ^ (try beaconMask(challenge: challenge, tag: tag))
    return try beaconTag(of: plain, challenge: challenge) == tag ? plain : nil
  }

  /// `AES(key, 03 ‖ challenge ‖ 00×3 ‖ plain)[0..<4]`.
  private func beaconTag(of plain: UInt64, challenge: UInt64) throws(CryptoError) -> UInt64 {
    try encrypt(Block(high: 0x03 << 56 | challenge >> 8, low: challenge << 56 | plain)).high >> 32
  }

  /// `AES(key, 83 ‖ challenge ‖ tag ‖ 00×3)[0..<4]`.
  private func beaconMask(challenge: UInt64, tag: UInt64) throws(CryptoError) -> UInt64 {
    try encrypt(Block(high: 0x83 << 56 | challenge >> 8, low: challenge << 56 | tag << 24)).high >> 32
  }
}

extension Frame {
  /// The frame of a hint (24 bits), a ciphertext (40 bits) and a tag.
  init(hint: UInt32, cipher: UInt64, tag: UInt64) { self.init(high: UInt64(hint) << 40 | cipher, low: tag) }

  /// The ciphertext of a command or an answer: bytes 3 ..< 8.
  var cipher: UInt64 { high & 0xFF_FFFF_FFFF }

  /// The tag of a command or an answer: bytes 8 ..< 16.
  var tag: UInt64 { low }
}
