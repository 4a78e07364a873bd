import LatchkeyCrypto
import Testing

struct SecretBytesTests {
  @Test("equal bytes are equal, wherever they lie")
  func equality() {
    let whole = SecretBytes(copying: Array(0..<32))
    #expect(whole == SecretBytes(copying: Array(0..<32)))
    #expect(whole != SecretBytes(copying: Array(0..<31)))
    #expect(whole != SecretBytes(copying: Array(1..<33)))
    #expect(whole.part(4..<8) == SecretBytes(copying: [4, 5, 6, 7]))
    #expect(SecretBytes(copying: []) == SecretBytes(copying: []))
  }

  @Test("a part is within the whole", arguments: [-1..<0, 0..<5, 4..<5, 5..<5, -2 ..< -1, Int.max..<Int.max])
  func partOutside(range: Range<Int>) {
    #expect(SecretBytes(copying: [1, 2, 3, 4]).part(range) == nil)
  }

  @Test("parts of parts lend their own bytes")
  func parts() {
    let part = SecretBytes(copying: Array(0..<64)).part(8..<40)?.part(8..<24)
    #expect(part?.count == 16)
    #expect(part?.block(at: 0) == Block(bytes: Array(16..<32)))
    #expect(part?.withBytes { $0[15] } == 31)
    #expect(part?.part(16..<16)?.count == 0)
  }

  @Test("only whole blocks are given", arguments: [-1, 2, 3, Int.min, Int.max])
  func missingBlock(index: Int) {
    let secret = SecretBytes(copying: Array(0..<47))
    #expect(secret.blockCount == 2)
    #expect(secret.block(at: 1) == Block(bytes: Array(16..<32)))
    #expect(secret.block(at: index) == nil)
  }

  @Test("what fills the bytes may fail")
  func failure() {
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try SecretBytes(count: 4) { (_: inout MutableSpan<UInt8>) throws(Failure) in throw Failure() }
    }
    #expect(SecretBytes(count: -1) { _ in }.count == 0)
    #expect(SecretBytes(count: 3) { $0[1] = 9 } == SecretBytes(copying: [0, 9, 0]))
  }

  @Test("no text shows what is held")
  func silence() {
    let secret = SecretBytes(copying: [201, 202, 203])
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), dumped] {
      #expect(text.contains("SecretBytes(3)"))
      #expect(!text.contains("20"))
    }
  }

  @Test("random bytes are as many as asked for, and differ")
  func random() throws {
    #expect(try SystemRandom.bytes(0).count == 0)
    let first = try SystemRandom.bytes(32)
    #expect(first.count == 32)
    #expect(try SystemRandom.bytes(32) != first)
    let numbers = try Set((0..<64).map { _ in try SystemRandom.number(UInt64.self) })
    #expect(numbers.count == 64)
  }

  @Test("impossible numbers of random bytes are refused", arguments: [-1, Int(Int32.max) + 1])
  func impossibleRandom(count: Int) {
    #expect(throws: CryptoError.self) { try SystemRandom.bytes(count) }
  }
}
