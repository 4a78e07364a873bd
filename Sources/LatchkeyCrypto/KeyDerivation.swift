internal import COpenSSL

/// HMAC-SHA-256 (RFC 2104).
public enum HMACSHA256 {
  /// How many bytes a code has.
  public static let size = 32

  /// The authentication code of `data` under `key`: 32 bytes.
  public static func authenticate(key: SecretBytes, data: [UInt8]) throws(CryptoError) -> SecretBytes {
    guard let context = unsafe EVP_MAC_CTX_new(try Algorithms.hmac.get()) else {
      throw CryptoError.latest("EVP_MAC_CTX_new")
    }
    defer { unsafe EVP_MAC_CTX_free(context) }
    let parameters = unsafe [Parameters.digestSHA256(), OSSL_PARAM_construct_end()]
    let initialised = unsafe key.withBuffer { unsafe EVP_MAC_init(context, $0.baseAddress, $0.count, parameters) }
    try check(initialised, "EVP_MAC_init")
    try check(unsafe EVP_MAC_update(context, data, data.count), "EVP_MAC_update")
    var written = 0
    let code = try SecretBytes(count: size) { (code: inout MutableSpan<UInt8>) throws(CryptoError) in
      let result = unsafe code.withUnsafeMutableBufferPointer {
        unsafe EVP_MAC_final(context, $0.baseAddress, &written, $0.count)
      }
      try check(result, "EVP_MAC_final")
    }
    guard written == size else { throw CryptoError.short("EVP_MAC_final", size, Int32(clamping: written)) }
    return code
  }
}

/// HKDF with SHA-256 (RFC 5869), extract and expand.
public enum HKDFSHA256 {
  /// How many bytes HKDF can give: 255 hashes.
  public static let outputSizes = 1...8160

  /// `count` bytes from input key material, salt and info.
  ///
  /// - Throws: for a count outside `outputSizes`.
  public static func derive(
    from material: SecretBytes, salt: [UInt8], info: [UInt8], count: Int
  ) throws(CryptoError) -> SecretBytes {
    guard outputSizes.contains(count) else {
      throw CryptoError(function: "EVP_KDF_derive", reason: "\(count) bytes instead of 1 to 8160")
    }
    guard let context = unsafe EVP_KDF_CTX_new(try Algorithms.hkdf.get()) else {
      throw CryptoError.latest("EVP_KDF_CTX_new")
    }
    defer { unsafe EVP_KDF_CTX_free(context) }
    return try SecretBytes(count: count) { (output: inout MutableSpan<UInt8>) throws(CryptoError) in
      let result = unsafe withParameters(material, salt, info) { parameters in
        unsafe output.withUnsafeMutableBufferPointer {
          unsafe EVP_KDF_derive(context, $0.baseAddress, $0.count, parameters)
        }
      }
      try check(result, "EVP_KDF_derive")
    }
  }

  /// Lends the parameters of a derivation to `body`, while the bytes they point to stay in place.
  private static func withParameters(
    _ material: SecretBytes, _ salt: [UInt8], _ info: [UInt8], _ body: ([OSSL_PARAM]) -> Int32
  ) -> Int32 {
    unsafe material.withBuffer { material in
      unsafe salt.withUnsafeBufferPointer { salt in
        unsafe info.withUnsafeBufferPointer { info in
          var parameters = unsafe [Parameters.digestSHA256(), Parameters.octets("key", material)]
          // OpenSSL takes an octet string without an address for an error: an empty one is left out.
          if !salt.isEmpty { unsafe parameters.append(Parameters.octets("salt", salt)) }
          if !info.isEmpty { unsafe parameters.append(Parameters.octets("info", info)) }
          unsafe parameters.append(OSSL_PARAM_construct_end())
          return unsafe body(parameters)
        }
      }
    }
  }
}
