import POSIX
import Testing

@testable import CommandLineTool

@Suite struct ArgumentParserTests {
  @Test(arguments: [
    // arguments, what the command saw
    (["unlock", "front"], "front - false [] -"),
    (["unlock", "front", "--seconds", "5"], "front 5 false [] -"),
    (["unlock", "--seconds=5", "front"], "front 5 false [] -"),
    (["unlock", "--end", "front"], "front - true [] -"),
    (["--credential", "a", "unlock", "front", "--credential=b"], "front - false [\"a\", \"b\"] -"),
    (["unlock", "--", "--front"], "--front - false [] -"),
    (["unlock", "front", "--timeout", "250ms"], "front - false [] 250ms"),
    (["door", "add", "x1"], "added x1"),
  ])
  func reads(_ arguments: [String], _ expected: String) {
    let run = Run(arguments)
    #expect(run.errors == "")
    #expect(run.output == expected + "\n")
    #expect(run.exit == .done)
  }

  @Test(arguments: [
    ([], "expected a command; see tool --help"),
    (["unlok", "front"], "unknown command “unlok”; did you mean “unlock”?; see tool --help"),
    (["frobnicate"], "unknown command “frobnicate”; see tool --help"),
    (["door"], "“door” goes on with add, list; see tool --help"),
    (["door", "ad"], "unknown command “door ad”; did you mean “door add”?; see tool --help"),
    (["unlock"], "unlock: expected DOOR"),
    (["unlock", "a", "b"], "unexpected argument “b” of unlock"),
    (["unlock", "a", "--secnods", "5"], "unknown option --secnods of unlock; did you mean --seconds?"),
    (["--seconds", "5", "unlock", "a"], "unknown option --seconds before the command"),
    (["unlock", "a", "-x"], "unknown option -x of unlock"),
    (["unlock", "a", "--seconds"], "--seconds: expected a value (--seconds N)"),
    (["unlock", "a", "--seconds", "--end"], "--seconds: expected a value (--seconds N)"),
    (["unlock", "a", "--seconds", "0"], "--seconds: expected a whole number from 1 to 255, not “0”"),
    (["unlock", "a", "--seconds", "256"], "--seconds: expected a whole number from 1 to 255, not “256”"),
    (["unlock", "a", "--seconds", "5s"], "--seconds: expected a whole number from 1 to 255, not “5s”"),
    (["unlock", "a", "--seconds", "+5"], "--seconds: expected a whole number from 1 to 255, not “+5”"),
    (["unlock", "a", "--seconds=", "5"], "--seconds: expected a whole number from 1 to 255, not “”"),
    (["unlock", "a", "--seconds", "1", "--seconds", "1"], "--seconds is given twice"),
    (["unlock", "a", "--end=yes"], "--end takes no value"),
    (["unlock", "a", "--timeout", "5"], "--timeout: expected a duration from 1ms to 1h, not “5”"),
    (["unlock", "a\nb", "c\u{1B}"], "unexpected argument “c\\u{1b}” of unlock"),
    (["unlock", "a", "--schedule", "b"], "--schedule: not built yet"),
    (["scan", "--seconds", "5", "--whatever"], "scan: not built yet"),
    (
      ["door", "list", "--carrier", "nam"],
      "--carrier: expected one of uuid128, name, not “nam”; did you mean “name”?"
    ),
    (["door", "list"], "door list: expected --carrier WORD"),
  ])
  func refuses(_ arguments: [String], _ message: String) {
    let run = Run(arguments)
    #expect(run.output == "")
    #expect(run.errors == "tool: \(message)\n")
    #expect(run.exit == .usage)
  }

  @Test(arguments: [["--help"], ["-h"], ["unlock", "--help"], ["unlock", "a", "--seconds", "x", "-h"]])
  func helps(_ arguments: [String]) {
    let run = Run(arguments)
    #expect(run.output.hasPrefix("usage: tool "))
    #expect(run.output.contains("--json"))
    #expect(run.errors == "")
    #expect(run.exit == .done)
  }

  @Test func helpNamesWhatIsNotBuilt() {
    #expect(Run(["--help"]).output.contains("scan       doors nearby (not built yet)\n"))
    #expect(Run(["unlock", "--help"]).output.contains("--schedule ID      a schedule (not built yet)\n"))
  }
}

@Suite struct ValueReaderTests {
  @Test(arguments: [("00FF", UInt16(255)), ("f5ff", 0xF5FF)])
  func hexadecimalNumbers(_ text: String, _ value: UInt16) throws {
    #expect(ValueReader<UInt16>.hexadecimal(digits: 4).read(text) == value)
  }

  @Test(arguments: ["", "+0FF", "-0FF", "F5F", "F5FFF", "F5FG", "0xF5"])
  func refusedHexadecimalNumbers(_ text: String) {
    #expect(ValueReader<UInt16>.hexadecimal(digits: 4).read(text) == nil)
  }

  @Test func lists() {
    let reader = ValueReader<Int>.integer(in: 1...9).list
    #expect(reader.read("1,2,3") == [1, 2, 3])
    for text in ["", ",", "1,", ",1", "1,,2", "1, 2", "1;2", "10"] { #expect(reader.read(text) == nil) }
  }

  @Test func times() {
    #expect(ValueReader.time.read("1970-01-01T00:00:05Z")?.seconds == 5)
    #expect(ValueReader.time.read("now") != nil)
    #expect(ValueReader.time.read("1970-01-01T00:00:05") == nil)
  }

  @Test func bytes() {
    #expect(ValueReader.bytes(1...2).read("0aFf") == [10, 255])
    for text in ["", "0a0b0c", "0", "zz"] { #expect(ValueReader.bytes(1...2).read(text) == nil) }
  }

  @Test func seconds() {
    let reader = ValueReader<Duration>.seconds(in: .milliseconds(50)...(.seconds(3_600)))
    #expect(reader.expected == "seconds from 0.050 to 3600")
    #expect(reader.read("3") == .seconds(3))
    #expect(reader.read("0.5") == .milliseconds(500))
    #expect(reader.read("1.025") == .milliseconds(1_025))
    for text in ["", ".", "1.", ".5", "1.0000", "1e3", "-1", "+1", "3s", "0.049", "3600.001", "9999999999"] {
      #expect(reader.read(text) == nil, "\(text)")
    }
  }

  @Test func paths() {
    #expect(ValueReader.path.read("a/b") == "a/b")
    #expect(ValueReader.path.read("") == nil)
    #expect(ValueReader.path.read("a\0b") == nil)
  }
}
