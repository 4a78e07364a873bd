import Glibc
import POSIX
import RelayGuard
import TestSupport
import Testing

/// A line that remembers how it was driven, and when.
private final class RecordingLine: OutputLine, Sendable {
  struct Edge: Sendable {
    let isOpen: Bool
    let at: BootInstant
  }

  private let driven = Monitor<[Edge]>([])
  let failure = Monitor<Errno?>(nil)

  func set(_ open: Bool) throws(Errno) {
    if let failure = failure.withLock({ $0 }) { throw failure }
    driven.withLock { $0.append(Edge(isOpen: open, at: .now())) }
  }

  var all: [Bool] { driven.withLock { $0.map(\.isOpen) } }

  var last: Edge? { driven.withLock { $0.last } }
}

/// A guard on a thread of its own, and the other end of what it reads and writes.
private final class GuardedLine: Sendable {
  let line = RecordingLine()
  private let own: Socket
  private let end = Monitor<GuardEnd?>(nil)
  private let seen = Monitor(LineReader(longest: RelayAnswer.longest))

  init(heartbeat: Duration = .seconds(20)) throws {
    // The guard's own program blocks that signal.
    StandardStream.ignoreBrokenPipes()
    var ends: [Int32] = [-1, -1]
    try systemCall { unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) }
    own = Socket(takingOwnershipOf: FileDescriptor(takingOwnershipOf: ends[0]))
    let (input, line, end) = (ends[1], line, end)
    _ = try Thread(name: "guard") {
      // No signal that the tests know; what they do is shown by the program's own tests.
      guard let signals = try? SignalQueue(blocking: [Signal(rawValue: 60)]) else { return }
      var relay = RelayGuard(
        line, heartbeat: heartbeat, input: FileDescriptor(takingOwnershipOf: input),
        output: FileDescriptor(takingOwnershipOf: dup(input)))
      let reason = relay.run(endingOn: signals)
      end.withLock { $0 = reason }
    }
    #expect(try answer() == .closed, "it says that it has begun")
  }

  func write(_ text: String) throws { try own.sendAll(Array(text.utf8), until: .now() + .seconds(20)) }

  func say(_ message: RelayMessage) throws -> RelayAnswer {
    try write(message.line)
    return try answer()
  }

  func answer() throws -> RelayAnswer {
    let limit = BootInstant.now() + .seconds(20)
    while true {
      if let line = seen.withLock({ $0.next() }) {
        guard let answer = RelayAnswer(line: line) else { throw TestError("no answer: \(line)") }
        return answer
      }
      var buffer = [UInt8](repeating: 0, count: 400)
      var poller = Poller([(own.number, .readable)])
      guard try poller.wait(until: limit) else { throw Errno.timedOut }
      guard let count = try own.receive(into: &buffer), count > 0 else { throw Errno.brokenPipe }
      seen.withLock { $0.append(buffer[..<count]) }
    }
  }

  func hangUp() { shutdown(own.number, Int32(SHUT_RDWR)) }

  func waitForEnd() throws -> GuardEnd {
    guard let end = end.wait(until: .now() + .seconds(20), { $0 }) else { throw TestError("the guard goes on") }
    return end
  }
}

@Suite struct RelayGuardTests {
  @Test func aPulseClosesAtItsDeadlineByItself() throws {
    let guarded = try GuardedLine()
    let end = BootInstant.now() + .milliseconds(200)
    #expect(try guarded.say(.open(until: end)) == .open)
    guarded.line.waitForClosing()
    let closed = try #require(guarded.line.last)
    #expect(closed.at >= end)
    #expect(try guarded.say(.beat) == .closed)
    #expect(guarded.line.all == [true, false])
    guarded.hangUp()
    #expect(try guarded.waitForEnd() == .released)
  }

  @Test func anExtensionIsNoEdge() throws {
    let guarded = try GuardedLine()
    #expect(try guarded.say(.open(until: .now() + .seconds(20))) == .open)
    #expect(try guarded.say(.hold) == .open)
    #expect(try guarded.say(.beat) == .open)
    #expect(guarded.line.all == [true])
    #expect(try guarded.say(.close) == .closed)
    #expect(guarded.line.all == [true, false])
  }

  @Test func theEndOfItsInputClosesIt() throws {
    let guarded = try GuardedLine()
    #expect(try guarded.say(.hold) == .open)
    guarded.hangUp()
    #expect(try guarded.waitForEnd() == .released)
    #expect(guarded.line.all == [true, false])
  }

  @Test func silenceClosesIt() throws {
    let guarded = try GuardedLine(heartbeat: .milliseconds(200))
    #expect(try guarded.say(.hold) == .open)
    guarded.line.waitForClosing()
    #expect(try guarded.say(.beat) == .closed)
    guarded.hangUp()
    #expect(try guarded.waitForEnd() == .released)
  }

  @Test(arguments: ["garbage\n", "open\n", "beat\nopen 5 \n", String(repeating: "x", count: 4_000), "\n", "hold\0\n"])
  func nonsenseClosesIt(_ text: String) throws {
    let guarded = try GuardedLine()
    #expect(try guarded.say(.hold) == .open)
    try guarded.write(text)
    #expect(try guarded.waitForEnd() == .nonsense)
    #expect(guarded.line.all == [true, false])
  }

  /// Who floods it and reads no answers can't keep it from shutting.
  @Test func answersThatNobodyReadsCloseIt() throws {
    let guarded = try GuardedLine()
    let flood = String(repeating: RelayMessage.hold.line, count: 100)
    do { while true { try guarded.write(flood) } } catch {}
    #expect(try guarded.waitForEnd() == .released)
    #expect(guarded.line.last?.isOpen == false)
  }

  @Test func aLineThatCanNotBeDrivenIsTold() throws {
    let guarded = try GuardedLine()
    guarded.line.failure.withLock { $0 = .inputOutput }
    try guarded.write(RelayMessage.hold.line)
    guard case .error = try guarded.answer() else {
      Issue.record("no error")
      return
    }
    #expect(try guarded.waitForEnd() == .failed(.inputOutput))
  }
}

extension RecordingLine {
  /// Waits until it has been closed again.
  fileprivate func waitForClosing() {
    _ = driven.wait(until: .now() + .seconds(20)) { $0.last?.isOpen == false ? true : nil }
  }
}
