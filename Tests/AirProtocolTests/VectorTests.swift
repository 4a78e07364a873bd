import AirProtocol
import LatchkeyCrypto
import TestSupport
import Testing

struct VectorTests {
  @Test("freshness", arguments: try Vectors.records("cases"))
  func freshness(vector: VectorRecord) throws {
    let freshness = Freshness(bytes: try vector.word("freshness"))
    #expect(freshness.bytes == (try vector.word("freshness")))
    if vector.isNull("challenge") {
      let clock = try #require(SlotClock(slotSeconds: Int(try vector.number("slotSeconds"))))
      #expect(freshness == .time(slot: clock.slot(at: try vector.number("unixSeconds"))))
    } else {
      #expect(freshness == .challenge(try #require(Challenge(bytes: try vector.word("challenge")))))
    }
  }

  @Test("keys and hints", arguments: try Vectors.records("cases"))
  func keys(vector: VectorRecord) throws {
    let keys = try credentialKeys(of: vector)
    #expect(keys.frameKey == Block(bytes: try vector.bytes("frameKey")))
    #expect(keys.hintSecret == Block(bytes: try vector.bytes("hintSecret")))
    let hintRoot = try siteKey(of: vector).hintRoot(of: try door(of: vector))
    #expect(hintRoot == HintRoot(SecretBytes(copying: try vector.bytes("hintRoot"))))
    let freshness = Freshness(bytes: try vector.word("freshness"))
    #expect(try hintRoot.hintKey(for: freshness) == Block(bytes: try vector.bytes("hintKey")))
    let exchange = try exchange(of: vector, freshness: freshness)
    let block = try vector.bytes("block").map(UInt32.init)
    #expect(exchange.commandHint == block[0] << 16 | block[1] << 8 | block[2])
    #expect(exchange.answerHint == block[3] << 16 | block[4] << 8 | block[5])
  }

  @Test("command and answer frames, both ways", arguments: try Vectors.records("cases"))
  func frames(vector: VectorRecord) throws {
    let exchange = try exchange(of: vector, freshness: Freshness(bytes: try vector.word("freshness")))
    let plaintext = try commandPlaintext(try vector.bytes("commandPlaintext"))
    let command = try frame(vector, "commandFrame")
    #expect(plaintext.command != nil)
    #expect(try exchange.seal(plaintext) == command)
    #expect(try exchange.openCommand(command) == plaintext)
    let answer = try answer(try vector.bytes("answerPlaintext"))
    let answerFrame = try frame(vector, "answerFrame")
    #expect(try exchange.seal(answer, to: command) == answerFrame)
    #expect(try exchange.openAnswer(answerFrame, to: command) == answer)
  }

  @Test("beacons, both ways", arguments: try Vectors.records("beacons"))
  func beacons(vector: VectorRecord) throws {
    let key = try siteKey(of: vector).beaconKey()
    #expect(key == BeaconKey(try #require(Block(bytes: try vector.bytes("beaconKey")))))
    let beacon = Beacon(
      challenge: try #require(Challenge(bytes: try vector.word("challenge"))), door: try door(of: vector),
      state: DoorStateByte(rawValue: UInt8(try vector.number("state"))), slotLow: UInt8(try vector.number("slotLow")))
    #expect(try key.seal(beacon) == frame(vector, "frame"))
    #expect(try key.open(try frame(vector, "frame")) == beacon)
  }

  @Test("authentic, but malformed", arguments: try Vectors.records("malformed"))
  func malformed(vector: VectorRecord) throws {
    let clock = try #require(SlotClock(slotSeconds: Int(try vector.number("slotSeconds"))))
    let slot = clock.slot(at: try vector.number("unixSeconds"))
    let plaintext = try exchange(of: vector, freshness: .time(slot: slot)).openCommand(try frame(vector, "frame"))
    #expect(try #require(plaintext).command == nil)
  }

  @Test("beacons that everyone refuses", arguments: try Vectors.records("refusedBeacons"))
  func refusedBeacons(vector: VectorRecord) throws {
    #expect(try siteKey(of: vector).beaconKey().open(try frame(vector, "frame")) == nil)
  }

  @Test("answers that a holder refuses", arguments: try Vectors.records("refusedAnswers"))
  func refusedAnswers(vector: VectorRecord) throws {
    let index = Int(try vector.number("case"))
    let original = try #require(try Vectors.records("cases").dropFirst(index).first)
    let exchange = try exchange(of: original, freshness: Freshness(bytes: try original.word("freshness")))
    let command = try frame(vector, "commandFrame")
    #expect(try exchange.openCommand(command) != nil)
    #expect(try exchange.openAnswer(try frame(vector, "frame"), to: command) == nil)
  }
}
