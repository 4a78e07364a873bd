import JSON
import Testing

@Suite struct Base64URLTests {
  /// RFC 4648 section 10, without padding, and the two characters that differ from base64.
  @Test(
    arguments: [
      ("", []), ("Zg", [0x66]), ("Zm8", [0x66, 0x6F]), ("Zm9v", [0x66, 0x6F, 0x6F]), ("Zm9vYg", Array("foob".utf8)),
      ("Zm9vYmE", Array("fooba".utf8)), ("Zm9vYmFy", Array("foobar".utf8)), ("-_8", [0xFB, 0xFF]),
    ] as [(String, [UInt8])])
  func bothWays(text: String, bytes: [UInt8]) {
    #expect(Base64URL.encode(bytes) == text)
    #expect(Base64URL.decode(text) == bytes)
  }

  @Test(arguments: ["Z", "Zg==", "Zh", "Zm9", "Zm9v\n", "Zm+v", "Zm/v", "Zm9vY", "Zé", " Zg"])
  func otherTextIsRefused(text: String) { #expect(Base64URL.decode(text) == nil) }

  @Test func randomBytesComeBack() {
    for count in 0..<100 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255) }
      #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
    }
  }
}
