/// How a door stands, as its beacons and answers say it ("Answer frame").
public struct DoorState: RawRepresentable, Hashable, Sendable {
  /// The number on the air, 0…15; a number that isn't known is shown as one.
  public let rawValue: UInt8

  /// The state of that number; nil above 15, for it has four bits.
  public init?(rawValue: UInt8) {
    guard rawValue < 16 else { return nil }
    self.rawValue = rawValue
  }

  private init(known: UInt8) { self.rawValue = known }

  public static let unknown = DoorState(known: 0)
  public static let locked = DoorState(known: 1)
  public static let unlocked = DoorState(known: 2)
  public static let heldOpen = DoorState(known: 3)
  public static let lockedDown = DoorState(known: 4)

  /// The state of the lowest four bits.
  init(lowBitsOf byte: UInt8) { self.rawValue = byte & 15 }
}

extension DoorState: CustomStringConvertible {
  /// The state in words, for example `held open`; a number that isn't known as `state 9`.
  public var description: String {
    switch self {
    case .unknown: "unknown"
    case .locked: "locked"
    case .unlocked: "unlocked"
    case .heldOpen: "held open"
    case .lockedDown: "locked down"
    default: "state \(rawValue)"
    }
  }
}

/// The state byte of beacons and answers: the door's state and two facts about the door ("Beacon frame").
public struct DoorStateByte: RawRepresentable, Hashable, Sendable {
  /// The byte as it stands; bits 4 and 5 are ignored.
  public let rawValue: UInt8

  /// Any byte is one.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The byte that says this; bits 4 and 5 are sent as 0.
  public init(_ state: DoorState, clockTrusted: Bool, doorOpen: Bool = false) {
    self.rawValue = state.rawValue | (clockTrusted ? 0x40 : 0) | (doorOpen ? 0x80 : 0)
  }

  /// The low four bits.
  public var state: DoorState { DoorState(lowBitsOf: rawValue) }
  /// Bit 6: the door trusts its clock and accepts time frames.
  public var clockTrusted: Bool { rawValue & 0x40 != 0 }
  /// Bit 7: the sensor says that the door stands open.
  public var doorOpen: Bool { rawValue & 0x80 != 0 }
}
