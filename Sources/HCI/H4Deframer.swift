/// Cuts an H4 stream into packets (Core Specification, Vol 4, Part A).
///
/// The packets are the same however the bytes arrive: one at a time, glued together, cut anywhere. Packets that arrive
/// whole are handed on where they lie; of others at most one, below 64 KiB, is kept.
package struct H4Deframer {
  private var held: [UInt8] = []

  package init() { held.reserveCapacity(260) }

  /// Hands on every packet that these bytes complete.
  ///
  /// - Parameter packet: gets the packet without its type byte, valid during the call only.
  /// - Throws: `RadioError.badFraming` at a byte that begins no packet: nothing behind it can be trusted, and the stream
  ///   has to be opened anew. The packets before it were handed on.
  package mutating func push(_ bytes: Span<UInt8>, _ packet: (PacketKind, Span<UInt8>) -> Void) throws(RadioError) {
    var position = try finishHeld(bytes, packet)
    while position < bytes.count {
      let kind = try Self.kind(bytes[position])
      let header = position + 1
      let left = bytes.count - header
      guard left >= kind.headerLength else { break }
      let length = kind.headerLength + kind.bodyLength(bytes, headerAt: header)
      guard left >= length else { break }
      packet(kind, bytes.extracting(header..<(header + length)))
      position = header + length
    }
    if position < bytes.count { held.append(contentsOf: bytes.extracting(position..<bytes.count)) }
  }

  /// Completes the packet that was begun before.
  ///
  /// - Returns: how many of the bytes belong to it.
  private mutating func finishHeld(
    _ bytes: Span<UInt8>, _ packet: (PacketKind, Span<UInt8>) -> Void
  ) throws(RadioError) -> Int {
    guard let first = held.first else { return 0 }
    let kind = try Self.kind(first)
    var used = hold(bytes, from: 0, upTo: 1 + kind.headerLength)
    guard held.count >= 1 + kind.headerLength else { return used }
    let length = 1 + kind.headerLength + kind.bodyLength(held.span, headerAt: 1)
    used = hold(bytes, from: used, upTo: length)
    guard held.count == length else { return used }
    packet(kind, held.span.extracting(1..<length))
    held.removeAll(keepingCapacity: true)
    return used
  }

  /// Moves bytes into what is held until it has `length` bytes; returns the position behind them.
  private mutating func hold(_ bytes: Span<UInt8>, from start: Int, upTo length: Int) -> Int {
    let end = min(bytes.count, start + max(0, length - held.count))
    if start < end { held.append(contentsOf: bytes.extracting(start..<end)) }
    return end
  }

  private static func kind(_ byte: UInt8) throws(RadioError) -> PacketKind {
    guard let kind = PacketKind(rawValue: byte) else { throw .badFraming(byte) }
    return kind
  }
}
