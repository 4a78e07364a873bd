@testable import LockHardware

/// The serial board's stream: the frames are those that a plain search finds, in whatever pieces the bytes arrive.
///
/// The first byte says how the rest, the stream, is cut into pieces.
func checkBoardStream(_ input: [UInt8]) throws {
  var source = ByteSource(input)
  let cut = source.byte()
  let stream = source.rest

  let found = search(stream)
  try require(deframe([stream]) == found, "the frames are those that stand in the stream")
  try require(deframe(stream.map { [$0] }) == found, "bytes one at a time give the same frames")
  try require(deframe(pieces(of: stream, cut)) == found, "a stream cut into pieces gives the same frames")
  for frame in found.frames {
    let payload = frame.dropFirst()
    guard let reply = BoardReply(command: frame[0], payload: payload) else {
      try require(payload.count < 8, "a reply that is long enough is read")
      continue
    }
    try require(reply.battery ?? 0 <= 100, "a battery is no more than full")
    if let time = reply.time {
      try require(BoardDateTime.unpack(BoardDateTime.pack(time)) == time, "a time is read as it is written")
    }
  }
}

/// Frames without head, length and checksum, and how many bytes belong to none.
private struct Found: Equatable {
  var frames: [[UInt8]] = []
  var skipped: UInt64 = 0
}

private func deframe(_ pieces: [[UInt8]]) -> Found {
  var deframer = BoardDeframer()
  var found = Found()
  for piece in pieces { deframer.push(piece) { found.frames.append([$0] + $1) } }
  deframer.giveUp { found.frames.append([$0] + $1) }
  found.skipped = deframer.skipped
  return found
}

/// The same by looking at each place of the whole stream.
private func search(_ stream: [UInt8]) -> Found {
  var found = Found()
  var rest = stream[...]
  while !rest.isEmpty {
    let head = Array(rest.prefix(3))
    let size = head.count == 3 ? 3 + Int(head[2]) : 0
    if head.starts(with: [0x56, 0x7B]), (5...37).contains(size), rest.count >= size,
      rest.prefix(size).reduce(0, { $0 + Int($1) }) % 256 == 0
    {
      found.frames.append(Array(rest.prefix(size).dropFirst(3).dropLast()))
      rest = rest.dropFirst(size)
    } else {
      rest = rest.dropFirst()
      found.skipped += 1
    }
  }
  return found
}
