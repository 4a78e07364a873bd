internal import COpenSSL

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
  /// How many bytes a digest has.
  public static let size = 32

  /// The digest of `data`: 32 bytes.
  public static func digest(of data: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    let algorithm = try unsafe Algorithms.sha256.get()
    var digest = [UInt8](repeating: 0, count: size)
    var written: UInt32 = 0
    let result = unsafe data.withUnsafeBufferPointer { data in
      unsafe EVP_Digest(data.baseAddress, data.count, &digest, &written, algorithm, nil)
    }
    try check(result, "EVP_Digest")
    guard written == size else { throw CryptoError.short("EVP_Digest", size, Int32(clamping: written)) }
    return digest
  }
}
