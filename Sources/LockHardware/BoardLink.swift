internal import POSIX

/// The line to a serial board: opened when it is needed, and again when it was lost; one command at a time.
///
/// What the board's inputs say is reported as it comes, whatever is waited for.
struct BoardLink {
  /// How a command came out.
  enum Answer {
    case reply(BoardReply)
    /// Whoever wanted it doesn't any more.
    case interrupted
    /// No reply came, for this reason in words.
    case failed(String)
  }

  private let path: String
  private let baud: UInt32
  private let timing: BoardTiming
  private let report: LockReporter
  private var inputs = BoardInputs()
  private var line: Line?
  private var deframer = BoardDeframer()
  private var buffer = [UInt8](repeating: 0, count: 256)
  private var lastByte: BootInstant
  /// Of the newest command; it begins anywhere, so that a late reply to an earlier daemon is hardly ever taken for one to this.
  private var number: UInt8
  /// What kept the last try from going out; nil where it went.
  private var problem: String?
  /// When the last frame of the board came; at the beginning, this value's making.
  private(set) var lastHeard: BootInstant
  /// The newest of them.
  private(set) var latest: BoardReply?

  init(path: String, baud: UInt32, timing: BoardTiming, report: @escaping LockReporter) {
    self.path = path
    self.baud = baud
    self.timing = timing
    self.report = report
    let now = BootInstant.now()
    lastByte = now
    lastHeard = now
    number = UInt8(truncatingIfNeeded: now.nanoseconds / 1_000_000)
  }

  /// Whether the line was there when it was last used.
  var isOpen: Bool { line != nil }

  /// Sends a command, and again, until the board answers.
  mutating func ask(_ action: BoardOrder.Action, _ patience: BoardPatience) -> Answer {
    number = number == .max ? 1 : number + 1
    let order = BoardOrder(action: action, number: number, time: .now())
    let frame = order.bytes
    let noise = deframer.skipped
    var exchange = BoardExchange(order, timing)
    while true {
      switch exchange.next(now: .now()) {
      case .send: send(frame)
      case .wait(let moment):
        for reply in listen(until: moment, patience) { exchange.heard(reply) }
      case .answered(let reply): return .reply(reply)
      case .gaveUp: return .failed(problem ?? silence(of: order.command, noise: deframer.skipped &- noise))
      }
      guard patience.goesOn() else { return .interrupted }
    }
  }

  /// Waits for what the board says, until something comes, that moment, or a sign that nobody waits any more.
  mutating func listen(until moment: BootInstant, _ patience: BoardPatience) -> [BoardReply] {
    var end = min(moment, patience.deadline() ?? moment)
    if deframer.isWithinFrame { end = min(end, lastByte + timing.gap) }
    if let telling = inputs.tellsAt { end = min(end, telling) }
    var interests: [(descriptor: Int32, readiness: Readiness)] = [(patience.descriptor, .readable)]
    if let line { interests.append((line.number, .readable)) }
    var poller = Poller(interests)
    // Nothing but a wrong argument makes poll(2) fail; the exchange's own end comes all the same.
    do throws(Errno) { _ = try poller.wait(until: end) } catch { return [] }
    var replies: [BoardReply] = []
    let now = BootInstant.now()
    if deframer.isWithinFrame, now >= lastByte + timing.gap {
      deframer.giveUp { BoardReply(command: $0, payload: $1).map { replies.append($0) } }
    }
    if !poller.readiness(at: 1).isEmpty, let count = receive() {
      lastByte = now
      deframer.push(buffer.prefix(count)) { BoardReply(command: $0, payload: $1).map { replies.append($0) } }
    }
    for reply in replies { inputs.take(reply, at: now) }
    tellInputs(now)
    if let newest = replies.last {
      latest = newest
      lastHeard = now
    }
    return replies
  }

  /// The board can't be reached: neither can its inputs.
  mutating func loseInputs(_ reason: String) {
    let now = BootInstant.now()
    inputs.lose(reason, at: now)
    tellInputs(now)
  }

  private mutating func tellInputs(_ now: BootInstant) {
    for news in inputs.tell(at: now) { report(LockReport(.seen(news.role, news.reading), at: news.at)) }
  }

  /// How many bytes have come; nil: none now.
  private mutating func receive() -> Int? {
    guard let line else { return nil }
    do throws(Errno) {
      let count = try line.receive(into: &buffer)
      if count == 0 { lose("the serial line \(path) is gone") }
      return count == 0 ? nil : count
    } catch {
      lose("the serial line \(path) is gone: \(error)")
      return nil
    }
  }

  private mutating func send(_ frame: [UInt8]) {
    do throws(Errno) {
      if line == nil {
        line = Line(try SerialPort.open(path, rate: baud, flowControl: .none))
        deframer.forget()
      }
    } catch {
      return lose("the serial line \(path) can't be opened: \(words(error))")
    }
    do throws(Errno) {
      // A frame is far smaller than any line's buffer: one that doesn't fit means that nothing is let out.
      try line?.send(frame, until: .now() + timing.answer)
      problem = nil
    } catch {
      lose("the serial line \(path) doesn't take a command: \(error)")
    }
  }

  private mutating func lose(_ reason: String) {
    line = nil
    problem = reason
  }

  private func silence(of command: BoardCommand, noise: UInt64) -> String {
    let heard = noise > 0 ? "; \(noise) bytes came that are none of its frames: look at speed and wiring" : ""
    return "the board at \(path) didn't answer “\(command)”, sent \(1 + timing.resends) times\(heard)"
  }

  private func words(_ error: Errno) -> String {
    switch error {
    case .noEntry, .noSuchDevice: "there is no such device"
    case .notTerminal: "this is no serial line"
    case .busy: "another process has it open"
    case .invalidArgument: "the device doesn't do \(baud) baud"
    default: "\(error)"
    }
  }

  /// The open port, which can't be copied, for a value that can.
  private final class Line {
    private let port: SerialPort

    init(_ port: consuming SerialPort) { self.port = port }

    var number: Int32 { port.number }

    func receive(into buffer: inout [UInt8]) throws(Errno) -> Int? { try port.receive(into: &buffer) }

    func send(_ bytes: [UInt8], until deadline: BootInstant) throws(Errno) {
      try port.sendAll(bytes, until: deadline)
    }
  }
}

/// How long somebody waits for the board.
struct BoardPatience {
  /// Readable when it is time to ask `goesOn`.
  let descriptor: Int32
  /// When to ask it whatever happens; nil: never.
  let deadline: () -> BootInstant?
  /// Whether somebody still waits.
  let goesOn: () -> Bool

  /// Until the movement isn't wanted any more.
  init(moving watch: LockDriver.Watch) {
    descriptor = watch.descriptor
    deadline = { watch.deadline }
    goesOn = { watch.stillWanted() }
  }

  /// Until any command comes, or that moment.
  init(resting watch: LockDriver.Watch, until moment: BootInstant?) {
    descriptor = watch.descriptor
    deadline = { moment }
    goesOn = {
      let now = BootInstant.now()
      return !watch.awaitCommand(until: now) && moment.map { $0 > now } ?? true
    }
  }
}
