public import LatchkeyCrypto

/// The 32-byte key that all holders of a site and its key keeper know, and no door ("Words").
public struct SiteKey: Equatable, Sendable {
  /// The 32 bytes.
  public let bytes: SecretBytes

  /// How many bytes it has.
  public static let size = 32

  /// The site key of exactly 32 bytes; nil for any other number of them.
  public init?(_ bytes: SecretBytes) {
    guard bytes.count == SiteKey.size else { return nil }
    self.bytes = bytes
  }

  /// The key of the site's beacons ("Keys").
  public func beaconKey() throws(CryptoError) -> BeaconKey {
    BeaconKey(try bytes.hmacBlock(Array("latchkey/1 beacon".utf8)))
  }

  /// The root of a door's hints ("Keys").
  public func hintRoot(of door: DoorNumber) throws(CryptoError) -> HintRoot {
    let message = Array("latchkey/1 hint".utf8) + bigEndian(door.rawValue)
    return HintRoot(code: try HMACSHA256.authenticate(key: bytes, data: message))
  }
}

/// The 32-byte secret of one holder's credential on one device ("Words"); no door knows it.
public struct CredentialSecret: Equatable, Sendable {
  /// The 32 bytes.
  public let bytes: SecretBytes

  /// How many bytes it has.
  public static let size = 32

  /// The secret of exactly 32 bytes; nil for any other number of them.
  public init?(_ bytes: SecretBytes) {
    guard bytes.count == CredentialSecret.size else { return nil }
    self.bytes = bytes
  }
}

/// What a credential and one door share ("Keys"): derived by the key keeper and the holder, kept by the door.
public struct CredentialKeys: Hashable, Sendable {
  /// Encrypts and authenticates commands and answers.
  public let frameKey: Block
  /// Makes hints; protects unlinkability only.
  public let hintSecret: Block

  public init(frameKey: Block, hintSecret: Block) {
    self.frameKey = frameKey
    self.hintSecret = hintSecret
  }

  /// The keys of a credential at a door of a site; about 5 µs.
  public static func derive(
    from secret: CredentialSecret, site: SiteID, door: DoorNumber
  ) throws(CryptoError) -> CredentialKeys {
    let material = try HKDFSHA256.derive(
      from: secret.bytes, salt: site.bytes, info: Array("latchkey/1 credential".utf8) + bigEndian(door.rawValue),
      count: 32)
    guard let frameKey = material.block(at: 0), let hintSecret = material.block(at: 1) else {
      throw CryptoError(function: "EVP_KDF_derive", reason: "gave fewer than 32 bytes")
    }
    return CredentialKeys(frameKey: frameKey, hintSecret: hintSecret)
  }
}

/// The 32-byte root of one door's hints ("Keys").
public struct HintRoot: Equatable, Sendable {
  /// The 32 bytes.
  public let bytes: SecretBytes

  /// How many bytes it has.
  public static let size = 32

  /// The root of exactly 32 bytes; nil for any other number of them.
  public init?(_ bytes: SecretBytes) {
    guard bytes.count == HintRoot.size else { return nil }
    self.bytes = bytes
  }

  /// The root that an HMAC is.
  fileprivate init(code: SecretBytes) { self.bytes = code }

  /// The AES key under which all hints of this freshness are made.
  public func hintKey(for freshness: Freshness) throws(CryptoError) -> Block {
    try bytes.hmacBlock(bigEndian(freshness.bytes))
  }
}

/// The key of a site's beacons, known to its doors and holders ("Keys").
public struct BeaconKey: Hashable, Sendable {
  /// The 16 bytes.
  public let block: Block

  public init(_ block: Block) { self.block = block }
}

/// The bytes of an integer, the most significant first.
func bigEndian<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) -> [UInt8] {
  (0..<(Number.bitWidth / 8)).reversed().map { UInt8(truncatingIfNeeded: number >> Number($0 * 8)) }
}

extension SecretBytes {
  /// The first 16 bytes of the HMAC of `message` under these bytes.
  fileprivate func hmacBlock(_ message: [UInt8]) throws(CryptoError) -> Block {
    guard let block = try HMACSHA256.authenticate(key: self, data: message).block(at: 0) else {
      throw CryptoError(function: "EVP_MAC_final", reason: "gave fewer than 16 bytes")
    }
    return block
  }
}
