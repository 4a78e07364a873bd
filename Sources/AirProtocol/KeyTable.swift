public import LatchkeyCrypto

/// One door's share of a `KeyTable`.
public struct DoorKeys: Sendable {
  public let number: DoorNumber
  public let hintRoot: HintRoot
  public let beaconKey: BeaconKey
  /// The frame keys of all its credentials, 16 bytes each.
  public let frameKeys: SecretBytes
  /// The hint secrets of the same credentials in the same order, 16 bytes each.
  public let hintSecrets: SecretBytes

  /// How many credentials there are.
  public var count: Int { frameKeys.blockCount }

  /// The keys of a door; nothing is copied.
  ///
  /// - Throws: where the two sections aren't the same whole number of blocks.
  public init(
    number: DoorNumber, hintRoot: HintRoot, beaconKey: BeaconKey, frameKeys: SecretBytes, hintSecrets: SecretBytes
  ) throws(KeyTableError) {
    guard frameKeys.count == hintSecrets.count, frameKeys.count % Block.size == 0 else {
      throw .unevenSections(door: number, frameKeys: frameKeys.count, hintSecrets: hintSecrets.count)
    }
    self.number = number
    self.hintRoot = hintRoot
    self.beaconKey = beaconKey
    self.frameKeys = frameKeys
    self.hintSecrets = hintSecrets
  }
}

/// Why keys make no table.
public enum KeyTableError: Error, Hashable, Sendable {
  /// The sections' lengths, in bytes.
  case unevenSections(door: DoorNumber, frameKeys: Int, hintSecrets: Int)
  case tooManyKeys(Int)
}

extension KeyTableError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unevenSections(let door, let frameKeys, let hintSecrets):
      "door \(door): \(frameKeys) bytes of frame keys and \(hintSecrets) of hint secrets, expected 16 of each a "
        + "credential"
    case .tooManyKeys(let count):
      "\(count) credentials at all doors together, expected at most \(KeyTable.limit)"
    }
  }
}

/// The keys of all credentials at all doors of one daemon; a key is known by its number in the table.
///
/// Immutable: a reload makes another table. It shares the doors' bytes, 32 a credential, and adds none.
public final class KeyTable: Sendable {
  /// Most keys of a table: an entry of `HintIndex` has 22 bits for a key's number.
  public static let limit = 1 << 22

  public let doors: [DoorKeys]
  /// How many keys there are, of all doors.
  public let count: Int
  /// The number of each door's first key, and behind the last door the number of all.
  private let starts: [Int]

  /// The table of these doors, whose keys are numbered through in the order given.
  ///
  /// - Throws: for more than `limit` keys.
  public init(_ doors: [DoorKeys]) throws(KeyTableError) {
    var starts = [0]
    for door in doors { starts.append(starts[starts.count - 1] + door.count) }
    let count = starts[doors.count]
    guard count <= KeyTable.limit else { throw .tooManyKeys(count) }
    self.doors = doors
    self.count = count
    self.starts = starts
  }

  /// The numbers of a door's keys; its index is that in `doors`.
  public func keys(ofDoor index: Int) -> Range<Int> {
    doors.indices.contains(index) ? starts[index]..<starts[index + 1] : 0..<0
  }

  /// The index in `doors` of a key's door; nil for a number that no key has.
  public func doorIndex(ofKey key: Int) -> Int? {
    guard key >= 0, key < count else { return nil }
    var low = 0
    var high = doors.count - 1
    while low < high {
      let middle = (low + high) / 2
      if key < starts[middle + 1] { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The frame key of a key's number; nil where the door doesn't have it.
  func frameKey(_ key: Int, doorIndex: Int) -> Block? {
    doors[doorIndex].frameKeys.block(at: key - starts[doorIndex])
  }

  /// A key's exchange under a freshness, with which to answer its holder; nil for a number that no key has.
  public func exchange(ofKey key: Int, freshness: Freshness) throws(CryptoError) -> Exchange? {
    guard let index = doorIndex(ofKey: key) else { return nil }
    let door = doors[index]
    let place = key - starts[index]
    guard let frameKey = door.frameKeys.block(at: place), let hintSecret = door.hintSecrets.block(at: place) else {
      return nil
    }
    return try Exchange(
      keys: CredentialKeys(frameKey: frameKey, hintSecret: hintSecret), hintRoot: door.hintRoot, door: door.number,
      freshness: freshness)
  }
}
