/// Finds the board's frames in what a serial line brings, noise included (docs/serial-board.md, "Finding frames").
///
/// The frames are the same however the bytes arrive. Of a false head only its first byte is passed over, so that a frame
/// behind it is found. At most one frame's bytes are kept.
struct BoardDeframer {
  private var held: [UInt8] = []
  /// How many bytes belonged to no frame.
  private(set) var skipped: UInt64 = 0

  init() { held.reserveCapacity(BoardFrame.sizeLimit) }

  /// Whether a frame may have begun that isn't whole yet.
  var isWithinFrame: Bool { !held.isEmpty }

  /// Forgets what may have begun: what comes next comes over another line.
  mutating func forget() { held.removeAll(keepingCapacity: true) }

  /// Hands on every frame that these bytes complete, its command and its payload.
  mutating func push(_ bytes: some Sequence<UInt8>, _ frame: (UInt8, ArraySlice<UInt8>) -> Void) {
    for byte in bytes {
      held.append(byte)
      scan(frame)
    }
  }

  /// Gives up waiting for the rest of what may have been a frame: what else may stand in it is looked for.
  mutating func giveUp(_ frame: (UInt8, ArraySlice<UInt8>) -> Void) {
    while !held.isEmpty {
      skip()
      scan(frame)
    }
  }

  private enum Candidate {
    case unfinished
    case whole(size: Int)
    case noFrame
  }

  /// What the bytes that are held begin with.
  private var candidate: Candidate {
    for (byte, expected) in zip(held, BoardFrame.boardHead) where byte != expected { return .noFrame }
    guard held.count >= BoardFrame.prefixSize else { return .unfinished }
    let length = Int(held[BoardFrame.prefixSize - 1])
    guard BoardFrame.lengths.contains(length) else { return .noFrame }
    let size = BoardFrame.prefixSize + length
    guard held.count >= size else { return .unfinished }
    return BoardFrame.sum(held[..<size]) == 0 ? .whole(size: size) : .noFrame
  }

  private mutating func scan(_ frame: (UInt8, ArraySlice<UInt8>) -> Void) {
    while true {
      switch candidate {
      case .unfinished: return
      case .noFrame: skip()
      case .whole(let size):
        frame(held[BoardFrame.prefixSize], held[(BoardFrame.prefixSize + 1)..<(size - 1)])
        held.removeFirst(size)
      }
    }
  }

  private mutating func skip() {
    held.removeFirst()
    skipped &+= 1
  }
}
