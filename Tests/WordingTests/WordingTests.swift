import Testing
import Wording

@Suite struct DurationTextTests {
  @Test(arguments: [
    ("250ms", Duration.milliseconds(250)), ("5s", .seconds(5)), ("30m", .seconds(1_800)), ("8h", .seconds(28_800)),
    ("0s", .zero), ("999999999h", .seconds(999_999_999 * 3_600)),
  ])
  func reads(_ text: String, _ duration: Duration) {
    #expect(Duration(text: text) == duration)
    #expect(duration.text == text)
  }

  @Test(arguments: [
    "", "5", "s", "-5s", "+5s", "5 s", " 5s", "5s ", "1.5s", "5sec", "5S", "1h30m", "1000000000s", "٥s", "5d", "5ms5",
  ])
  func refuses(_ text: String) { #expect(Duration(text: text) == nil) }

  @Test func writesTheLargestUnitThatIsExact() {
    #expect(Duration.seconds(90).text == "90s")
    #expect(Duration.seconds(120).text == "2m")
    #expect(Duration.milliseconds(1_500).text == "1500ms")
    #expect(Duration.microseconds(1_500_250).text == "1500ms")
    #expect((Duration.zero - .seconds(5)).text == "-5s")
  }
}

@Suite struct HexadecimalTests {
  @Test func bothWays() {
    let bytes = [UInt8](0...255)
    #expect(Hexadecimal.bytes(Hexadecimal.text(bytes)) == bytes)
    #expect(Hexadecimal.bytes(Hexadecimal.text(bytes).uppercased()) == bytes)
    #expect(Hexadecimal.text([0, 10, 255]) == "000aff")
    #expect(Hexadecimal.bytes("") == [])
  }

  @Test(arguments: ["0", "0g", "0x00", " 00", "00 ", "0\u{0661}", "--", "/0", ":0", "@0", "G0", "`0"])
  func refuses(_ text: String) { #expect(Hexadecimal.bytes(text) == nil) }
}

@Suite struct NearestWordTests {
  @Test(arguments: [
    ("secnods", "seconds"), ("second", "seconds"), ("secondss", "seconds"), ("minute", "minutes"), ("dor", "door"),
    ("seconds", "seconds"),
  ])
  func finds(_ typed: String, _ meant: String) {
    #expect(nearestWord(to: typed, among: ["minutes", "seconds", "door"]) == meant)
  }

  @Test(arguments: ["", "frequency", "xyz", String(repeating: "seconds", count: 1_000)])
  func findsNone(_ typed: String) {
    #expect(nearestWord(to: typed, among: ["minutes", "seconds", "door"]) == nil)
  }
}

@Suite struct PrintableTests {
  @Test func keepsNamesAndShowsControls() {
    #expect("Zoë Дверь 玄関 👩‍💻".printable == "Zoë Дверь 玄関 👩‍💻")
    #expect("a\nb\u{1B}[31m\u{202E}\u{7F}\u{9B}".printable == "a\\u{a}b\\u{1b}[31m\\u{202e}\\u{7f}\\u{9b}")
  }
}
