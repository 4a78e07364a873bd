internal import COpenSSL

/// An Ed25519 EVP_PKEY that this object owns.
@safe final class OpenSSLKey: @unchecked Sendable {
  // Safety: OpenSSL's keys are reference counted and not changed by signing or verifying.
  private let pointer: OpaquePointer

  static let signatureSize = 64

  /// Takes over the key that `create` makes from `length` bytes, which must be 32.
  init(_ function: String, length: Int, _ create: () -> OpaquePointer?) throws(CryptoError) {
    guard length == 32 else { throw CryptoError(function: function, reason: "\(length) bytes instead of 32") }
    guard let pointer = unsafe create() else { throw CryptoError.latest(function) }
    unsafe self.pointer = pointer
  }

  deinit { unsafe EVP_PKEY_free(pointer) }

  /// The 32 bytes of the public half.
  func publicBytes() throws(CryptoError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 32)
    var length = bytes.count
    try check(unsafe EVP_PKEY_get_raw_public_key(pointer, &bytes, &length), "EVP_PKEY_get_raw_public_key")
    guard length == bytes.count else {
      throw CryptoError.short("EVP_PKEY_get_raw_public_key", bytes.count, Int32(clamping: length))
    }
    return bytes
  }

  /// The 64-byte signature of `data`.
  func sign(_ data: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    guard let context = unsafe EVP_MD_CTX_new() else { throw CryptoError.latest("EVP_MD_CTX_new") }
    defer { unsafe EVP_MD_CTX_free(context) }
    try check(unsafe EVP_DigestSignInit(context, nil, nil, nil, pointer), "EVP_DigestSignInit")
    var signature = [UInt8](repeating: 0, count: OpenSSLKey.signatureSize)
    var length = signature.count
    let result = unsafe data.withUnsafeBufferPointer { data in
      unsafe EVP_DigestSign(context, &signature, &length, data.baseAddress, data.count)
    }
    try check(result, "EVP_DigestSign")
    guard length == signature.count else {
      throw CryptoError.short("EVP_DigestSign", signature.count, Int32(clamping: length))
    }
    return signature
  }

  /// Whether `signature` is this key's for `data`; false for everything that isn't proven.
  func verify(_ signature: [UInt8], _ data: Span<UInt8>) -> Bool {
    guard signature.count == OpenSSLKey.signatureSize, let context = unsafe EVP_MD_CTX_new() else { return false }
    defer {
      unsafe EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    guard unsafe EVP_DigestVerifyInit(context, nil, nil, nil, pointer) == 1 else { return false }
    let result = unsafe data.withUnsafeBufferPointer { data in
      unsafe EVP_DigestVerify(context, signature, signature.count, data.baseAddress, data.count)
    }
    return result == 1
  }
}
