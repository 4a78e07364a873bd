public import LatchkeyCrypto

/// A command frame that its holder has made: its tag is right under one credential's key.
///
/// Nothing is decided yet: it may be old, repeated, malformed or not permitted.
public struct VerifiedCommand: Hashable, Sendable {
  public let frame: Frame
  /// The number of the credential's key in the `KeyTable`.
  public let key: Int
  /// The index of the key's door in `KeyTable.doors`.
  public let doorIndex: Int
  public let door: DoorNumber
  /// The freshness under which it was made; whether that is live now is for the caller to look at.
  public let freshness: Freshness
  public let plaintext: CommandPlaintext

  public init(
    frame: Frame, key: Int, doorIndex: Int, door: DoorNumber, freshness: Freshness, plaintext: CommandPlaintext
  ) {
    self.frame = frame
    self.key = key
    self.doorIndex = doorIndex
    self.door = door
    self.freshness = freshness
    self.plaintext = plaintext
  }
}

/// What a frame is to a door ("What the door does with a frame", steps 1 and 2).
public enum Verdict: Hashable, Sendable {
  /// No key expects its hint now.
  case foreign
  /// A key expects its hint, and none has made it; chance alone does that as well.
  case forged
  case verified(VerifiedCommand)
}

/// Tells foreign and forged frames from authentic ones; allocates nothing.
///
/// One value belongs to one thread: it has one AES context, whose key is changed for every candidate.
public struct FrameVerifier {
  private let encryptor: AESEncryptor

  public init() throws(CryptoError) { self.encryptor = try AESEncryptor() }

  /// Looks a frame's hint up and tries its candidates.
  ///
  /// - Throws: where OpenSSL fails, which says nothing about the frame.
  public mutating func verify(_ frame: Frame, index: HintIndex) throws(CryptoError) -> Verdict {
    let hint = frame.hint
    guard index.mayContain(hint) else { return .foreign }
    let layout = index.layout
    let prefix = layout.prefix(of: hint)
    var tried = false
    for place in index.bucket(of: hint) where index.entries[place] & layout.prefixMask == prefix {
      tried = true
      if let command = try open(frame, index.entries[place], index) { return .verified(command) }
    }
    return tried ? .forged : .foreign
  }

  /// The command, where the candidate's key has made the frame.
  private func open(_ frame: Frame, _ entry: UInt32, _ index: HintIndex) throws(CryptoError) -> VerifiedCommand? {
    let key = index.layout.key(of: entry)
    let table = index.table
    guard let doorIndex = table.doorIndex(ofKey: key), let frameKey = table.frameKey(key, doorIndex: doorIndex) else {
      return nil
    }
    let door = table.doors[doorIndex].number
    let freshness = index.freshness(epoch: index.layout.epoch(of: entry), door: doorIndex)
    try encryptor.setKey(frameKey)
    let plain = try encryptor.open(
      frame.cipher, tag: frame.tag, label: 1, binding: freshness.bytes, door: door)
    return plain.map {
      VerifiedCommand(
        frame: frame, key: key, doorIndex: doorIndex, door: door, freshness: freshness,
        plaintext: CommandPlaintext(packed: $0))
    }
  }
}
