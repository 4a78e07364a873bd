import AirProtocol
import LatchkeyCrypto
import Testing

/// Doors with credentials of known keys, the table made of them, and the frames that their holders would make.
struct TestTable {
  let table: KeyTable
  /// The keys of each door, as the table numbers them.
  private let doors: [(number: DoorNumber, hintRoot: HintRoot, keys: [CredentialKeys])]

  /// - Parameter counts: how many credentials each door has; doors are numbered from 1.
  init(_ counts: [Int], seed: UInt64 = 1) throws {
    doors = try counts.enumerated().map { index, count in
      let number = try #require(DoorNumber(rawValue: UInt16(index + 1)))
      let seed = seed &* 1_000 &+ UInt64(index)
      let blocks = testBytes(seed, count: 2 * count * Block.size)
      let keys = try (0..<count).map { key in
        CredentialKeys(
          frameKey: try #require(blocks.block(at: key)), hintSecret: try #require(blocks.block(at: count + key)))
      }
      return (number, try #require(HintRoot(testBytes(~seed))), keys)
    }
    table = try KeyTable(
      try doors.map { door in
        try DoorKeys(
          number: door.number, hintRoot: door.hintRoot, beaconKey: BeaconKey(.zero),
          frameKeys: SecretBytes(copying: door.keys.flatMap(\.frameKey.bytes)),
          hintSecrets: SecretBytes(copying: door.keys.flatMap(\.hintSecret.bytes)))
      })
  }

  /// The frame of a key, made from its bytes alone and not by way of the table.
  func frame(key: Int, _ freshness: Freshness, _ plaintext: CommandPlaintext = .sample) throws -> Frame {
    let (door, place) = try place(ofKey: key)
    return try Exchange(
      keys: doors[door].keys[place], hintRoot: doors[door].hintRoot, door: doors[door].number, freshness: freshness
    ).seal(plaintext)
  }

  /// The door of a key, and which of its credentials it is.
  func place(ofKey key: Int) throws -> (door: Int, place: Int) {
    var left = key
    for (index, door) in doors.enumerated() {
      if left < door.keys.count { return (index, left) }
      left -= door.keys.count
    }
    throw NoSuchKey()
  }

  /// An epoch of the same slot at all doors.
  func slot(_ slot: UInt64) -> Epoch { .time(slot: slot, doors: doors.count) }

  struct NoSuchKey: Error {}
}

extension CommandPlaintext {
  static let sample = CommandPlaintext(sequence: 3, command: .unlock(seconds: 5), press: 9, wantsAnswer: true)
}

extension HintIndex {
  /// What a fresh verifier makes of a frame.
  func verdict(_ frame: Frame) throws -> Verdict {
    var verifier = try FrameVerifier()
    return try verifier.verify(frame, index: self)
  }

  /// The command in a frame; nil where it is none of ours.
  func command(_ frame: Frame) throws -> VerifiedCommand? {
    if case .verified(let command) = try verdict(frame) { command } else { nil }
  }
}
