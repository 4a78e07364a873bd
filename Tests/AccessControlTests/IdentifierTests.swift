import Testing

@testable import AccessControl

@Suite("Identifiers")
struct IdentifierTests {
  @Test(arguments: ["a", "0", "00ab", "alice-phone", "a.b_c-d", String(repeating: "z", count: 64)])
  func takes(_ text: String) {
    #expect(Identifier(text)?.text == text)
    #expect(Identifier(utf8: Array(text.utf8).span)?.text == text)
  }

  @Test(arguments: [
    "", "-a", ".a", "_a", "A", "aB", "a b", "a/b", "é", "e\u{301}", "a\0", "a\n", "１",
    String(repeating: "z", count: 65),
  ])
  func refuses(_ text: String) {
    #expect(Identifier(text) == nil)
    #expect(Identifier(utf8: Array(text.utf8).span) == nil)
  }

  @Test func comparesBytes() throws {
    let texts = ["0", "00ab", "0ab", "a", "a-b", "a.b", "a0", "a_b", "ab"]
    let sorted = texts.compactMap(Identifier.init).sorted().map { Array($0.text.utf8) }
    #expect(sorted == texts.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
    #expect(Identifier("00ab") != Identifier("0ab"))
  }
}

@Suite("Display names")
struct DisplayNameTests {
  @Test(arguments: [
    "Alice", "Zoë", "Αλίκη Παπαδοπούλου", "李雷", "عليّة", "می‌روم", "👩‍👩‍👧", "O'Brien & Söhne, 2. Stock", "a",
    String(repeating: "x", count: 200),
  ])
  func takes(_ text: String) throws { #expect(try Array(DisplayName(text).text.utf8) == Array(text.utf8)) }

  @Test func normalises() throws {
    let name = try DisplayName("Zoe\u{308} \u{212B}")
    #expect(Array(name.text.utf8) == Array("Zo\u{EB} \u{C5}".utf8))
    #expect(try DisplayName("\u{1112}\u{1161}\u{11AB}").text.unicodeScalars.count == 1)
  }

  @Test(
    arguments: [
      ("", .empty), ("\u{200D}", .empty), ("\u{3164}", .empty), ("   ", .empty),
      ("a\u{0}", .character("\u{0}")), ("a\tb", .character("\t")), ("a\nb", .character("\n")),
      ("\u{7F}a", .character("\u{7F}")), ("\u{85}a", .character("\u{85}")),
      ("abc\u{202E}cba", .character("\u{202E}")), ("\u{2066}a\u{2069}", .character("\u{2066}")),
      ("a\u{61C}", .character("\u{61C}")), ("a\u{200E}", .character("\u{200E}")),
      ("a\u{2028}b", .character("\u{2028}")), ("\u{FEFF}a", .character("\u{FEFF}")), ("a\u{AD}b", .character("\u{AD}")),
      ("a\u{E0041}", .character("\u{E0041}")), ("a\u{FFFF}", .character("\u{FFFF}")),
      (" a", .spaceAtAnEnd), ("a\u{A0}", .spaceAtAnEnd),
      (String(repeating: "é", count: 101), .tooLong(bytes: 202)),
    ] as [(String, DisplayNameError)])
  func refuses(_ text: String, _ error: DisplayNameError) {
    #expect(throws: error) { try DisplayName(text) }
  }

  @Test func namesTheCharacter() {
    #expect(
      DisplayNameError.character("\u{7}").description
        == "expected a name without control or direction characters, found U+0007")
  }
}
