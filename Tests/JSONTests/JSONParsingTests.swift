import JSON
import Testing

@Suite struct JSONParsingTests {
  @Test(arguments: [
    ("", "empty, expected a JSON text"),
    ("{", "line 1, column 1: the text ends too early"),
    ("{\n  \"a\": tru\n}", "line 2, column 10: not JSON"),
    (#"{"a":1,"a":2}"#, "line 1, column 10: a key stands twice in the same object"),
    ("1 2", "line 1, column 3: something follows the end of the JSON value"),
    (#""\u0000""#, "line 1, column 8: a string holds the character U+0000"),
    ("18446744073709551616", "line 1, column 20: a number too large"),
    ("1e999", "line 1, column 5: a number too large"),
    ("[1,]", "line 1, column 4: not JSON"),
    ("{'a':1}", "line 1, column 2: not JSON"),
    ("// x", "line 1, column 1: not JSON"),
    ("[01]", "line 1, column 2: not JSON"),
    ("NaN", "line 1, column 3: not JSON"),
  ])
  func aFaultIsNamedWithItsPlace(text: String, complaint: String) {
    #expect(complaint == faultOf(Array(text.utf8)))
  }

  @Test(
    arguments: [[0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0xFF], [0x22, 0xC0, 0x80, 0x22]] as [[UInt8]])
  func whatIsNotUTF8IsRefused(bytes: [UInt8]) { #expect(faultOf(bytes)?.hasSuffix("not UTF-8") == true) }

  @Test func aComplaintNeverQuotesTheText() {
    let complaint = faultOf(Array(#"{"secret":"hunter2"#.utf8))
    #expect(complaint?.contains("hunter2") == false)
  }

  @Test func sizeAndDepthAreCapped() throws {
    let limits = JSONLimits(size: 16, depth: 2)
    #expect(try JSONValue(parsing: "[[\"[[[\\\"[\"]]", limits: limits).array?.count == 1)
    #expect(faultOf(Array("[[[]]]".utf8), limits) == "line 1, column 3: nested deeper than 2 levels")
    #expect(faultOf(Array("[\n{\"\u{E9}\":[".utf8), limits) == "line 2, column 6: nested deeper than 2 levels")
    #expect(faultOf(Array(repeating: 0x20, count: 17), limits) == "longer than 16 bytes")
    #expect(faultOf(Array(repeating: 0x5B, count: 1 << 20))?.hasSuffix("nested deeper than 32 levels") == true)
  }

  @Test func everyTruncationIsRefused() {
    let whole = JSONValueTests.everyKind.encoded()
    for length in 0..<whole.count { #expect(faultOf(Array(whole.prefix(length))) != nil, "\(length) bytes") }
  }

  @Test func noBytesTrap() {
    var random = SystemRandomNumberGenerator()
    let whole = JSONValueTests.everyKind.encoded()
    for _ in 0..<2_000 {
      var bytes = whole
      for _ in 0..<3 { bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random) }
      _ = faultOf(bytes)
    }
  }

  private func faultOf(_ bytes: [UInt8], _ limits: JSONLimits = JSONLimits()) -> String? {
    do throws(JSONError) {
      _ = try JSONValue(parsing: bytes, limits: limits)
      return nil
    } catch {
      return error.description
    }
  }
}
