import Glibc
import POSIX
import TestSupport
import Testing

@Suite struct SerialPortTests {
  private let line: PseudoTerminal

  init() throws { line = try PseudoTerminal() }

  @Test func isRawAndFastAndComesBackAsItWas() throws {
    let before = try line.settings()
    do {
      let port = try SerialPort.open(line.path, rate: 921_600, flowControl: .hardware)
      let set = try line.settings()
      #expect(set.speed == UInt32(B921600))
      #expect(set.flags & UInt32(truncatingIfNeeded: CRTSCTS) != 0 && set.flags & UInt32(CSIZE) == UInt32(CS8))
      #expect(set.local & UInt32(ICANON | ECHO | ISIG) == 0)
      // Every byte goes through as it is.
      let all = Array(UInt8.min...UInt8.max)
      try port.sendAll(all, until: .now() + .seconds(20))
      #expect(try line.receive(256) == all)
      try line.send(all)
      var received: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 100)
      while received.count < 256 {
        var poller = Poller([(port.number, .readable)])
        #expect(try poller.wait(until: .now() + .seconds(20)))
        if let count = try port.receive(into: &buffer) { received += buffer.prefix(count) }
      }
      #expect(received == all)
      #expect(try port.receive(into: &buffer) == nil)
    }
    let after = try line.settings()
    #expect(after == before)
  }

  @Test func withoutFlowControlNobodyHoldsBack() throws {
    let port = try SerialPort.open(line.path, rate: 4_000_000, flowControl: .none)
    #expect(try line.settings().flags & UInt32(truncatingIfNeeded: CRTSCTS) == 0)
    _ = port.number
  }

  @Test func isForOneProgramOnly() throws {
    let port = try SerialPort.open(line.path, rate: 9600, flowControl: .none)
    // The tests may run as root, whom only the second lock keeps out.
    let error = #expect(throws: Errno.self) { _ = try SerialPort.open(line.path, rate: 9600, flowControl: .none) }
    #expect(error == .busy)
    _ = port.number
  }

  @Test func whatItHeardBeforeIsGone() throws {
    let first = try SerialPort.open(line.path, rate: 9600, flowControl: .none)
    _ = first.number
    try line.send([1, 2, 3])
    // The first is closed here.
    _ = consume first
    let port = try SerialPort.open(line.path, rate: 9600, flowControl: .none)
    var buffer = [UInt8](repeating: 0, count: 10)
    #expect(try port.receive(into: &buffer) == nil)
  }

  @Test func refusesWhatIsNoLine() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("file", "x")
    let errors: [(String, Errno)] = [(file, .notTerminal), (directory("none"), .noEntry)]
    for (path, expected) in errors {
      let error = #expect(throws: Errno.self) { _ = try SerialPort.open(path, rate: 9600, flowControl: .none) }
      #expect(error == expected)
    }
    let odd = #expect(throws: Errno.self) { _ = try SerialPort.open(line.path, rate: 12_345, flowControl: .none) }
    #expect(odd == .invalidArgument)
    #expect(SerialPort.speeds == SerialPort.speeds.sorted() && SerialPort.speeds.last == 4_000_000)
  }
}
