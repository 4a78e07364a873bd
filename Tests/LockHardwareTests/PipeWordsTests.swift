import Testing

@testable import LockHardware

/// What may come out of a pipe.
@Suite struct PipeWordsTests {
  private func words(_ text: String, _ role: InputRole = .sensor) -> [InputReading] {
    var words = PipeWords(role)
    return words.take(text.utf8)
  }

  @Test func aWordALine() {
    #expect(words("open\nclosed\r\n\n") == [.contact(isOpen: true), .contact(isOpen: false)])
    #expect(words("exit\n", .exit) == [.exitAsked, .exitOver])
  }

  @Test func aLineThatIsNotWholeWaits() {
    var words = PipeWords(.sensor)
    #expect(words.take("op".utf8).isEmpty)
    #expect(words.take("en\nclo".utf8) == [.contact(isOpen: true)])
    #expect(words.take("sed\n".utf8) == [.contact(isOpen: false)])
  }

  @Test(arguments: [
    ("exit\n", InputRole.sensor, "expected open or closed, found “exit”"),
    ("open\n", .exit, "expected exit, found “open”"), ("Open\n", .sensor, "expected open or closed, found “Open”"),
    (" open\n", .sensor, "expected open or closed, found “ open”"),
    ("a\u{1B}[2J\n", .sensor, "expected open or closed, found “a\\u{1b}[2J”"),
    (String(repeating: "x", count: 33) + "\n", .exit, "expected exit, found “\(String(repeating: "x", count: 32))…”"),
  ])
  func whatIsNoWordOfItsOwnIsNonsense(_ text: String, _ role: InputRole, _ complaint: String) {
    #expect(words(text, role) == [.nonsense(complaint)])
  }

  @Test func aLineThatBeginsWithAWordAndIsTooLongIsNone() {
    #expect(words("open" + String(repeating: " ", count: 100) + "\nopen\n").last == .contact(isOpen: true))
    #expect(words("open" + String(repeating: " ", count: 100) + "\n").contains(.contact(isOpen: true)) == false)
  }

  @Test(arguments: [
    ("", []), ("closed\n", [false]), ("open\nopen\n", [true]), ("open\nclosed\n", [true, false]),
    ("closed\nopen\nclosed\nclosed\nopen\n", [false, true]),
  ])
  func ofWhatComesAtOnceTheLastOpeningAndClosingCount(_ text: String, _ isOpen: [Bool]) {
    var words = PipeWords(.sensor)
    let (meant, nonsense) = words.takeNewest(("a\nb\n" + text + "c").utf8)
    #expect(meant == isOpen.map { .contact(isOpen: $0) })
    #expect(nonsense == .nonsense("expected open or closed, found “a”"))
  }

  @Test func bytesThatAreNoTextAreNonsense() {
    var words = PipeWords(.sensor)
    #expect(words.take([0xFF, 0x00, 0x0A]) == [.nonsense("expected open or closed, found “\u{FFFD}\\u{0}”")])
    #expect(words.take([0x0A]).isEmpty)
  }
}
