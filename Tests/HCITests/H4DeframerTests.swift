import Testing

@testable import HCI

@Suite struct H4DeframerTests {
  private struct Packet: Hashable {
    let kind: PacketKind
    let bytes: [UInt8]
  }

  /// Feeds pieces; what came out, and the error if one came.
  private func feed(_ pieces: [[UInt8]]) -> ([Packet], RadioError?) {
    var deframer = H4Deframer()
    var packets: [Packet] = []
    for piece in pieces {
      do throws(RadioError) {
        try deframer.push(piece.span) { packets.append(Packet(kind: $0, bytes: bytes($1))) }
      } catch {
        return (packets, error)
      }
    }
    return (packets, nil)
  }

  private func singles(_ bytes: [UInt8]) -> [[UInt8]] { bytes.map { [$0] } }

  /// One packet of each kind, empty ones, and a long one.
  private static let packets: [[UInt8]] = [
    [1] + hex("0C 20 02 01 00"),
    [4] + complete(.reset),
    [4, 0xFF, 0],
    [2] + hex("40 20 03 00 AA BB CC"),
    [2] + hex("40 20 00 00"),
    [2] + hex("40 20") + [0x2C, 0x01] + [UInt8](repeating: 7, count: 300),
    [3] + hex("01 00 02 AA BB"),
    // The upper two bits of an ISO length are reserved.
    [5] + hex("40 60 02 C0 AA BB"),
    [4] + legacyEvent([legacyReport(data: hex("02 01 06"))]),
  ]

  private static let expected = packets.compactMap { packet in
    PacketKind(rawValue: packet[0]).map { Packet(kind: $0, bytes: Array(packet.dropFirst())) }
  }

  @Test func gluedAndOneByteAtATimeAreTheSame() {
    let stream = Self.packets.flatMap { $0 }
    #expect(Self.expected.count == Self.packets.count)
    #expect(feed([stream]).0 == Self.expected)
    #expect(feed(singles(stream)).0 == Self.expected)
    #expect(feed([[]] + Self.packets + [[]]).0 == Self.expected)
  }

  @Test func cutsAnywhereAreTheSame() {
    let stream = Self.packets.flatMap { $0 }
    for cut in 0...stream.count {
      #expect(feed([Array(stream[..<cut]), Array(stream[cut...])]).0 == Self.expected, "cut at \(cut)")
    }
    var random = Pseudorandom(seed: 2)
    for round in 0..<500 {
      var pieces: [[UInt8]] = []
      var rest = stream[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 1...40, using: &random))
        pieces.append(Array(piece))
        rest = rest.dropFirst(piece.count)
      }
      #expect(feed(pieces).0 == Self.expected, "round \(round)")
    }
  }

  @Test func aTruncatedStreamIsItsWholePackets() {
    let stream = Self.packets.flatMap { $0 }
    for end in 0...stream.count {
      let (packets, error) = feed([Array(stream[..<end])])
      #expect(error == nil)
      #expect(packets == Array(Self.expected.prefix(packets.count)))
      #expect(packets.reduce(0) { $0 + $1.bytes.count + 1 } <= end)
    }
  }

  @Test(arguments: [0x00, 0x06, 0x7F, 0xFF] as [UInt8])
  func anUnknownTypeEndsTheStreamBehindTheGoodPackets(_ type: UInt8) {
    let stream = [4] + complete(.reset) + [type, 1, 2, 3]
    for pieces in [[stream], singles(stream)] {
      let (packets, error) = feed(pieces)
      #expect(packets == [Packet(kind: .event, bytes: complete(.reset))])
      #expect(error == .badFraming(type))
    }
  }

  @Test func theLongestPacketIsTaken() {
    let long = [2, 0, 0, 0xFF, 0xFF] + [UInt8](repeating: 9, count: 0xFFFF)
    let (packets, error) = feed([Array(long[..<1000]), Array(long[1000...]) + [4] + complete(.reset)])
    #expect(error == nil)
    #expect(packets.map(\.bytes.count) == [4 + 0xFFFF, 6])
  }

  @Test func anyBytesGiveTheSameHoweverTheyArrive() {
    var random = Pseudorandom(seed: 3)
    for round in 0..<2000 {
      // Mostly small lengths and known types, so that many packets come about.
      let stream = random.bytes(Int.random(in: 0...60, using: &random)).map { $0 % 16 == 0 ? $0 : $0 % 6 }
      let (glued, first) = feed([stream])
      let (single, second) = feed(singles(stream))
      #expect(glued == single && first == second, "round \(round)")
    }
  }
}
