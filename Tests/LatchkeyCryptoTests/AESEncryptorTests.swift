import LatchkeyCrypto
import Testing

struct AESEncryptorTests {
  /// FIPS 197 appendix C.1, and SP 800-38A F.1.1.
  static let vectors = [
    ("000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a"),
    ("2b7e151628aed2a6abf7158809cf4f3c", "6bc1bee22e409f96e93d7e117393172a", "3ad77bb40d7a3660a89ecaf32466ef97"),
    ("2b7e151628aed2a6abf7158809cf4f3c", "ae2d8a571e03ac9c9eb76fac45af8e51", "f5d3d58503b9699de785895a96fdbaaf"),
  ]

  @Test("published vectors, under the first key and after a change of key", arguments: vectors)
  func published(key: String, plain: String, cipher: String) throws {
    let key = try #require(Block(bytes: bytes(key)))
    let plain = try #require(Block(bytes: bytes(plain)))
    #expect(hex(try AESEncryptor(key: key).encrypt(plain).bytes) == cipher)
    let encryptor = try AESEncryptor()
    _ = try encryptor.encrypt(plain)
    try encryptor.setKey(key)
    #expect(hex(try encryptor.encrypt(plain).bytes) == cipher)
    #expect(hex(try encryptor.encrypt(plain).bytes) == cipher)
  }

  @Test(
    "bulk compression is AES(k, m) XOR m, in every chunk and at every place", arguments: [0, 1, 511, 512, 513, 1500])
  func compression(count: Int) throws {
    let messages = try SystemRandom.bytes(count * Block.size)
    let encryptor = try AESEncryptor(key: Block(high: 1, low: 2))
    for start in [0, 7] {
      var words = [UInt32](repeating: 42, count: start + count + 3)
      var span = words.mutableSpan
      try encryptor.compress(messages, into: &span, at: start)
      for index in 0..<count {
        let message = try #require(messages.block(at: index))
        let block = try encryptor.encrypt(message) ^ message
        #expect(words[start + index] == UInt32(truncatingIfNeeded: block.high >> 32))
      }
      #expect(words.prefix(start).allSatisfy { $0 == 42 } && words.suffix(3) == [42, 42, 42])
    }
  }

  @Test(
    "broken blocks and missing room are refused",
    arguments: [(16, 0, 0), (17, 9, 0), (15, 9, 0), (64, 4, 1), (64, 4, -1), (16, 4, 5), (16, 4, Int.max), (0, 4, 5)])
  func noRoom(bytes: Int, words count: Int, start: Int) throws {
    let encryptor = try AESEncryptor()
    var words = [UInt32](repeating: 42, count: count)
    #expect(throws: CryptoError.self) {
      var span = words.mutableSpan
      try encryptor.compress(SecretBytes(count: bytes) { _ in }, into: &span, at: start)
    }
    #expect(words == [UInt32](repeating: 42, count: count))
  }
}

struct BlockTests {
  @Test("a block has sixteen bytes", arguments: 0...33)
  func length(count: Int) {
    let block = Block(bytes: (0..<count).map { UInt8($0) })
    #expect((block != nil) == (count == 16))
    if let block { #expect(block.bytes == (0..<16).map { UInt8($0) }) }
  }

  @Test("no text shows what a block holds")
  func silence() {
    let block = Block(high: 0x1234_5678, low: 99)
    var dumped = ""
    dump(block, to: &dumped)
    for text in ["\(block)", String(reflecting: block), dumped] {
      #expect(!text.contains("99"))
      #expect(!text.contains("305419896"))
    }
  }
}
