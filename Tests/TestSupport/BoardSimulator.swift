internal import Glibc
internal import POSIX

/// A lock's board at the end of a serial line, written from docs/serial-board.md alone, with faults to order.
public final class BoardSimulator: Sendable {
  /// What is wrong with it; all well at first.
  public struct Faults: Sendable {
    /// How many of the next commands don't reach it.
    public var losesCommands = 0
    /// How many of its next replies don't arrive.
    public var losesReplies = 0
    /// Whether it is off.
    public var isSilent = false
    /// Whether it leaves `status` without a reply.
    public var ignoresStatus = false
    /// Whether the line gives back what it is sent.
    public var echoes = false
    /// What comes before each reply.
    public var noise: [UInt8] = []
    /// What it answers movements with, which it then doesn't make, unless it is 0.
    public var result: UInt8 = 0
    /// How many times it is asked for its status before the bolt has arrived; nil: at once.
    public var looksUntilArrival: Int?
    /// Percent, or 255.
    public var battery: UInt8 = 87
    /// What its replies have behind the date-time: door and exits; none: a board without inputs.
    public var inputs: [UInt8] = []

    public init() {}
  }

  private struct State {
    var faults = Faults()
    var position = Position.closed
    var target = Position.closed
    /// Each command with a good checksum, whether it was obeyed or not.
    var frames: [[UInt8]] = []
    /// Where the bolt went, in order.
    var movements: [Position] = []
    /// Command and number of what it carried out last.
    var last: [UInt8] = []
    var dateTime: [UInt8] = [0, 0, 0, 0]
    var closesAt: BootInstant?
    var line: PseudoTerminal?

    mutating func go(to position: Position) {
      if target != position { movements.append(position) }
      target = position
      closesAt = nil
    }
  }

  /// Where the bolt is; the raw values are those on the line.
  public enum Position: UInt8, Sendable {
    case closed = 1
    case open = 2
    case moving = 3
  }

  /// What a lock's settings name as its port: a link to the line that is plugged in now.
  public let port: String
  private let state = Monitor(State())
  private let folder: TemporaryDirectory
  private let thread = Monitor<(thread: POSIX.Thread, stop: WakeUp)?>(nil)

  /// - Parameter folder: where the port's name lies.
  public init(in folder: TemporaryDirectory) throws {
    self.folder = folder
    port = folder("board")
    try plug()
  }

  deinit { unplug() }

  /// Connects it, by a new line of the same name.
  public func plug() throws {
    let line = try PseudoTerminal()
    try systemCall { unsafe symlink(line.path, port) }
    state.withLock { $0.line = line }
    let stop = try WakeUp()
    let state = state
    let running = try POSIX.Thread(name: "board") { run(state, line, stop) }
    thread.withLock { $0 = (running, stop) }

    @Sendable func run(_ state: Monitor<State>, _ line: PseudoTerminal, _ stop: WakeUp) {
      var received: [UInt8] = []
      var poller = Poller([(stop.descriptor, .readable), (line.descriptor, .readable)])
      do {
        while true {
          _ = try poller.wait(until: state.withLock(waking: false) { $0.closesAt })
          guard poller.readiness(at: 0).isEmpty else { return }
          state.withLock { Self.passTime(&$0) }
          guard !poller.readiness(at: 1).isEmpty else { continue }
          received += try line.receiveSome()
          let answer = state.withLock { Self.handle(&received, &$0) }
          if !answer.isEmpty { try line.send(answer) }
        }
      } catch {
        // The line is gone.
      }
    }
  }

  /// Takes it off the line, and the line with it; the board itself goes on.
  public func unplug() {
    // First the name: the line's number may soon be another test's.
    _ = unsafe unlink(port)
    thread.withLock(waking: false) { running in
      running?.stop.signal()
      running?.thread.join()
      running = nil
    }
    state.withLock { $0.line = nil }
  }

  /// Makes something go wrong, or right again.
  public func change(_ body: (inout Faults) -> Void) { state.withLock { body(&$0.faults) } }

  /// Puts these bytes on the line.
  public func send(_ bytes: [UInt8]) throws { try state.withLock(waking: false) { $0.line }?.send(bytes) }

  /// Moves the bolt by hand, and says so unasked.
  public func move(to position: Position) throws {
    let frame = state.withLock { state in
      state.go(to: position)
      state.position = position
      return Self.reply(to: 4, number: 0, result: 0, state)
    }
    try send(frame)
  }

