import POSIX
import Synchronization
import Testing

@testable import LockHardware

@Suite struct ProgramOutputTests {
  /// The lines of bytes that a program wrote before it ended.
  private func lines(of bytes: [UInt8]) throws -> [String] {
    let pipe = try Pipe()
    try pipe.writer.writeAll(bytes)
    var output = ProgramOutput(pipe.closingWriter())
    let lines = Mutex<[String]>([])
    output.finish { line in lines.withLock { $0.append(line) } }
    return lines.withLock { $0 }
  }

  @Test(
    arguments: [
      ("", []), ("\n\n", []), ("one\ntwo\n", ["one", "two"]), ("one\ntwo", ["one", "two"]),
      ("one\r\n", ["one\u{FFFD}"]),
      ("a\u{202E}b\u{2028}c\u{0}d\u{7F}", ["a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}"]), ("Tür\toffen", ["Tür offen"]),
    ] as [(String, [String])])
  func areLinesForPeople(_ text: String, _ expected: [String]) throws {
    #expect(try lines(of: Array(text.utf8)) == expected)
  }

  @Test func whatIsNoUTF8IsReplaced() throws {
    #expect(try lines(of: [0xFF, 0x41, 0xC3, 0x0A]) == ["\u{FFFD}A\u{FFFD}"])
  }

  @Test func aLongLineIsCut() throws {
    let longest = String(repeating: "x", count: ProgramOutput.longestLine)
    #expect(try lines(of: Array((longest + "\n").utf8)) == [longest])
    #expect(try lines(of: Array((longest + "xyz\nnext\n").utf8)) == [longest + "…", "next"])
  }

  @Test func manyLinesAreCut() throws {
    let text = (1...50).map { "\($0)\n" }.joined()
    let lines = try lines(of: Array(text.utf8))
    #expect(lines.count == 21 && lines[19] == "20" && lines[20] == "… and more, which is dropped")
  }
}
