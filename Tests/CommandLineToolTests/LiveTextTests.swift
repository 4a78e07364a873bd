import POSIX
import Synchronization
import Testing

@testable import CommandLineTool

@Suite struct LiveTextTests {
  /// What a terminal gets.
  private func drawn(_ body: (inout LiveText) -> Void) -> String {
    let bytes = Mutex<[UInt8]>([])
    let sink = Sink(isTerminal: true) { (new: [UInt8]) throws(Errno) in bytes.withLock { $0 += new } }
    let output = Output(json: false, sink, sink)
    #expect(output.isLive && !Output(json: true, sink, sink).isLive)
    var live = LiveText(output)
    body(&live)
    return bytes.withLock { String(decoding: $0, as: UTF8.self) }.replacing("\u{1B}[", with: "^")
  }

  @Test func linesTakeThePlaceOfThoseBefore() {
    let text = drawn { live in
      live.draw(["one", "two"], rows: 24)
      live.draw(["three"], rows: 24)
      live.draw([], rows: 24)
    }
    #expect(text == "\r^?7lone^K\ntwo^K\n^J^?7h\r^2A^?7lthree^K\n^J^?7h\r^1A^?7l^J^?7h")
  }

  @Test(arguments: [(3, ["a", "… and 3 more"]), (5, ["a", "b", "c", "d"]), (1, ["… and 4 more"])])
  func whatDoesNotFitTheTerminalIsCounted(_ rows: Int, _ shown: [String]) {
    let text = drawn { $0.draw(["a", "b", "c", "d"], rows: rows) }
    #expect(text == "\r^?7l" + shown.map { "\($0)^K\n" }.joined() + "^J^?7h")
  }

  @Test func aTerminalThatKnowsNoSizeHasRoomForTwentyThree() {
    let lines = (0..<30).map { "\($0)" }
    #expect(drawn { $0.draw(lines, rows: nil) }.contains("22^K\n") == false)
    #expect(drawn { $0.draw(lines, rows: 0) }.contains("… and 8 more"))
  }
}
