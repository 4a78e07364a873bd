internal import COpenSSL

/// AES-128 on single blocks (FIPS 197) under a key that can be changed, and on many blocks at once.
///
/// One value is one OpenSSL context, used by one thread at a time. A new key costs about 75 ns and a block 16 ns on
/// the machine of docs/benchmarks.md; neither allocates.
@safe public final class AESEncryptor {
  private let context: OpaquePointer
  private var scratch: UnsafeMutableBufferPointer<UInt8>?

  /// How many bytes one call of OpenSSL gets in bulk work: they and their result stay in the first-level cache.
  private static let chunk = 8192

  /// An encryptor under a key.
  public init(key: Block = .zero) throws(CryptoError) {
    let cipher = try unsafe Algorithms.aes128ECB.get()
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw CryptoError.latest("EVP_CIPHER_CTX_new") }
    unsafe self.context = context
    unsafe scratch = nil
    var bytes = (key.high.bigEndian, key.low.bigEndian)
    let result = unsafe withUnsafeBytes(of: &bytes) {
      unsafe EVP_EncryptInit_ex2(context, cipher, $0.bindMemory(to: UInt8.self).baseAddress, nil, nil)
    }
    try check(result, "EVP_EncryptInit_ex2")
    try check(unsafe EVP_CIPHER_CTX_set_padding(context, 0), "EVP_CIPHER_CTX_set_padding")
  }

  deinit {
    // Wipes the key schedule as well.
    unsafe EVP_CIPHER_CTX_free(context)
    if let scratch = unsafe scratch {
      unsafe OPENSSL_cleanse(scratch.baseAddress, scratch.count)
      unsafe scratch.deallocate()
    }
  }

  /// Goes on under another key.
  public func setKey(_ key: Block) throws(CryptoError) {
    var bytes = (key.high.bigEndian, key.low.bigEndian)
    let result = unsafe withUnsafeBytes(of: &bytes) {
      unsafe EVP_EncryptInit_ex2(context, nil, $0.bindMemory(to: UInt8.self).baseAddress, nil, nil)
    }
    try check(result, "EVP_EncryptInit_ex2")
  }

  /// The block's encryption.
  public func encrypt(_ block: Block) throws(CryptoError) -> Block {
    var bytes = (block.high.bigEndian, block.low.bigEndian)
    var written: Int32 = 0
    let result = unsafe withUnsafeMutableBytes(of: &bytes) {
      let address = unsafe $0.bindMemory(to: UInt8.self).baseAddress
      return unsafe EVP_EncryptUpdate(context, address, &written, address, Int32(Block.size))
    }
    try check(result, "EVP_EncryptUpdate")
    guard written == Block.size else { throw CryptoError.short("EVP_EncryptUpdate", Block.size, written) }
    return Block(high: UInt64(bigEndian: bytes.0), low: UInt64(bigEndian: bytes.1))
  }

  /// The first 32 bits of `AES(key, m) XOR m` for each block m of `messages`, into `words` from `start` on.
  ///
  /// That sum is the one-way function of Matyas, Meyer and Oseas; a million cost about 3 ms. Throws where `messages`
  /// isn't whole blocks, or `words` is too short for them.
  public func compress(
    _ messages: SecretBytes, into words: inout MutableSpan<UInt32>, at start: Int = 0
  ) throws(CryptoError) {
    guard messages.count % Block.size == 0, start >= 0, start <= words.count,
      messages.blockCount <= words.count - start
    else {
      throw CryptoError(
        function: "AESEncryptor.compress",
        reason: "\(messages.count) bytes into the words from \(start) on, of \(words.count)")
    }
    let output = unsafe scratchBuffer()
    var done = 0
    while done < messages.blockCount {
      let blocks = min(messages.blockCount - done, AESEncryptor.chunk / Block.size)
      try unsafe messages.withBuffer { buffer throws(CryptoError) in
        guard let base = buffer.baseAddress else { return }
        let input = unsafe base + done * Block.size
        try unsafe encrypt(input, into: output, count: blocks * Block.size)
        for index in 0..<blocks {
          let plain = unsafe UnsafeRawPointer(input).loadUnaligned(fromByteOffset: index * 16, as: UInt32.self)
          let cipher = unsafe UnsafeRawPointer(output).loadUnaligned(fromByteOffset: index * 16, as: UInt32.self)
          words[start + done + index] = UInt32(bigEndian: plain ^ cipher)
        }
      }
      done += blocks
    }
  }

  /// Encrypts `count` bytes, a multiple of 16 up to `chunk`.
  private func encrypt(
    _ input: UnsafePointer<UInt8>, into output: UnsafeMutablePointer<UInt8>, count: Int
  ) throws(CryptoError) {
    var written: Int32 = 0
    try check(unsafe EVP_EncryptUpdate(context, output, &written, input, Int32(count)), "EVP_EncryptUpdate")
    guard written == count else { throw CryptoError.short("EVP_EncryptUpdate", count, written) }
  }

  /// The buffer for bulk work, made when first needed.
  private func scratchBuffer() -> UnsafeMutablePointer<UInt8> {
    if let address = unsafe scratch?.baseAddress { return unsafe address }
    let address = UnsafeMutablePointer<UInt8>.allocate(capacity: AESEncryptor.chunk)
    unsafe address.initialize(repeating: 0, count: AESEncryptor.chunk)
    unsafe scratch = UnsafeMutableBufferPointer(start: address, count: AESEncryptor.chunk)
    return unsafe address
  }
}

extension CryptoError {
  /// OpenSSL wrote fewer or more bytes than it had to.
  static func short(_ function: String, _ expected: Int, _ written: Int32) -> CryptoError {
    CryptoError(function: function, reason: "wrote \(written) bytes instead of \(expected)")
  }
}
