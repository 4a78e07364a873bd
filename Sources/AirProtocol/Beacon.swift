/// What a door tells everyone of its site ("Beacon frame").
public struct Beacon: Hashable, Sendable {
  public let challenge: Challenge
  public let door: DoorNumber
  public let state: DoorStateByte
  /// The low eight bits of the door's slot, by which a holder sees that its own clock is off.
  public let slotLow: UInt8

  public init(challenge: Challenge, door: DoorNumber, state: DoorStateByte, slotLow: UInt8) {
    self.challenge = challenge
    self.door = door
    self.state = state
    self.slotLow = slotLow
  }

  /// The beacon of a challenge and the lowest 32 bits of `packed`, first byte most significant; nil for door 0.
  init?(challenge: Challenge, packed: UInt64) {
    guard let door = DoorNumber(rawValue: UInt16(truncatingIfNeeded: packed >> 16)) else { return nil }
    self.init(
      challenge: challenge, door: door, state: DoorStateByte(rawValue: UInt8(truncatingIfNeeded: packed >> 8)),
      slotLow: UInt8(truncatingIfNeeded: packed))
  }

  /// The four plaintext bytes in the lowest 32 bits, first byte most significant.
  var packed: UInt64 { UInt64(door.rawValue) << 16 | UInt64(state.rawValue) << 8 | UInt64(slotLow) }

  /// How far the door's slot is ahead of the holder's, mod 256, as −128…127.
  public func slotsAhead(of slot: UInt64) -> Int {
    Int(Int8(bitPattern: slotLow &- UInt8(truncatingIfNeeded: slot)))
  }
}
