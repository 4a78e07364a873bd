internal import COpenSSL

/// OpenSSL's random generators, seeded by the kernel (getrandom(2)).
public enum SystemRandom {
  /// So many secret random bytes (RAND_priv_bytes).
  ///
  /// - Throws: for a negative count, for more than 2³¹ − 1, and where the generator can't be seeded.
  public static func bytes(_ count: Int) throws(CryptoError) -> SecretBytes {
    guard count >= 0, let length = Int32(exactly: count) else {
      throw CryptoError(function: "RAND_priv_bytes", reason: "\(count) bytes instead of 0 to \(Int32.max)")
    }
    return try SecretBytes(count: count) { (bytes: inout MutableSpan<UInt8>) throws(CryptoError) in
      let result = unsafe bytes.withUnsafeMutableBufferPointer { unsafe RAND_priv_bytes($0.baseAddress, length) }
      try check(result, "RAND_priv_bytes")
    }
  }

  /// A random number that may be shown to everyone, of any width up to 64 bits (RAND_bytes).
  public static func number<Number: FixedWidthInteger & UnsignedInteger>(
    _ type: Number.Type = UInt64.self
  ) throws(CryptoError) -> Number {
    var number: UInt64 = 0
    let result = unsafe withUnsafeMutableBytes(of: &number) {
      unsafe RAND_bytes($0.bindMemory(to: UInt8.self).baseAddress, Int32(MemoryLayout<UInt64>.size))
    }
    try check(result, "RAND_bytes")
    return Number(truncatingIfNeeded: number)
  }
}
