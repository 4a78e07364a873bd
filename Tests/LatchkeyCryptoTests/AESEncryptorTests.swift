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

  @Test("bulk compression is AES(k, m) XOR m, in every chunk and at every offset", arguments: [1, 511, 512, 513, 1500])
  func compression(count: Int) throws {
    let messages = try SystemRandom.bytes(count * Block.size)
    let encryptor = try AESEncryptor(key: Block(high: 1, low: 2))
    for first in [0, count / 2, count - 1] {
      var words = [UInt32](repeating: 0, count: count - first)
      var span = words.mutableSpan
      try encryptor.compress(messages, from: first, into: &span)
      for (index, word) in words.enumerated() {
        let message = try #require(messages.block(at: first + index))
        let block = try encryptor.encrypt(message) ^ message
        #expect(word == UInt32(truncatingIfNeeded: block.high >> 32))
      }
    }
  }

  @Test("blocks that aren't there are refused", arguments: [(-1, 1), (0, 5), (4, 1), (Int.max, 1), (2, 3)])
  func missingBlocks(first: Int, count: Int) throws {
    // Four blocks and a half.
    let messages = SecretBytes(copying: [UInt8](repeating: 7, count: 72))
    let encryptor = try AESEncryptor()
    var words = [UInt32](repeating: 42, count: count)
    #expect(throws: CryptoError.self) {
      var span = words.mutableSpan
      try encryptor.compress(messages, from: first, into: &span)
    }
    #expect(words == [UInt32](repeating: 42, count: count))
  }

  @Test("no blocks are no work")
  func noBlocks() throws {
    var words: [UInt32] = []
    var span = words.mutableSpan
    try AESEncryptor().compress(SecretBytes(copying: []), from: 0, into: &span)
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
