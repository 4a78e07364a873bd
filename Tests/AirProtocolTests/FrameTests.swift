import AirProtocol
import LatchkeyCrypto
import Testing

struct FrameTests {
  @Test("a frame has sixteen bytes", arguments: 0...33)
  func length(count: Int) {
    let bytes = (0..<count).map { UInt8($0 + 200) }
    let frame = Frame(bytes: bytes)
    #expect((frame != nil) == (count == 16))
    if let frame {
      #expect(frame.bytes == bytes)
      #expect(frame.hint == 0xC8C9CA)
      #expect("\(frame)" == "c8c9cacbcccdcecfd0d1d2d3d4d5d6d7")
      #expect(frame[-1] == 0 && frame[16] == 0 && frame[15] == 215)
    }
  }
}

struct TamperingTests {
  static let freshnesses: [Freshness] = [.time(slot: 360_000_000), .challenge(Challenge(random: 0x1234_5678))]

  @Test("any flipped bit of a command, an answer or a beacon is refused", arguments: freshnesses)
  func flippedBits(freshness: Freshness) throws {
    let exchange = try makeExchange(freshness: freshness)
    let plaintext = CommandPlaintext(sequence: 3, command: .unlock(seconds: 5), press: 9, wantsAnswer: true)
    let command = try exchange.seal(plaintext)
    let answer = Answer(result: .done, state: DoorStateByte(.unlocked, clockTrusted: true), detail: 5)
    let answerFrame = try exchange.seal(answer, to: command)
    let key = BeaconKey(Block(high: 1, low: 2))
    let beacon = Beacon(
      challenge: Challenge(random: 7), door: exchange.door, state: DoorStateByte(.locked, clockTrusted: true),
      slotLow: 200)
    let beaconFrame = try key.seal(beacon)
    #expect(try exchange.openCommand(command) == plaintext)
    #expect(try exchange.openAnswer(answerFrame, to: command) == answer)
    #expect(try key.open(beaconFrame) == beacon)
    for bit in 0..<128 {
      #expect(try exchange.openCommand(command.flipping(bit)) == nil)
      #expect(try exchange.openAnswer(answerFrame.flipping(bit), to: command) == nil)
      #expect(try key.open(beaconFrame.flipping(bit)) == nil)
      // An answer belongs to one command frame, of whose tag any bit counts.
      if bit >= 64 { #expect(try exchange.openAnswer(answerFrame, to: command.flipping(bit)) == nil) }
    }
  }

  @Test("a frame is of one door, one freshness, one credential", arguments: freshnesses)
  func otherExchanges(freshness: Freshness) throws {
    let exchange = try makeExchange(freshness: freshness)
    let frame = try exchange.seal(CommandPlaintext(sequence: 0, command: .lock, press: 1, wantsAnswer: false))
    #expect(try exchange.openCommand(frame) != nil)
    let others = [
      try makeExchange(door: 8, freshness: freshness), try makeExchange(secret: 2, freshness: freshness),
      try makeExchange(freshness: .time(slot: 360_000_001)),
      try makeExchange(freshness: .challenge(Challenge(random: 0x1234_5679))),
    ]
    for other in others { #expect(try other.openCommand(frame) == nil) }
  }

  @Test("every plaintext survives the way there and back")
  func roundTrips() throws {
    let exchange = try makeExchange(freshness: .time(slot: 1))
    var random = Pseudorandom(seed: 3)
    for _ in 0..<500 {
      let word = random.next()
      let byte = { (index: Int) in UInt8(truncatingIfNeeded: word >> UInt64(8 * index)) }
      let plaintext = CommandPlaintext(
        sequence: byte(0), code: byte(1), argument: byte(2), flags: byte(3), press: byte(4))
      let frame = try exchange.seal(plaintext)
      #expect(try exchange.openCommand(frame) == plaintext)
      let answer = Answer(
        result: AnswerResult(rawValue: byte(1)), state: DoorStateByte(rawValue: byte(2)), detail: UInt16(byte(3)) << 3)
      #expect(try exchange.openAnswer(try exchange.seal(answer, to: frame), to: frame) == answer)
    }
  }

  private func makeExchange(secret: UInt64 = 1, door number: UInt16 = 7, freshness: Freshness) throws -> Exchange {
    let door = try #require(DoorNumber(rawValue: number))
    let keys = try CredentialKeys.derive(
      from: try #require(CredentialSecret(testBytes(secret))),
      site: try #require(SiteID(bytes: [UInt8](repeating: 5, count: 16))), door: door)
    let hintRoot = try #require(SiteKey(testBytes(100))).hintRoot(of: door)
    return try Exchange(keys: keys, hintRoot: hintRoot, door: door, freshness: freshness)
  }
}
