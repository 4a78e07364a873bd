import POSIX
import Testing

@testable import RelayGuard

@Suite struct RelayMessageTests {
  @Test(arguments: [
    RelayMessage.open(until: BootInstant(nanoseconds: 0)), .open(until: BootInstant(nanoseconds: .max)), .hold, .close,
    .beat,
  ])
  func aMessageIsReadAsItWasWritten(_ message: RelayMessage) {
    #expect(message.line.last == "\n")
    #expect(message.line.utf8.count <= RelayMessage.longest + 1)
    #expect(RelayMessage(line: Array(message.line.utf8.dropLast())) == message)
  }

  @Test(arguments: [
    "", "open", "open ", "open x", "open -1", "open +1", "open 1.5", "open 18446744073709551616", "open 1 ", " open 1",
    "OPEN 1", "Hold", "hold ", "close\r", "beat\0", "open \u{661}", "open 000000000000000000001",
  ])
  func anythingElseIsNone(_ line: String) {
    #expect(RelayMessage(line: Array(line.utf8)) == nil)
  }

  @Test func bytesThatAreNoTextAreNone() { #expect(RelayMessage(line: [0xFF, 0xFE]) == nil) }

  @Test(arguments: [RelayAnswer.open, .closed, .error("line 5 of gpiochip0: Device or resource busy")])
  func anAnswerIsReadAsItWasWritten(_ answer: RelayAnswer) {
    #expect(RelayAnswer(line: Array(answer.line.utf8.dropLast())) == answer)
  }

  @Test func linesAreCutWhereverTheStreamIs() {
    var reader = LineReader(longest: 8)
    for byte in "one\ntwo\n\nthree".utf8 { reader.append([byte]) }
    #expect(reader.next() == Array("one".utf8))
    #expect(reader.next() == Array("two".utf8))
    #expect(reader.next() == [])
    #expect(reader.next() == nil)
    #expect(!reader.isTooLong)
    reader.append("threes".utf8)
    #expect(reader.isTooLong)
  }
}

@Suite struct RelayOptionsTests {
  private func options(_ text: String) -> RelayOptions? {
    RelayOptions(arguments: text.split(separator: " ").map(String.init))
  }

  @Test func allOfThemAreReadAsTheyWereWritten() {
    var wanted = RelayOptions(
      RelayLine(chip: "AMDIF030:00", place: .name("STRIKE"), isActiveLow: true, bias: .pullDown))
    wanted.consumer = "latchkey front"
    wanted.heartbeat = .milliseconds(500)
    wanted.user = 1000
    #expect(RelayOptions(arguments: wanted.arguments) == wanted)
  }

  @Test func chipAndLineAreEnough() throws {
    let few = try #require(options("--line 17 --chip gpiochip0"))
    #expect(few == RelayOptions(RelayLine(chip: "gpiochip0", place: .number(17))))
    #expect(few.heartbeat == .seconds(2))
    #expect(few.user == 65_534)
    #expect(RelayOptions(arguments: few.arguments) == few)
  }

  @Test(arguments: [
    "", "--chip gpiochip0", "--line 1", "--chip --line 1", "--chip a --line", "--chip a --line 65536",
    "--chip a --line 1 x",
    "--chip a --chip b --line 1", "--chip a --line 1 --active-low --active-low", "--chip a --line 1 --bias up",
    "--chip a --line 1 --heartbeat 2", "--chip a --line 1 --heartbeat 99ms", "--chip a --line 1 --heartbeat 61s",
    "--chip a --line 1 --user 0", "--chip a --line 1 --user root", "--chip a --line 1 --user 4294967295",
    "--chip a --line 1 --help", "--chip a --line é", "--chip aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa --line 1",
  ])
  func anythingElseIsRefused(_ text: String) { #expect(options(text) == nil) }
}
