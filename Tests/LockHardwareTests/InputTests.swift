import GPIO
import Glibc
import POSIX
import TestSupport
import Testing

@testable import LockHardware

/// The threads of pipes and lines.
@Suite struct InputTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func makePipe(_ mode: String = "600") throws -> String {
    let path = folder("pipe")
    try run(executable: "/usr/bin/mkfifo", ["-m", mode, path]).expecting(exit: 0)
    return path
  }

  private func write(_ text: String, to path: String) throws {
    try run(executable: "/bin/sh", ["-c", "printf %b \"$1\" > \"$2\"", "sh", text, path]).expecting(exit: 0)
  }

  // MARK: - Pipes

  @Test func aPipeIsReadAndOutlivesItsWriters() throws {
    let path = try makePipe()
    let heard = Readings()
    let input = try PipeInput(name: "front", role: .sensor, path: path, report: heard.add)
    try heard.await([.found])
    try write("open\\n", to: path)
    try heard.await([.found, .contact(isOpen: true)])
    try write("clo", to: path)
    try write("sed\\n\\nrubbish\\n\\0377\\n", to: path)
    try heard.await([
      .found, .contact(isOpen: true), .contact(isOpen: false), .nonsense("expected open or closed, found “rubbish”"),
    ])
    input.stop()
    #expect(heard.all.count == 4, "a second complaint waits for its time")
  }

  @Test func aPipeThatIsNotThereIsLookedForAndOneThatIsReplacedIsReadAnew() throws {
    let path = folder("pipe")
    let heard = Readings()
    let input = try PipeInput(name: "front", role: .exit, path: path, report: heard.add)
    try heard.await([.lost("can't open \(path): No such file or directory")])
    _ = try makePipe()
    _ = try heard.await { $0.contains(.found) }
    try folder.removeTree("pipe")
    _ = try heard.await { $0.contains(.lost("\(path): changed while it was read")) }
    _ = try makePipe()
    _ = try heard.await { $0.count { $0 == .found } == 2 }
    try write("exit\\n", to: path)
    _ = try heard.await { $0.suffix(2) == [.exitAsked, .exitOver] }
    input.stop()
  }

  @Test func anExitFromBeforeTheStartOpensNothing() throws {
    let path = try makePipe()
    let keeper = try FileDescriptor.open(path, O_RDWR)
    try keeper.writeAll("exit\nexit\n".utf8)
    let heard = Readings()
    let input = try PipeInput(name: "front", role: .exit, path: path, report: heard.add)
    try heard.await([.found])
    try keeper.writeAll("exit\n".utf8)
    try heard.await([.found, .exitAsked, .exitOver])
    input.stop()
    #expect(heard.all.count == 3)
  }

  @Test func norDoesOneWhoseWriterWaitedForTheStart() throws {
    let path = try makePipe()
    // A shell waits in open(2) until somebody reads.
    let writer = try RunningProcess("/bin/sh", ["-c", "echo begun; echo exit > '\(path)'; echo done"])
    try writer.line("beginning") { $0 == "begun" ? true : nil }
    let heard = Readings()
    let input = try PipeInput(name: "front", role: .exit, path: path, report: heard.add)
    try writer.line("end") { $0 == "done" ? true : nil }
    try heard.await([.found])
    let keeper = try FileDescriptor.open(path, O_RDWR)
    try keeper.writeAll("exit\n".utf8)
    try heard.await([.found, .exitAsked, .exitOver])
    input.stop()
    #expect(heard.all.count == 3)
  }

  @Test(arguments: [
    (InputRole.sensor, "open\nclosed\n", "open\n", [InputReading.contact(isOpen: false), .contact(isOpen: true)]),
    (.exit, "exit\n", "", [.exitAsked, .exitOver]),
  ])
  func ofManyWordsAtOnceTheLastCount(_ role: InputRole, _ word: String, _ last: String, _ end: [InputReading]) throws {
    let path = try makePipe()
    let heard = Readings()
    let input = try PipeInput(name: "front", role: role, path: path, report: heard.add)
    try heard.await([.found])
    let keeper = try FileDescriptor.open(path, O_RDWR)
    try keeper.writeAll((String(repeating: word, count: 2_000) + last + "rubbish\n").utf8)
    let readings = try heard.await { if case .nonsense = $0.last { true } else { false } }.map(\.reading)
    input.stop()
    #expect(readings.dropLast().suffix(2) == end[...])
    #expect(readings.count < 100)
  }

  @Test func whatIsNoPipeOrAnybodysIsRefused() throws {
    let path = try makePipe("666")
    let heard = Readings()
    var input = try PipeInput(name: "front", role: .exit, path: path, report: heard.add)
    try heard.await([.lost("\(path): others can change it (mode 0666); run: chmod go-w \(path)")])
    input.stop()
    let file = folder("file")
    try replaceFile(file, contents: [])
    input = try PipeInput(name: "front", role: .exit, path: file, report: heard.add)
    _ = try heard.await { $0.last == .lost("\(file): not a named pipe; mkfifo makes one") }
    input.stop()
  }

  @Test(.enabled(if: geteuid() == 0, "giving a file away needs root"))
  func aPipeOfAnotherUserIsRefused() throws {
    let path = try makePipe()
    try run(executable: "/bin/chown", ["4321", path]).expecting(exit: 0)
    let heard = Readings()
    let input = try PipeInput(name: "front", role: .exit, path: path, report: heard.add)
    try heard.await([.lost("\(path): belongs to another user (id 4321); run: chown 0 \(path)")])
    input.stop()
  }

  // MARK: - Lines

  @Test(arguments: [true, false]) func aLineIsDebouncedByEdgesAndByLooking(hasEdges: Bool) throws {
    let line = try FakeLine(hasEdges: hasEdges)
    let heard = Readings()
    let input = try GPIOInput(
      name: "front", role: .sensor, debounce: .milliseconds(50), report: heard.add, open: { line })
    try heard.await([.found, .contact(isOpen: false)])
    let start = BootInstant.now()
    for isActive in [true, false, true, false, true] { line.set(isActive) }
    let last = BootInstant.now()
    let reports = try heard.await { $0.count == 3 }
    #expect(reports.last?.reading == .contact(isOpen: true))
    let at = try #require(reports.last?.at)
    #expect(at >= start && (!hasEdges || at <= last))
    input.stop()
  }

  @Test func aButtonThatIsPressedWhenItIsLookedAtAsksForNothing() throws {
    let line = try FakeLine(hasEdges: true)
    line.set(true)
    let heard = Readings()
    let input = try GPIOInput(name: "front", role: .exit, debounce: .milliseconds(5), report: heard.add, open: { line })
    try heard.await([.found, .exitFound])
    line.set(false)
    try heard.await([.found, .exitFound, .exitOver])
    line.set(true)
    try heard.await([.found, .exitFound, .exitOver, .exitAsked])
    input.stop()
  }

  @Test func aLineThatIsGoneIsLostAndTriedAgain() throws {
    let line = try FakeLine(hasEdges: false)
    let heard = Readings()
    let input = try GPIOInput(
      name: "front", role: .sensor, debounce: .milliseconds(5), report: heard.add, open: { line })
    try heard.await([.found, .contact(isOpen: false)])
    line.fail(.noSuchDevice)
    _ = try heard.await { $0.contains(.lost("the line can't be read: No such device")) }
    line.fail(nil)
    _ = try heard.await { $0.suffix(2) == [.found, .contact(isOpen: false)] && $0.count > 2 }
    input.stop()
  }

  @Test func aLineWithoutRestOrDebounceReportsAtMostFiftyChangesASecond() throws {
    let line = try FakeLine(hasEdges: false, flips: true)
    let heard = Readings()
    let input = try GPIOInput(name: "front", role: .sensor, debounce: .zero, report: heard.add, open: { line })
    let moments = try heard.await { $0.count > 10 }.map(\.at)
    input.stop()
    // The first two are what it was found with.
    for (before, after) in zip(moments.dropFirst(), moments.dropFirst(2)) {
      #expect(after - before >= .milliseconds(20))
    }
  }

  @Test func anEdgeThatIsReadLateCounts() throws {
    let line = try FakeLine(hasEdges: true)
    let heard = Readings()
    let input = try GPIOInput(
      name: "front", role: .exit, debounce: .milliseconds(30), report: heard.add, open: { line })
    try heard.await([.found])
    // As after a time in which the process, or the machine, stood still.
    let pressed = BootInstant.now() + .seconds(-5)
    line.set(true, at: pressed)
    let reports = try heard.await { $0.count == 2 }
    #expect(reports.last?.reading == .exitAsked && reports.last?.at == pressed)
    input.stop()
  }

  @Test func aPressThatIsOverWhenItsEdgesAreReadCounts() throws {
    let line = try FakeLine(hasEdges: true)
    let heard = Readings()
    let input = try GPIOInput(
      name: "front", role: .exit, debounce: .milliseconds(30), report: heard.add, open: { line })
    try heard.await([.found])
    // Something that bounces, and a press, all of it while the process, or the machine, stood still.
    let began = BootInstant.now() + .seconds(-5)
    line.set([
      LineEdge(isActive: true, at: began), LineEdge(isActive: false, at: began + .milliseconds(10)),
      LineEdge(isActive: true, at: began + .seconds(1)), LineEdge(isActive: false, at: began + .seconds(2)),
    ])
    let reports = try heard.await { $0.count == 3 }
    #expect(reports.dropFirst().map(\.reading) == [.exitAsked, .exitOver])
    #expect(reports.dropFirst().map(\.at) == [began + .seconds(1), began + .seconds(2)])
    // The door opens from now on: nobody was let out before.
    #expect(reports[1].toldAt > began + .seconds(4))
    input.stop()
  }

  @Test func aLineThatNeverRestsIsLostAndNotFoundBetweenAttempts() throws {
    let line = try FakeLine(hasEdges: false, flips: true)
    let heard = Readings()
    let input = try GPIOInput(
      name: "front", role: .sensor, debounce: .milliseconds(100), report: heard.add, open: { line })
    let lost = InputReading.lost("the line doesn't come to rest: look at its wiring and bias")
    try heard.await([lost, lost])
    input.stop()
  }
}

