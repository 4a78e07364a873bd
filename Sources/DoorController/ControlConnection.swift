internal import POSIX

/// One client of the control socket, without the socket: bytes and time go in, requests and bytes come out.
///
/// One request is answered after the other; whatever the client sends or doesn't send, it has an end, and a bound.
struct ControlConnection {
  /// The most bytes of a request with its line break.
  static let longestLine = 4_096
  /// How long a client may take to send a whole request, and as long again to take its answer.
  static let patience = Duration.seconds(10)

  private enum State {
    case reading
    /// The door's thread was asked.
    case asking
    /// There are bytes to send, and then it goes on.
    case answering
    /// There are bytes to send, and then it is over.
    case leaving
  }

  private var state = State.reading
  private var input: [UInt8] = []
  private var hasEnded = false
  /// What is to be sent next.
  private(set) var output: ArraySlice<UInt8> = []
  /// When `expire` is due.
  private(set) var deadline: BootInstant

  init(now: BootInstant) { deadline = now + Self.patience }

  /// One that is told why it isn't served.
  init(refusing refusal: ControlRefusal, now: BootInstant) {
    self.init(now: now)
    leave(refusal)
  }

  /// Whether the connection is to be closed.
  var isOver: Bool {
    if case .leaving = state { output.isEmpty } else { false }
  }

  /// What to wait for at the socket.
  var interest: Readiness {
    switch state {
    case .reading: .readable
    case .asking: []
    case .answering, .leaving: .writable
    }
  }

  /// Takes bytes of the client in; none: it sends no more.
  mutating func receive(_ bytes: ArraySlice<UInt8>) {
    input += bytes
    if bytes.isEmpty { hasEnded = true }
  }

  /// The next request, which then waits for `answer`; nil where there is none now.
  mutating func nextRequest(now: BootInstant) -> ControlRequest? {
    guard case .reading = state else { return nil }
    guard let end = input.firstIndex(of: UInt8(ascii: "\n")) else {
      if input.count >= Self.longestLine {
        leave(ControlRefusal(.badRequest, "the request is longer than \(Self.longestLine) bytes"))
      } else if hasEnded, !input.isEmpty {
        leave(ControlRefusal(.badRequest, "the request has no line break at its end"))
      } else if hasEnded {
        state = .leaving
      }
      return nil
    }
    let line = Array(input[..<end])
    input.removeFirst(end + 1)
    do throws(ControlRefusal) {
      let request = try ControlRequest(parsing: line)
      state = .asking
      deadline = now + request.answerLimit
      return request
    } catch {
      send(error.line, now)
      return nil
    }
  }

  /// The answer to the request; one that comes too late goes nowhere.
  mutating func answer(_ line: [UInt8], now: BootInstant) {
    if case .asking = state { send(line, now) }
  }

  private mutating func send(_ line: [UInt8], _ now: BootInstant) {
    state = .answering
    output = line[...]
    deadline = now + Self.patience
  }

  /// So many bytes of `output` went out.
  mutating func sent(_ count: Int, now: BootInstant) {
    output = output.dropFirst(count)
    if case .answering = state, output.isEmpty {
      state = .reading
      deadline = now + Self.patience
    }
  }

  /// Looks whether the deadline has passed, and ends the connection where it has.
  mutating func expire(now: BootInstant) {
    guard now >= deadline else { return }
    switch state {
    case .reading: leave(ControlRefusal(.tooSlow, "no request in \(Self.patience.components.seconds) s"))
    case .asking:
      leave(ControlRefusal(.stuck, "the door's thread doesn't answer"))
    case .answering, .leaving:
      // It doesn't take what it asked for.
      state = .leaving
      output = []
    }
    deadline = now + Self.patience
  }

  private mutating func leave(_ refusal: ControlRefusal) {
    state = .leaving
    output = refusal.line[...]
  }
}
