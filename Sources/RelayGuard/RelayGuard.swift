public import POSIX

/// Why a guard ended; the line stands at its safe value then, as far as that could be done.
public enum GuardEnd: Hashable, Sendable {
  /// The other end is gone, or a signal came.
  case released
  /// Something came that is none of the messages.
  case nonsense
  /// The line couldn't be driven.
  case failed(Errno)
}

/// The one that holds a relay's line: it opens when it is told to and shuts by itself.
///
/// It shuts at the deadline by CLOCK_BOOTTIME, at the end of what it reads, at a signal, at anything that isn't a message, and
/// when an open lock hears nothing for the heartbeat's time.
public struct RelayGuard<Line: OutputLine>: ~Copyable {
  private let line: Line
  private let input: FileDescriptor
  private let output: FileDescriptor
  private var reader = LineReader(longest: RelayMessage.longest)
  private var state: RelayState
  /// How the line was driven last.
  private var isDrivenOpen = false

  /// How long an open lock waits at a time: poll(2) doesn't count the time that a machine sleeps, the deadline does.
  private static var longestWait: Duration { .milliseconds(250) }

  /// - Parameters:
  ///   - line: stands at its safe value.
  ///   - heartbeat: an open lock shuts when nothing was heard for that long.
  public init(
    _ line: Line, heartbeat: Duration, input: consuming FileDescriptor, output: consuming FileDescriptor
  ) {
    self.line = line
    self.input = input
    self.output = output
    state = RelayState(heartbeat: heartbeat, now: .now())
  }

  /// Guards the line until the end.
  ///
  /// - Parameter signals: those that end it.
  public mutating func run(endingOn signals: borrowing SignalQueue) -> GuardEnd {
    let end = converse(signals)
    // A line that can't be driven now may be in a moment: nobody else will.
    var failure: Errno?
    for _ in 0..<3 {
      failure = drive(open: false, always: true)
      if failure == nil { break }
    }
    if let failure { return last(.failed(failure), "the line can't be set to its safe value: \(failure)") }
    return switch end {
    case .released: end
    case .nonsense: last(end, "that is no message")
    case .failed(let error): last(end, "the line can't be driven: \(error)")
    }
  }

  private func last(_ end: GuardEnd, _ words: String) -> GuardEnd {
    _ = say(.error(words))
    return end
  }

  private mutating func converse(_ signals: borrowing SignalQueue) -> GuardEnd {
    guard say(.closed) else { return .released }
    var poller = Poller([(input.number, .readable), (signals.descriptor, .readable)])
    while true {
      state.expire(now: .now())
      if let failure = drive(open: state.isOpen) { return .failed(failure) }
      let wakeUp = state.wakeUp.map { min($0, .now() + Self.longestWait) }
      do throws(Errno) { _ = try poller.wait(until: wakeUp) } catch { return .failed(error) }
      if !poller.readiness(at: 1).isEmpty { return .released }
      if poller.readiness(at: 0).isEmpty { continue }
      if let end = listen() { return end }
    }
  }

  /// Reads what has come and does it; nil: go on.
  private mutating func listen() -> GuardEnd? {
    let bytes: [UInt8]
    do throws(Errno) { bytes = try input.read(upTo: 256) } catch { return .released }
    if bytes.isEmpty { return .released }
    reader.append(bytes)
    while let line = reader.next() {
      guard let message = RelayMessage(line: line) else { return .nonsense }
      state.take(message, now: .now())
      if let failure = drive(open: state.isOpen) { return .failed(failure) }
      guard say(state.isOpen ? .open : .closed) else { return .released }
    }
    return reader.isTooLong ? .nonsense : nil
  }

  private mutating func drive(open: Bool, always: Bool = false) -> Errno? {
    if open == isDrivenOpen && !always { return nil }
    do throws(Errno) { try line.set(open) } catch { return error }
    isDrivenOpen = open
    return nil
  }

  /// Writes an answer without ever waiting: who doesn't read them is as good as gone.
  private func say(_ answer: RelayAnswer) -> Bool {
    var poller = Poller([(output.number, .writable)])
    do throws(Errno) {
      guard try poller.wait(until: .now()) else { return false }
      try output.writeAll(answer.line.utf8)
      return true
    } catch {
      return false
    }
  }
}
