import LatchkeyCrypto
import Testing

struct KeyDerivationTests {
  /// RFC 4231, test cases 1, 2, 3 and 6 (a key longer than a block of the hash).
  static let codes: [(key: [UInt8], data: [UInt8], code: String)] = [
    (
      [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
    ),
    (
      [UInt8](repeating: 0xAA, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ]

  @Test("HMAC-SHA-256 of RFC 4231", arguments: codes)
  func hmac(key: [UInt8], data: [UInt8], code: String) throws {
    let result = try HMACSHA256.authenticate(key: SecretBytes(copying: key), data: data)
    #expect(result == SecretBytes(copying: bytes(code)))
  }

  @Test("HMAC takes an empty key and empty data")
  func emptyHMAC() throws {
    let result = try HMACSHA256.authenticate(key: SecretBytes(copying: []), data: [])
    #expect(
      result == SecretBytes(copying: bytes("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")))
  }

  /// RFC 5869, appendices A.1, A.2 and A.3 (neither salt nor info).
  static let derivations: [(material: [UInt8], salt: [UInt8], info: [UInt8], output: String)] = [
    (
      [UInt8](repeating: 0x0B, count: 22), bytes("000102030405060708090a0b0c"), bytes("f0f1f2f3f4f5f6f7f8f9"),
      "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    ),
    (
      Array(0x00...0x4F), Array(0x60...0xAF), Array(0xB0...0xFF),
      """
      b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09\
      da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87
      """
    ),
    (
      [UInt8](repeating: 0x0B, count: 22), [], [],
      "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
    ),
  ]

  @Test("HKDF-SHA-256 of RFC 5869", arguments: derivations)
  func hkdf(material: [UInt8], salt: [UInt8], info: [UInt8], output: String) throws {
    let result = try HKDFSHA256.derive(
      from: SecretBytes(copying: material), salt: salt, info: info, count: output.utf8.count / 2)
    #expect(result == SecretBytes(copying: bytes(output)))
  }

  @Test("HKDF gives 1 to 8160 bytes", arguments: [-1, 0, 8161, Int.max])
  func impossibleLength(count: Int) throws {
    let material = SecretBytes(copying: [1])
    #expect(throws: CryptoError(function: "EVP_KDF_derive", reason: "\(count) bytes instead of 1 to 8160")) {
      try HKDFSHA256.derive(from: material, salt: [], info: [], count: count)
    }
    #expect(try HKDFSHA256.derive(from: material, salt: [], info: [], count: 8160).count == 8160)
  }

  @Test("SHA-256 of FIPS 180-4's examples")
  func sha256() throws {
    #expect(
      hex(try SHA256.digest(of: Array("abc".utf8).span))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    let nothing: [UInt8] = []
    #expect(
      hex(try SHA256.digest(of: nothing.span)) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }
}
