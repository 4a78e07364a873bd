// A Latchkey holder's core for iOS: keys, frames, beacons and answers of the air protocol, version 1, and what an app
// hands to CBPeripheralManager. Pure: no Bluetooth, no clock, no storage. docs/phones.md says what an app does with it.
// iOS 14 or later. Where there is no CryptoKit (the tests on Linux), Tests/CryptoShim.swift stands in for it.

#if canImport(CryptoKit)
  import CommonCrypto
  import CryptoKit
#endif

/// What can't be made or used; the text says why.
public struct LatchkeyError: Error, Equatable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// What a holder wants of a door.
public enum LatchkeyCommand: UInt8, Sendable {
  case unlock = 1
  case lock = 2
  case hold = 3
  case release = 4
  case status = 5
  case lockdown = 6
  case duress = 7

  /// Whether the command takes this argument: unlock, seconds; hold, minutes; lockdown, 0 or 1; the others, 0 only.
  public func takes(_ argument: UInt8) -> Bool {
    switch self {
    case .unlock, .hold: true
    case .lockdown: argument <= 1
    case .lock, .release, .status, .duress: argument == 0
    }
  }
}

/// What binds a frame to a moment: a slot, or a door's challenge.
///
/// It is never sent with the frame.
public struct LatchkeyFreshness: Hashable, Sendable {
  public let bytes: [UInt8]

  /// A slot of time: floor(unixSeconds / slotSeconds); moments before 1970 are in slot 0.
  public static func slot(unixSeconds: Int64, slotSeconds: Int64) throws -> LatchkeyFreshness {
    guard (1...60).contains(slotSeconds) else { throw LatchkeyError("slotSeconds is 1…60, not \(slotSeconds)") }
    return LatchkeyFreshness(bytes: bigEndian(UInt64(max(0, unixSeconds) / slotSeconds)))
  }

  /// The challenge of a beacon.
  ///
  /// One whose first bit is 0 would be a slot of a forger's choice.
  public static func challenge(_ challenge: [UInt8]) throws -> LatchkeyFreshness {
    guard challenge.count == 8, challenge[0] >= 0x80 else {
      throw LatchkeyError("a challenge is 8 bytes, and its first bit is 1")
    }
    return LatchkeyFreshness(bytes: challenge)
  }
}

/// What a door broadcasts of itself.
public struct LatchkeyBeacon: Equatable, Sendable {
  public let challenge: [UInt8]
  public let target: UInt16
  /// 0 unknown, 1 locked, 2 unlocked, 3 held open, 4 locked down.
  public let doorState: UInt8
  /// Whether the door trusts its clock and takes frames by time; only then `slotsAhead` means anything.
  public let takesTime: Bool
  /// Whether the door's sensor says that it stands open.
  public let isOpen: Bool
  let slotLow: UInt8

  /// By how many slots the door's clock is ahead of one that is in `slot`: -128…127.
  public func slotsAhead(of slot: LatchkeyFreshness) -> Int {
    Int(Int8(bitPattern: slotLow &- slot.bytes[7]))
  }
}

/// What a door answers to one command frame.
public struct LatchkeyAnswer: Equatable, Sendable {
  /// 1 is done; docs/protocol.md has the others.
  ///
  /// A value that isn't there is shown as a number.
  public let result: UInt8
  /// As a beacon's: the low four bits are the door's state.
  public let state: UInt8
  /// Seconds until the door locks again; 65535: no end; 0: nothing to say.
  public let detail: UInt16
}

/// What all holders of a site know.
public struct LatchkeySite: Sendable {
  let id: [UInt8]
  let key: [UInt8]
  let beaconKey: [UInt8]

  /// A site of a credential file: the 16 bytes of its id in the order of the UUID's text, and its key.
  public init(id: [UInt8], key: [UInt8]) throws {
    guard id.count == 16, key.count == 32 else { throw LatchkeyError("a site has an id of 16 and a key of 32 bytes") }
    self.id = id
    self.key = key
    beaconKey = Array(hmac(key, label("beacon")).prefix(16))
  }

  /// The beacon in a frame, or nil where these bytes are no beacon of this site.
  public func openBeacon(_ frame: [UInt8]) throws -> LatchkeyBeacon? {
    guard frame.count == 16, frame[0] >= 0x80 else { return nil }
    let challenge = Array(frame[..<8])
    let tag = Array(frame[12...])
    let mask = try aes(beaconKey, [0x83] + challenge + tag + zeros(3))
    let plain = xor(frame[8..<12], mask)
    let expected = try aes(beaconKey, [0x03] + challenge + zeros(3) + plain)
    guard isEqual(tag, expected.prefix(4)) else { return nil }
    let target = UInt16(plain[0]) << 8 | UInt16(plain[1])
    guard target != 0 else { return nil }
    return LatchkeyBeacon(
      challenge: challenge, target: target, doorState: plain[2] & 0x0F, takesTime: plain[2] & 0x40 != 0,
      isOpen: plain[2] & 0x80 != 0, slotLow: plain[3])
  }
}

/// One holder's keys for one door.
public struct LatchkeyDoorKeys: Sendable {
  public let target: UInt16
  let frameKey: [UInt8]
  let hintSecret: [UInt8]
  let hintRoot: [UInt8]

