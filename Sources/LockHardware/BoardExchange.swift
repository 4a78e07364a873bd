internal import POSIX

/// How long what takes at the serial board (docs/serial-board.md, "Timing").
struct BoardTiming: Sendable {
  /// The wait for a reply before the command is sent again.
  var answer: Duration
  /// How often it is sent again.
  var resends = 3
  /// A pause between two bytes that ends a frame.
  var gap = Duration.milliseconds(100)
  /// How long the bolt may be on its way, and how often it is asked for meanwhile.
  var movement = Duration.seconds(5)
  var look = Duration.milliseconds(250)
  /// How often the status is asked for while nothing moves, and how soon again where no reply came.
  var period = Duration.seconds(60)
  /// The same where the board has inputs: an exit that it told unasked, and that got lost, waits no longer.
  var inputs = Duration.seconds(1)
  var again = Duration.seconds(10)
  /// So long without a frame of the board, and it counts as lost; it lets go of a hold after the same time.
  var silence = Duration.seconds(180)

  /// - Parameter baud: the line's speed: both frames need their time on it, 25 bytes of ten bits in all.
  init(baud: UInt32) { answer = .milliseconds(300 + 250_000 / Int64(max(baud, 1))) }
}

/// A command on its way: sent, sent again, answered or given up; time is an argument, effects are returned.
struct BoardExchange {
  /// What is to be done next.
  enum Step: Equatable {
    case send
    /// Nothing until a reply comes, or that moment.
    case wait(until: BootInstant)
    case answered(BoardReply)
    case gaveUp
  }

  private let command: BoardCommand
  private let number: UInt8
  private let patience: Duration
  private var triesLeft: Int
  private var waitsUntil: BootInstant?
  private var reply: BoardReply?

  init(_ order: BoardOrder, _ timing: BoardTiming) {
    command = order.command
    number = order.number
    patience = timing.answer
    triesLeft = 1 + timing.resends
  }

  /// What to do now.
  mutating func next(now: BootInstant) -> Step {
    if let reply { return .answered(reply) }
    if let waitsUntil, waitsUntil > now { return .wait(until: waitsUntil) }
    guard triesLeft > 0 else { return .gaveUp }
    triesLeft -= 1
    waitsUntil = now + patience
    return .send
  }

  /// Takes the reply to this command, to whichever try it is; others are left alone.
  mutating func heard(_ other: BoardReply) {
    if reply == nil, other.command == command.rawValue, other.number == number { reply = other }
  }
}
