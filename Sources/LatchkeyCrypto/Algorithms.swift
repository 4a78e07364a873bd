internal import COpenSSL

/// The algorithms of the default provider, fetched once and never given back: a fetch takes locks and microseconds.
enum Algorithms {
  static let aes128ECB = cipher("AES-128-ECB")
  static let sha256 = unsafe Fetched("EVP_MD_fetch") { unsafe EVP_MD_fetch(nil, "SHA256", nil) }
  static let hmac = unsafe Fetched("EVP_MAC_fetch") { unsafe EVP_MAC_fetch(nil, "HMAC", nil) }
  static let hkdf = unsafe Fetched("EVP_KDF_fetch") { unsafe EVP_KDF_fetch(nil, "HKDF", nil) }

  static func cipher(_ name: String) -> Fetched {
    unsafe Fetched("EVP_CIPHER_fetch") { unsafe EVP_CIPHER_fetch(nil, name, nil) }
  }
}

/// A fetched algorithm, or why there is none.
@safe struct Fetched: @unchecked Sendable {
  // Safety: fetched algorithms are immutable and live as long as the process.
  private let pointer: OpaquePointer?
  private let function: String
  private let reason: String

  fileprivate init(_ function: String, _ fetch: () -> OpaquePointer?) {
    self.function = function
    unsafe self.pointer = fetch()
    self.reason = unsafe pointer == nil ? CryptoError.latest(function).reason : ""
  }

  /// The algorithm; throws where OpenSSL has none, as with a configuration that lacks the default provider.
  func get() throws(CryptoError) -> OpaquePointer {
    guard let pointer = unsafe pointer else { throw CryptoError(function: function, reason: reason) }
    return unsafe pointer
  }
}
