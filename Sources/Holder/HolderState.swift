public import AirProtocol

/// What one credential used on this device, so that it never uses it again (protocol.md, "sequence", "press").
public struct HolderState: Hashable, Sendable {
  /// How many challenges are remembered.
  public static let rememberedChallenges = 4_096

  public let site: SiteID
  /// The credential's id.
  public let credential: String
  /// The slot in which this state was begun.
  ///
  /// What a lost state used lies in no later slot, so everything up to here counts as used
  /// (docs/decisions/0030-holder-state.md).
  public let begun: UInt64
  /// The press of the last intent; the next one's is one more.
  public internal(set) var press: UInt8
  /// Doors at which something was used.
  public internal(set) var doors: [DoorNumber: DoorUse]
  /// The challenges used, oldest first; each belonged to one door.
  public internal(set) var challenges: [Challenge]

  init(
    site: SiteID, credential: String, begun: UInt64, press: UInt8, doors: [DoorNumber: DoorUse],
    challenges: [Challenge]
  ) {
    self.site = site
    self.credential = credential
    self.begun = begun
    self.press = press
    self.doors = doors
    self.challenges = challenges
  }

  /// The state of a credential that has none.
  ///
  /// - Parameters:
  ///   - now: the slot of the clock.
  ///   - random: makes the first press a random one.
  public init(site: SiteID, credential: String, now: UInt64, random: UInt8) {
    self.init(site: site, credential: credential, begun: now, press: random, doors: [:], challenges: [])
  }

  /// What is known of a door.
  public subscript(door: DoorNumber) -> DoorUse { doors[door] ?? DoorUse(usedUp: begun) }

  /// Whether an intent may begin under this challenge.
  public func mayUse(_ challenge: Challenge) -> Bool { !challenges.contains(challenge) }

  /// The press of the next intent.
  public var nextPress: UInt8 { press &+ 1 }

  /// Notes the press of an intent.
  mutating func use(press: UInt8) { self.press = press }

  /// Notes a time frame to a door.
  mutating func use(slot: UInt64, sequence: UInt8, at door: DoorNumber) {
    doors[door, default: DoorUse(usedUp: begun)].use(slot: slot, sequence: sequence)
  }

  /// Notes a challenge frame to a door that was made while the clock was in slot `now`.
  mutating func use(_ challenge: Challenge, at door: DoorNumber, now: UInt64, pause: UInt64) {
    challenges.append(challenge)
    challenges.removeFirst(max(0, challenges.count - HolderState.rememberedChallenges))
    doors[door, default: DoorUse(usedUp: begun)].usedChallenge(now: now, pause: pause)
  }
}
