internal import POSIX

/// What the board says: the answer to a command, or its status unasked (docs/serial-board.md, "Replies").
struct BoardReply: Hashable, Sendable {
  /// Where the bolt is; what else a board may say is unknown.
  enum Position: UInt8, Sendable {
    case unknown = 0
    case closed = 1
    case open = 2
    case moving = 3
  }

  /// What became of the command.
  enum Result: Hashable, Sendable {
    case done
    /// The bolt is on its way; the position says when it is there.
    case begun
    /// The board's reason in words.
    case failed(String)

    init(_ byte: UInt8) {
      switch byte {
      case 0: self = .done
      case 1: self = .begun
      case 2: self = .failed("the bolt is stuck")
      case 3: self = .failed("it refuses for now")
      case 4: self = .failed("it doesn't know the command")
      case 5: self = .failed("it can't read the command")
      default: self = .failed("result \(byte)")
      }
    }
  }

  /// The command that is answered.
  let command: UInt8
  /// That command's number; 0 for a status unasked.
  let number: UInt8
  let result: Result
  let position: Position
  /// 0 to 100 percent; nil: unknown.
  let battery: UInt8?
  /// What the board's clock shows; nil: unknown.
  let time: WallTime?
  /// Whether the door stands open, as the board's contact says; nil: unknown, or there is none.
  let isDoorOpen: Bool?
  /// How often somebody asked the board to get out: 0 since its reset, then 1 to 255, and 1 again; nil: nobody can.
  let exits: UInt8?

  /// Whether it tells of a contact or a button.
  var hasInputs: Bool { isDoorOpen != nil || exits != nil }

  /// Reads the payload of one of the board's frames; nil where it is too short.
  ///
  /// What is behind the bytes known here is a later version's.
  init?(command: UInt8, payload: some Collection<UInt8>) {
    let bytes = Array(payload)
    guard bytes.count >= 8 else { return nil }
    self.command = command
    number = bytes[0]
    result = Result(bytes[1])
    position = Position(rawValue: bytes[2]) ?? .unknown
    battery = bytes[3] <= 100 ? bytes[3] : nil
    time = BoardDateTime.unpack(bytes[4..<8].reduce(0) { $0 << 8 | UInt32($1) })
    isDoorOpen = bytes.count > 8 ? [1: false, 2: true][bytes[8]] : nil
    exits = bytes.count > 9 ? bytes[9] : nil
  }
}
