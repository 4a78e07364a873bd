internal import POSIX

/// The commands of the serial board; the raw values are those on the line.
enum BoardCommand: UInt8, CaseIterable, Sendable {
  case unlock = 1
  case lock = 2
  case hold = 3
  case status = 4
}

/// A command with all that goes with it, as the daemon sends it (docs/serial-board.md, "Commands").
struct BoardOrder: Hashable, Sendable {
  /// What the board is to do.
  enum Action: Hashable, Sendable {
    /// Opens, and closes by itself after that many tenths of a second.
    case unlock(tenths: UInt16)
    case lock
    /// Opens until something else is said, or the daemon isn't heard any more.
    case hold
    case status
  }

  let action: Action
  /// 1 to 255, another one for each command; a resent one keeps it.
  let number: UInt8
  let time: WallTime

  var command: BoardCommand {
    switch action {
    case .unlock: .unlock
    case .lock: .lock
    case .hold: .hold
    case .status: .status
    }
  }

  /// The whole frame.
  var bytes: [UInt8] {
    let dateTime = BoardDateTime.pack(time)
    var payload = [number] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: dateTime >> $0) }
    if case .unlock(let tenths) = action {
      payload += [UInt8(truncatingIfNeeded: tenths >> 8), UInt8(truncatingIfNeeded: tenths)]
    }
    let frame = BoardFrame.daemonHead + [UInt8(payload.count + 2), command.rawValue] + payload
    return frame + [BoardFrame.checksum(of: frame)]
  }
}
