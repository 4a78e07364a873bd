import LatchkeyCrypto
import Testing

struct SignatureTests {
  /// RFC 8032 section 7.1, tests 1, 2 and 3: seed, public key, message, signature.
  static let vectors: [(String, String, String, String)] = [
    (
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
      """
      e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b\
      d25bf5f0595bbe24655141438e7a100b
      """
    ),
    (
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
      """
      92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c\
      387b2eaeb4302aeeb00d291612bb0c00
      """
    ),
    (
      "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
      """
      6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659\
      4a7c15e9716ed28dc027beceea1ec40a
      """
    ),
  ]

  @Test("Ed25519 of RFC 8032", arguments: vectors)
  func published(seed: String, publicKey: String, message: String, signature: String) throws {
    let key = try SigningKey(rawRepresentation: SecretBytes(copying: bytes(seed)))
    #expect(hex(key.verificationKey.rawRepresentation) == publicKey)
    let message = bytes(message)
    #expect(hex(try key.sign(message.span)) == signature)
    let verificationKey = try VerificationKey(rawRepresentation: bytes(publicKey))
    #expect(verificationKey == key.verificationKey)
    #expect(isValid(bytes(signature), of: message, by: verificationKey))
  }

  @Test("a signature with any bit flipped, of any other length, or of other data is refused")
  func wrongSignatures() throws {
    let key = try SigningKey.generate()
    let data: [UInt8] = [1, 2, 3]
    let signature = try key.sign(data.span)
    let verificationKey = key.verificationKey
    #expect(isValid(signature, of: data, by: verificationKey))
    for bit in 0..<(signature.count * 8) {
      var wrong = signature
      wrong[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!isValid(wrong, of: data, by: verificationKey))
    }
    for length in [0, 1, 63, 65, 128] {
      let wrong = (0..<length).map { signature[$0 % signature.count] }
      #expect(!isValid(wrong, of: data, by: verificationKey))
    }
    let other: [UInt8] = [1, 2, 3, 0]
    #expect(!isValid(signature, of: other, by: verificationKey))
    #expect(try !isValid(signature, of: data, by: SigningKey.generate().verificationKey))
  }

  @Test("keys have 32 bytes", arguments: [0, 1, 31, 33, 64])
  func keyLength(count: Int) {
    #expect(throws: CryptoError(function: "EVP_PKEY_new_raw_private_key", reason: "\(count) bytes instead of 32")) {
      try SigningKey(rawRepresentation: SecretBytes(count: count) { _ in })
    }
    #expect(throws: CryptoError(function: "EVP_PKEY_new_raw_public_key", reason: "\(count) bytes instead of 32")) {
      try VerificationKey(rawRepresentation: [UInt8](repeating: 0, count: count))
    }
  }

  @Test("no text shows a signing key")
  func silence() throws {
    let key = try SigningKey(rawRepresentation: SecretBytes(copying: [UInt8](repeating: 201, count: 32)))
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped] { #expect(!text.contains("201")) }
  }
}

private func isValid(_ signature: [UInt8], of data: [UInt8], by key: VerificationKey) -> Bool {
  key.isValidSignature(signature, of: data.span)
}
