internal import JSON
public import LatchkeyCrypto

extension VerificationKey {
  /// Reads a site's public key as `latchkey-keys public-key` prints it: 43 characters of base64url.
  ///
  /// Nil for other text.
  public init?(siteKeyText text: String) {
    guard let bytes = Base64URL.decode(text), bytes.count == VerificationKey.size else { return nil }
    do throws(CryptoError) { try self.init(rawRepresentation: bytes) } catch { return nil }
  }
}
