internal import COpenSSL

/// A call of OpenSSL that didn't do what was asked, or an argument that it was never given because of its length.
public struct CryptoError: Error, Hashable, Sendable {
  /// The C function, for example `EVP_EncryptInit_ex2`.
  public let function: String
  /// OpenSSL's own words, or what was expected.
  public let reason: String

  public init(function: String, reason: String) {
    self.function = function
    self.reason = reason
  }

  /// The newest error of the calling thread's OpenSSL queue, which is emptied.
  static func latest(_ function: String) -> CryptoError {
    let code = ERR_peek_last_error()
    ERR_clear_error()
    guard code != 0, let text = unsafe ERR_reason_error_string(code) else {
      return CryptoError(function: function, reason: "failed without a reason")
    }
    return CryptoError(function: function, reason: unsafe String(cString: text))
  }
}

extension CryptoError: CustomStringConvertible {
  public var description: String { "\(function): \(reason)" }
}

/// Looks at OpenSSL's usual return code: 1 is success, anything else is an error.
@inline(__always)
func check(_ result: Int32, _ function: StaticString) throws(CryptoError) {
  guard result == 1 else { throw CryptoError.latest("\(function)") }
}
