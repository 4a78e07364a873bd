internal import COpenSSL

/// Parameters for OpenSSL's algorithms.
///
/// An OSSL_PARAM keeps the addresses of name and value and copies nothing. Names are `StaticString`s therefore: a
/// Swift `String` that is passed as a C string, as the OSSL_…_PARAM_… macros are, is gone after the call.
@safe enum Parameters {
  /// Which hash an HMAC or HKDF uses: SHA-256.
  static func digestSHA256() -> OSSL_PARAM {
    let value: StaticString = "SHA256"
    return unsafe OSSL_PARAM_construct_utf8_string(
      text("digest"), UnsafeMutableRawPointer(mutating: value.utf8Start).assumingMemoryBound(to: CChar.self), 0)
  }

  /// Bytes that stay where they are for as long as the parameter is in use; OpenSSL reads them only.
  static func octets(_ name: StaticString, _ bytes: UnsafeBufferPointer<UInt8>) -> OSSL_PARAM {
    unsafe OSSL_PARAM_construct_octet_string(
      text(name), UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
  }

  private static func text(_ name: StaticString) -> UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
