/// A door's challenge: eight bytes whose first bit is 1 ("Beacon frame").
public struct Challenge: Hashable, Sendable {
  /// The eight bytes, the first of them the most significant.
  public let bytes: UInt64

  /// The challenge of these bytes; nil where the first bit is 0.
  ///
  /// Whoever takes a challenge refuses such bytes: they would be the freshness of a slot, and a forger could name
  /// tomorrow's.
  public init?(bytes: UInt64) {
    guard bytes >> 63 == 1 else { return nil }
    self.bytes = bytes
  }

  /// The challenge behind 63 random bits; the first bit of `random` is set to 1.
  public init(random: UInt64) { self.bytes = random | 1 << 63 }
}

extension Challenge: CustomStringConvertible {
  /// The 16 lower-case hex digits of its bytes.
  public var description: String { hexadecimal(bytes) }
}

/// What binds a frame to now: a slot of the clock, or a challenge that a door shows.
///
/// It is never sent with a frame: both sides know it ("Words").
public enum Freshness: Hashable, Sendable {
  /// A slot of `SlotClock`; slots end at 2⁶³ − 1.
  case time(slot: UInt64)
  /// The challenge of a beacon.
  case challenge(Challenge)

  /// The freshness that these eight bytes are: the first bit tells which kind.
  public init(bytes: UInt64) {
    if let challenge = Challenge(bytes: bytes) {
      self = .challenge(challenge)
    } else {
      self = .time(slot: bytes)
    }
  }

  /// The eight bytes `F` of the protocol, the first of them the most significant.
  ///
  /// A slot beyond 2⁶³ − 1, which no clock reaches, is cut to that: it never becomes a challenge.
  public var bytes: UInt64 {
    switch self {
    case .time(let slot): min(slot, SlotClock.lastSlot)
    case .challenge(let challenge): challenge.bytes
    }
  }
}