  /// Derives them from the credential's secret and the door's number.
  public init(site: LatchkeySite, secret: [UInt8], target: UInt16) throws {
    guard secret.count == 32 else { throw LatchkeyError("a secret is 32 bytes, not \(secret.count)") }
    guard target != 0 else { throw LatchkeyError("a door number is 1…65535, not 0") }
    let okm = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: secret), salt: site.id, info: label("credential") + bigEndian(target),
      outputByteCount: 32
    ).withUnsafeBytes { Array($0) }
    self.target = target
    frameKey = Array(okm[..<16])
    hintSecret = Array(okm[16...])
    hintRoot = hmac(site.key, label("hint") + bigEndian(target))
  }

  /// A command frame of 16 bytes.
  ///
  /// Sequence and press come from the app's state, which is durable before the frame is sent.
  public func seal(
    _ command: LatchkeyCommand, argument: UInt8 = 0, freshness: LatchkeyFreshness, sequence: UInt8, press: UInt8,
    wantsAnswer: Bool = true
  ) throws -> [UInt8] {
    guard command.takes(argument) else { throw LatchkeyError("\(command) takes no argument \(argument)") }
    let plain = [sequence, command.rawValue, argument, wantsAnswer ? 1 : 0, press]
    let tag = try Array(aes(frameKey, [0x01] + freshness.bytes + bigEndian(target) + plain).prefix(8))
    let masked = try xor(plain[...], aes(frameKey, [0x81] + tag + zeros(7)))
    return try block(freshness).prefix(3) + masked + tag
  }

  /// The door's answer to `commandFrame`, or nil where these bytes aren't it.
  public func openAnswer(_ frame: [UInt8], to commandFrame: [UInt8], freshness: LatchkeyFreshness) throws
    -> LatchkeyAnswer?
  {
    guard frame.count == 16, commandFrame.count == 16 else { return nil }
    guard try frame[..<3] == block(freshness)[3..<6] else { return nil }
    let tag = Array(frame[8...])
    let plain = try xor(frame[3..<8], aes(frameKey, [0x82] + tag + zeros(7)))
    let expected = try aes(frameKey, [0x02] + commandFrame[8...] + bigEndian(target) + plain)
    guard isEqual(tag, expected.prefix(8)) else { return nil }
    return LatchkeyAnswer(result: plain[0], state: plain[1], detail: UInt16(plain[2]) << 8 | UInt16(plain[3]))
  }

  /// Its first three bytes begin a command frame, the next three the answer.
  func block(_ freshness: LatchkeyFreshness) throws -> [UInt8] {
    let hintKey = Array(hmac(hintRoot, freshness.bytes).prefix(16))
    return try xor(aes(hintKey, hintSecret)[...], hintSecret)
  }
}

/// A frame as an app advertises it, and out of what an app hears.
public enum LatchkeyCarrier {
  /// The text of the one service UUID: `CBUUID(string:)` for `CBAdvertisementDataServiceUUIDsKey`.
  public static func uuid128(_ frame: [UInt8]) -> String {
    let text = frame.map(hex).joined()
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { part in
      String(text.dropFirst(part.lowerBound).prefix(part.count))
    }.joined(separator: "-")
  }

  /// The local name, for `CBAdvertisementDataLocalNameKey`: the site's marker and the frame in base64url.
  public static func name(_ frame: [UInt8], marker: String) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    let sixBits = stride(from: 0, to: frame.count * 8, by: 6).map { bit in
      let pair = UInt16(frame[bit / 8]) << 8 | UInt16(bit / 8 + 1 < frame.count ? frame[bit / 8 + 1] : 0)
      return Int(pair >> (10 - UInt16(bit % 8)) & 0x3F)
    }
    return marker + String(sixBits.map { alphabet[$0] })
  }

  /// The nine 16-bit service UUIDs, in this order, or nil where two are equal: iOS drops repeats.
  ///
  /// Then another sequence helps; where the first word of the frame is the marker, only another carrier does.
  public static func uuid16(_ frame: [UInt8], marker: UInt16) -> [String]? {
    let words =
      [hex(UInt8(marker >> 8)) + hex(UInt8(marker & 0xFF))]
      + stride(from: 0, to: frame.count, by: 2).map { hex(frame[$0]) + hex(frame[$0 + 1]) }
    return Set(words).count == words.count ? words : nil
  }
}

// Helpers

private func aes(_ key: [UInt8], _ block: [UInt8]) throws -> [UInt8] {
  var output = zeros(kCCBlockSizeAES128)
  var moved = 0
  // ECB of one block is AES itself; CryptoKit has no such thing.
  let status = CCCrypt(
    CCOperation(kCCEncrypt), CCAlgorithm(kCCAlgorithmAES), CCOptions(kCCOptionECBMode), key, key.count, nil, block,
    block.count, &output, output.count, &moved)
  guard status == CCCryptorStatus(kCCSuccess), moved == kCCBlockSizeAES128 else {
    throw LatchkeyError("AES failed: status \(status)")
  }
  return output
}

private func hmac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
  Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
}

private func label(_ name: String) -> [UInt8] { Array("latchkey/1 \(name)".utf8) }

private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

private func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
  stride(from: Number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> Number($0)) }
}

/// As long as the first.
private func xor(_ bytes: ArraySlice<UInt8>, _ mask: [UInt8]) -> [UInt8] { zip(bytes, mask).map { $0 ^ $1 } }

/// In the same time wherever they differ.
private func isEqual(_ tag: [UInt8], _ expected: ArraySlice<UInt8>) -> Bool {
  tag.count == expected.count && zip(tag, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}

private func hex(_ byte: UInt8) -> String {
  let digits = Array("0123456789ABCDEF")
  return String([digits[Int(byte >> 4)], digits[Int(byte & 0xF)]])
}
