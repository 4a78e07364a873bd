import Testing

@testable import LatchkeyCrypto

struct CryptoErrorTests {
  @Test("what OpenSSL refuses is told in its own words")
  func unknownAlgorithm() {
    let error = #expect(throws: CryptoError.self) { _ = unsafe try Algorithms.cipher("AES-127-ECB").get() }
    #expect(error == CryptoError(function: "EVP_CIPHER_fetch", reason: "unsupported"))
    #expect(error.map { "\($0)" } == "EVP_CIPHER_fetch: unsupported")
  }

  @Test("an old error isn't blamed for a new one")
  func emptiedQueue() {
    _ = Algorithms.cipher("AES-127-ECB")
    #expect(throws: CryptoError(function: "some_call", reason: "failed without a reason")) {
      try check(0, "some_call")
    }
  }

  @Test("only 1 is success", arguments: [0, -1, 2, Int32.min])
  func returnCodes(code: Int32) {
    #expect(throws: CryptoError.self) { try check(code, "some_call") }
    #expect(throws: Never.self) { try check(1, "some_call") }
  }
}
