@testable import HCI

/// The H4 stream, from its beginning or joined in the middle: the packets are those that stand in the bytes, in whatever
/// pieces these arrive.
///
/// The first byte says how the rest, the stream, is cut into pieces.
func checkH4Stream(_ input: [UInt8]) throws {
  var source = ByteSource(input)
  let cut = source.byte()
  let stream = source.rest

  let whole = deframe([stream])
  try require(deframe(stream.map { [$0] }) == whole, "bytes one at a time give the same packets")
  try require(deframe(pieces(of: stream, cut)) == whole, "a stream cut into pieces gives the same packets")

  let packets = whole.packets.flatMap { $0 }
  try require(stream.starts(with: packets), "packets are what stands in the stream, without gaps")
  try checkRest(stream[packets.count...], whole.error)

  let found = hunt([stream])
  try require(hunt(stream.map { [$0] }) == found, "bytes one at a time give the same beginning")
  try require(hunt(pieces(of: stream, cut)) == found, "a stream cut into pieces has the same beginning")
  let kept = found.read.isEmpty ? min(stream.count, 5) : found.read.count
  try require(found.skipped == stream.count - kept, "what is passed over is counted")
  try require(stream.suffix(found.read.count).elementsEqual(found.read), "behind the beginning nothing is missing")
}

/// What is behind the last packet: nothing, the beginning of another, or what no packet begins with.
private func checkRest(_ rest: ArraySlice<UInt8>, _ error: RadioError?) throws {
  guard let first = rest.first else { return try require(error == nil, "an error needs a byte") }
  guard let kind = PacketKind(rawValue: first) else {
    return try require(error == .badFraming(first), "the error names the byte that begins no packet")
  }
  try require(error == nil, "the beginning of a packet is no error")
  let packet = Array(rest)
  guard packet.count >= 1 + kind.headerLength else { return }
  let length = 1 + kind.headerLength + kind.bodyLength(packet.span, headerAt: 1)
  try require(packet.count < length, "a whole packet is handed on")
}

private struct Deframed: Equatable {
  /// Each with its type byte.
  var packets: [[UInt8]] = []
  var error: RadioError?
}

private func deframe(_ pieces: [[UInt8]]) -> Deframed {
  var deframer = H4Deframer()
  var result = Deframed()
  for piece in pieces {
    do throws(RadioError) {
      try deframer.push(piece.span) { kind, packet in result.packets.append([kind.rawValue] + bytes(packet)) }
    } catch {
      result.error = error
      return result
    }
  }
  return result
}

private struct Hunted: Equatable {
  /// What is to be read as packets.
  var read: [UInt8] = []
  var skipped = 0
}

/// How a serial line finds the first packet.
private func hunt(_ pieces: [[UInt8]]) -> Hunted {
  var hunt = ResetHunt()
  var result = Hunted()
  for piece in pieces {
    result.read += hunt.isOver ? piece : hunt.push(piece.span)
    result.skipped += Int(hunt.takeSkipped())
  }
  return result
}

/// A stream cut into pieces of 1 to 40 bytes, as `cut` says.
func pieces(of stream: [UInt8], _ cut: UInt8) -> [[UInt8]] {
  var pieces: [[UInt8]] = []
  var rest = stream[...]
  while !rest.isEmpty {
    let length = 1 + Int((cut &+ UInt8(truncatingIfNeeded: pieces.count) &* 37) % 40)
    pieces.append(Array(rest.prefix(length)))
    rest = rest.dropFirst(length)
  }
  return pieces
}
