import RelayGuard

/// What a relay's guard reads, and what is read of it: lines are the same however the stream is cut, and a message
/// or answer that was read is written so that it is read again.
func checkRelayLines(_ input: [UInt8]) throws {
  var source = ByteSource(input)
  let piece = Int(source.byte() & 0x1F) + 1
  let stream = source.rest

  var pieces = LineReader(longest: 25)
  var lines: [[UInt8]] = []
  while !source.isEmpty {
    pieces.append(source.bytes(piece))
    while let line = pieces.next() { lines.append(line) }
  }
  var whole = LineReader(longest: 25)
  whole.append(stream)
  for line in lines { try require(whole.next() == line, "a line is the same in pieces") }
  try require(whole.next() == nil, "no line is lost in pieces")
  try require(whole.isTooLong == pieces.isTooLong, "what is left is the same")
  try require(stream.filter { $0 == 0x0A }.count == lines.count, "each line feed ends a line")

  for line in lines {
    if let message = RelayMessage(line: line) {
      try require(line.count <= 25, "a message has a longest line")
      try require(RelayMessage(line: message.line.utf8.dropLast()) == message, "a message is read as it was written")
    }
    if let answer = RelayAnswer(line: line) {
      try require(RelayAnswer(line: answer.line.utf8.dropLast()) == answer, "an answer is read as it was written")
    }
  }
}
