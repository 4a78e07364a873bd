public import AccessControl
public import POSIX

/// The highest (slot, sequence) of a credential at a door: a time frame counts only above it (docs/protocol.md, step 4).
public struct RecordedMark: Hashable, Comparable, Sendable {
  /// First bit 0.
  public let slot: UInt64
  public let sequence: UInt8

  /// nil where the slot's first bit is 1, which would make it a challenge.
  public init?(slot: UInt64, sequence: UInt8) {
    guard Int64(exactly: slot) != nil else { return nil }
    self.slot = slot
    self.sequence = sequence
  }

  public static func < (left: RecordedMark, right: RecordedMark) -> Bool {
    (left.slot, left.sequence) < (right.slot, right.sequence)
  }
}

/// All that one handled frame, or another event of the door, changes: recorded whole or not at all.
public struct LedgerEntry: Hashable, Sendable {
  /// What the log says.
  public var event: LedgerEvent
  /// The door number, 1…65535; nil for an event of no door, which changes nothing but the log.
  public var doorNumber: UInt16?
  /// The new mark of the event's credential at the door; a lower one than recorded changes nothing.
  public var mark: RecordedMark?
  /// Whether one more of the credential's uses is spent.
  public var consumesUse: Bool
  /// The door's mode from now on; nil: as before.
  public var mode: SavedMode?
  /// Whether the event's time is of a trusted clock: only then does it count as the last record's time.
  public var clockTrusted: Bool

  public init(
    _ event: LedgerEvent, doorNumber: UInt16? = nil, mark: RecordedMark? = nil, consumesUse: Bool = false,
    mode: SavedMode? = nil, clockTrusted: Bool = false
  ) {
    self.event = event
    self.doorNumber = doorNumber
    self.mark = mark
    self.consumesUse = consumesUse
    self.mode = mode
    self.clockTrusted = clockTrusted
  }
}

/// What the ledger knows of one credential at one door.
public struct CredentialState: Hashable, Sendable {
  public let credential: Identifier
  /// nil where no time mark was recorded.
  public let mark: RecordedMark?
  public let usesSpent: UInt32

  public init(credential: Identifier, mark: RecordedMark?, usesSpent: UInt32) {
    self.credential = credential
    self.mark = mark
    self.usesSpent = usesSpent
  }
}

/// A press that was answered (docs/protocol.md, step 6).
public struct RecordedPress: Hashable, Sendable {
  /// The event that recorded it.
  public let event: Int64
  public let credential: Identifier
  public let command: Permission
  public let argument: UInt8
  public let press: UInt8
  /// What it was answered.
  public let result: UInt8
  public let time: WallTime

  public init(
    event: Int64, credential: Identifier, command: Permission, argument: UInt8, press: UInt8, result: UInt8,
    time: WallTime
  ) {
    self.event = event
    self.credential = credential
    self.command = command
    self.argument = argument
    self.press = press
    self.result = result
    self.time = time
  }
}

/// Which bundle a door accepted last.
public struct AcceptedBundle: Hashable, Sendable {
  /// Rises with each bundle that is exported for the door.
  public let serial: Int64
  /// 32 bytes: the bundle's SHA-256.
  public let digest: [UInt8]

  /// nil where the digest isn't 32 bytes or the serial is negative.
  public init?(serial: Int64, digest: [UInt8]) {
    guard digest.count == 32, serial >= 0 else { return nil }
    self.serial = serial
    self.digest = digest
  }
}
