@testable import LockHardware

/// What is read of an input's pipe: the same however the bytes arrive, each line at most one word, and a word only where
/// it stands alone.
func checkPipeWords(_ input: [UInt8]) throws {
  var source = ByteSource(input)
  let piece = Int(source.byte() & 0x1F) + 1
  let stream = source.rest
  for role in InputRole.allCases {
    var whole = PipeWords(role)
    let readings = whole.take(stream)
    var cut = PipeWords(role)
    var pieces = ByteSource(stream)
    var others: [InputReading] = []
    while !pieces.isEmpty { others += cut.take(pieces.bytes(piece)) }
    try require(others == readings, "the words are the same in pieces")

    let lines = stream.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
    let words = Set(lines.map { $0.last == 0x0D ? $0.dropLast() : $0 }.map { String(decoding: $0, as: UTF8.self) })
    for reading in readings {
      switch reading {
      case .contact(let isOpen): try require(role == .sensor && words.contains(isOpen ? "open" : "closed"), "a word")
      case .exitAsked, .exitOver: try require(role == .exit && words.contains("exit"), "an exit's word")
      case .nonsense(let text):
        try require(!text.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a complaint steers no terminal")
      case .exitFound, .found, .lost: try require(false, "a pipe's words say nothing else")
      }
    }
    let complaints = readings.count { if case .nonsense = $0 { true } else { false } }
    try require(complaints <= lines.count, "a complaint a line")
  }
}
