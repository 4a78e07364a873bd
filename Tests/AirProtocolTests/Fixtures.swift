import AirProtocol
import LatchkeyCrypto
import TestSupport
import Testing

/// The exchange of a vector that has site id, site key, secret and target.
func exchange(of vector: VectorRecord, freshness: Freshness) throws -> Exchange {
  let door = try door(of: vector)
  return try Exchange(
    keys: try credentialKeys(of: vector), hintRoot: try siteKey(of: vector).hintRoot(of: door), door: door,
    freshness: freshness)
}

func siteKey(of vector: VectorRecord) throws -> SiteKey {
  try #require(SiteKey(SecretBytes(copying: try vector.bytes("siteKey"))))
}

func door(of vector: VectorRecord) throws -> DoorNumber {
  try #require(DoorNumber(rawValue: UInt16(try vector.number("target"))))
}

func credentialKeys(of vector: VectorRecord) throws -> CredentialKeys {
  try CredentialKeys.derive(
    from: try #require(CredentialSecret(SecretBytes(copying: try vector.bytes("secret")))),
    site: try #require(SiteID(text: try vector.text("siteID"))), door: try door(of: vector))
}

func frame(_ vector: VectorRecord, _ key: String) throws -> Frame {
  try #require(Frame(bytes: try vector.bytes(key)))
}

/// A plaintext of five bytes in a vector.
func commandPlaintext(_ bytes: [UInt8]) throws -> CommandPlaintext {
  try #require(bytes.count == 5)
  return CommandPlaintext(
    sequence: bytes[0], code: bytes[1], argument: bytes[2], flags: bytes[3], press: bytes[4])
}

func answer(_ bytes: [UInt8]) throws -> Answer {
  try #require(bytes.count == 5)
  return Answer(
    result: AnswerResult(rawValue: bytes[0]), state: DoorStateByte(rawValue: bytes[1]),
    detail: UInt16(bytes[2]) << 8 | UInt16(bytes[3]))
}

/// Secret bytes for tests, different for each seed.
func testBytes(_ seed: UInt64, count: Int = 32) -> SecretBytes {
  var generator = Pseudorandom(seed: seed)
  return SecretBytes(copying: (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
}

/// Repeatable random numbers (SplitMix64), so that a failure can be seen again.
struct Pseudorandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

extension Frame {
  /// The frame with one bit flipped, 0 ..< 128, the first byte's highest first.
  func flipping(_ bit: Int) -> Frame {
    bit < 64
      ? Frame(high: high ^ 1 << UInt64(63 - bit), low: low) : Frame(high: high, low: low ^ 1 << UInt64(127 - bit))
  }
}