/// What an input has reported.
private final class Readings: Sendable {
  private let reports = Monitor<[InputReport]>([])

  var all: [InputReport] { reports.withLock(waking: false) { $0 } }
  var add: InputReporter { { report in self.reports.withLock { $0.append(report) } } }

  @discardableResult
  func await(_ fits: @Sendable ([InputReading]) -> Bool) throws -> [InputReport] {
    let found = reports.wait(until: .now() + .seconds(20)) { fits($0.map(\.reading)) ? $0 : nil }
    guard let found else { throw TestError("only \(all.map(\.reading))") }
    return found
  }

  /// Waits until it has reported these, and no others before them.
  func await(_ readings: [InputReading]) throws { try self.await { $0.starts(with: readings) } }
}

/// A line whose level the test sets.
private final class FakeLine: InputLine, Sendable {
  private struct State {
    var isActive = false
    var edges: [LineEdge] = []
    var failure: Errno?
  }

  private let state = Monitor(State())
  private let signal: WakeUp
  private let hasEdges: Bool
  /// Whether it is another one each time it is looked at.
  private let flips: Bool

  init(hasEdges: Bool, flips: Bool = false) throws {
    signal = try WakeUp()
    self.hasEdges = hasEdges
    self.flips = flips
  }

  var descriptor: Int32? { hasEdges ? signal.descriptor : nil }

  func isActive() throws(Errno) -> Bool {
    let (isActive, failure) = state.withLock { state in
      if flips { state.isActive.toggle() }
      return (state.isActive, state.failure)
    }
    if let failure { throw failure }
    return isActive
  }

  func takeEdges() throws(Errno) -> [LineEdge] {
    signal.clear()
    return state.withLock { state in
      defer { state.edges = [] }
      return state.edges
    }
  }

  func set(_ isActive: Bool, at: BootInstant = .now()) { set([LineEdge(isActive: isActive, at: at)]) }

  /// All of them at once.
  func set(_ edges: [LineEdge]) {
    state.withLock { state in
      for edge in edges where state.isActive != edge.isActive {
        state.edges.append(edge)
        state.isActive = edge.isActive
      }
    }
    signal.signal()
  }

  func fail(_ failure: Errno?) { state.withLock { $0.failure = failure } }
}
