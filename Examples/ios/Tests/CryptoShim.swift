// What the core uses of CryptoKit and CommonCrypto, over OpenSSL, under the same names: for the tests on Linux only.

#if !canImport(CryptoKit)
  import COpenSSL

  enum SHA256 {}

  struct SymmetricKey {
    let bytes: [UInt8]

    init(data: [UInt8]) { bytes = data }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
      try bytes.withUnsafeBytes(body)
    }
  }

  enum HMAC<Hash> {
    static func authenticationCode(for message: [UInt8], using key: SymmetricKey) -> [UInt8] {
      var code = [UInt8](repeating: 0, count: 32)
      var length: UInt32 = 0
      let result = COpenSSL.HMAC(
        EVP_sha256(), key.bytes, Int32(key.bytes.count), message, message.count, &code, &length)
      precondition(result != nil && length == 32, "HMAC failed")
      return code
    }
  }

  enum HKDF<Hash> {
    /// RFC 5869.
    static func deriveKey(
      inputKeyMaterial: SymmetricKey, salt: [UInt8], info: [UInt8], outputByteCount: Int
    ) -> SymmetricKey {
      let key = HMAC<Hash>.authenticationCode(for: inputKeyMaterial.bytes, using: SymmetricKey(data: salt))
      var output: [UInt8] = []
      var last: [UInt8] = []
      for counter: UInt8 in 1... {
        last = HMAC<Hash>.authenticationCode(for: last + info + [counter], using: SymmetricKey(data: key))
        output += last
        if output.count >= outputByteCount { break }
      }
      return SymmetricKey(data: Array(output.prefix(outputByteCount)))
    }
  }

  typealias CCOperation = UInt32
  typealias CCAlgorithm = UInt32
  typealias CCOptions = UInt32
  typealias CCCryptorStatus = Int32
  let kCCEncrypt = 0
  let kCCAlgorithmAES = 0
  let kCCOptionECBMode = 2
  let kCCBlockSizeAES128 = 16
  let kCCSuccess = 0
  let kCCParamError = -4300

  // swift-format-ignore: AlwaysUseLowerCamelCase
  func CCCrypt(
    _ operation: CCOperation, _ algorithm: CCAlgorithm, _ options: CCOptions, _ key: UnsafePointer<UInt8>,
    _ keyLength: Int, _ vector: UnsafePointer<UInt8>?, _ input: UnsafePointer<UInt8>, _ inputLength: Int,
    _ output: UnsafeMutablePointer<UInt8>, _ outputAvailable: Int, _ moved: inout Int
  ) -> CCCryptorStatus {
    guard keyLength == 16, inputLength == 16, outputAvailable == 16, options == CCOptions(kCCOptionECBMode),
      let context = EVP_CIPHER_CTX_new()
    else { return CCCryptorStatus(kCCParamError) }
    defer { EVP_CIPHER_CTX_free(context) }
    var length: Int32 = 0
    guard EVP_EncryptInit_ex(context, EVP_aes_128_ecb(), nil, key, nil) == 1,
      EVP_CIPHER_CTX_set_padding(context, 0) == 1,
      EVP_EncryptUpdate(context, output, &length, input, Int32(inputLength)) == 1
    else { return CCCryptorStatus(kCCParamError) }
    moved = Int(length)
    return CCCryptorStatus(kCCSuccess)
  }
#endif
