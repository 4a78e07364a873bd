internal import COpenSSL

/// An Ed25519 key that signs (RFC 8032).
public struct SigningKey: Sendable {
  /// How many bytes the raw representation has.
  public static let size = 32

  private let key: OpenSSLKey
  /// The 32-byte seed from which everything else follows.
  public let rawRepresentation: SecretBytes
  /// The key that verifies what this one signs.
  public let verificationKey: VerificationKey

  /// A new key from the system's random generator.
  public static func generate() throws(CryptoError) -> SigningKey {
    try SigningKey(rawRepresentation: try SystemRandom.bytes(size))
  }

  /// The key of a 32-byte seed; throws for any other length.
  public init(rawRepresentation: SecretBytes) throws(CryptoError) {
    let key = try unsafe OpenSSLKey("EVP_PKEY_new_raw_private_key", length: rawRepresentation.count) {
      unsafe rawRepresentation.withBuffer {
        unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, $0.baseAddress, $0.count)
      }
    }
    self.key = key
    self.rawRepresentation = rawRepresentation
    self.verificationKey = try VerificationKey(rawRepresentation: try key.publicBytes())
  }

  /// The signature of `data`: 64 bytes, the same for the same data.
  public func sign(_ data: Span<UInt8>) throws(CryptoError) -> [UInt8] { try key.sign(data) }
}

/// An Ed25519 key that verifies (RFC 8032).
public struct VerificationKey: Sendable {
  /// How many bytes the raw representation has.
  public static let size = 32

  private let key: OpenSSLKey
  /// The 32 bytes of the public key.
  public let rawRepresentation: [UInt8]

  /// The public key of 32 bytes; throws for any other length.
  public init(rawRepresentation: [UInt8]) throws(CryptoError) {
    self.key = try unsafe OpenSSLKey("EVP_PKEY_new_raw_public_key", length: rawRepresentation.count) {
      unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, rawRepresentation, rawRepresentation.count)
    }
    self.rawRepresentation = rawRepresentation
  }

  /// Whether that is this key's signature of `data`; false as well where it isn't 64 bytes or OpenSSL fails.
  public func isValidSignature(_ signature: [UInt8], of data: Span<UInt8>) -> Bool { key.verify(signature, data) }
}

extension VerificationKey: Hashable {
  public static func == (left: VerificationKey, right: VerificationKey) -> Bool {
    left.rawRepresentation == right.rawRepresentation
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(rawRepresentation) }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
  public var description: String { "SigningKey" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