  /// Its inputs say something else, which it tells unasked: the door (0 unknown, 1 closed, 2 open), and the exits so far.
  public func say(door: UInt8, exits: UInt8) throws {
    let frame = state.withLock { state in
      state.faults.inputs = [door, exits]
      return Self.reply(to: 4, number: 0, result: 0, state)
    }
    try send(frame)
  }

  /// All commands so far.
  public var frames: [[UInt8]] { state.withLock(waking: false) { $0.frames } }

  /// Where the bolt went so far.
  public var movements: [Position] { state.withLock(waking: false) { $0.movements } }

  /// Waits until that many commands of a kind have come, and answers them.
  @discardableResult
  public func await(_ command: UInt8, count: Int = 1, within limit: Duration = .seconds(20)) throws -> [[UInt8]] {
    let found = state.wait(until: .now() + limit) { state in
      let frames = state.frames.filter { $0[3] == command }
      return frames.count >= count ? frames : nil
    }
    guard let found else { throw TestError("only \(frames.map { hexadecimalText($0) }) came to the board") }
    return found
  }

  /// Waits until the bolt has gone this way.
  public func await(_ movements: [Position], within limit: Duration = .seconds(20)) throws {
    let came = state.wait(until: .now() + limit) { $0.movements.starts(with: movements) ? true : nil }
    guard came == true else { throw TestError("the bolt only went \(self.movements)") }
  }

  private static func passTime(_ state: inout State) {
    guard let end = state.closesAt, end <= .now() else { return }
    state.go(to: .closed)
    state.position = .closed
  }

  /// Takes whole commands out of what was received; answers what goes back over the line.
  private static func handle(_ received: inout [UInt8], _ state: inout State) -> [UInt8] {
    var back = state.faults.echoes ? received : []
    while received.count >= 3 {
      let length = Int(received[2])
      guard received[0] == 0x1B, received[1] == 0x99, (2...34).contains(length) else {
        received.removeFirst()
        continue
      }
      guard received.count >= 3 + length else { break }
      let frame = Array(received.prefix(3 + length))
      guard frame.reduce(0, { $0 + Int($1) }) % 256 == 0 else {
        received.removeFirst()
        continue
      }
      received.removeFirst(frame.count)
      back += take(frame, &state)
    }
    return back
  }

  private static func take(_ frame: [UInt8], _ state: inout State) -> [UInt8] {
    state.frames.append(frame)
    if state.faults.isSilent { return [] }
    if state.faults.losesCommands > 0 {
      state.faults.losesCommands -= 1
      return []
    }
    let (command, number) = (frame[3], frame[4])
    if command == 4, state.faults.ignoresStatus { return [] }
    state.dateTime = Array(frame[5..<9])
    let result = carryOut(command, number, frame, &state)
    if state.faults.losesReplies > 0 {
      state.faults.losesReplies -= 1
      return []
    }
    return state.faults.noise + reply(to: command, number: number, result: result, state)
  }

  private static func carryOut(_ command: UInt8, _ number: UInt8, _ frame: [UInt8], _ state: inout State) -> UInt8 {
    if command == 4 {
      if let looks = state.faults.looksUntilArrival, state.position == .moving {
        state.faults.looksUntilArrival = looks - 1
        if looks <= 1 { state.position = state.target }
      }
      return 0
    }
    guard (1...3).contains(command) else { return 4 }
    if state.faults.result != 0 { return state.faults.result }
    // Resent: what was said is still so.
    if command != 2, state.last == [command, number] { return state.position == .moving ? 1 : 0 }
    state.last = [command, number]
    state.go(to: command == 2 ? .closed : .open)
    if command == 1 { state.closesAt = .now() + .milliseconds(100 * (Int(frame[9]) << 8 | Int(frame[10]))) }
    state.position = state.faults.looksUntilArrival == nil ? state.target : .moving
    return state.position == .moving ? 1 : 0
  }

  private static func reply(to command: UInt8, number: UInt8, result: UInt8, _ state: State) -> [UInt8] {
    let payload =
      [number, result, state.position.rawValue, state.faults.battery] + state.dateTime + state.faults.inputs
    let frame = [0x56, 0x7B, UInt8(payload.count + 2), command] + payload
    return frame + [UInt8((256 - frame.reduce(0) { $0 + Int($1) } % 256) % 256)]
  }
}
