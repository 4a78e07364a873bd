public import AccessControl
public import AirProtocol

/// What a site's doors and holders must agree on, and what it is called; nothing of it is secret.
public struct SiteProfile: Hashable, Sendable {
  public let id: SiteID
  public let name: DisplayName
  /// Length of a slot and the skew that is accepted.
  public let slotClock: SlotClock
  /// Seconds between two challenges of a door, in `challengeSecondsRange`.
  public let challengeSeconds: Int
  /// By what frames are told in names and lists of 16-bit UUIDs.
  public let markers: CarrierMarkers

  /// What this implementation takes for `challengeSeconds`; a challenge lives for two periods.
  public static let challengeSecondsRange = 1...60

  /// Takes the properties of a site; nil where `challengeSeconds` is outside its range.
  public init?(id: SiteID, name: DisplayName, slotClock: SlotClock, challengeSeconds: Int, markers: CarrierMarkers) {
    guard Self.challengeSecondsRange.contains(challengeSeconds) else { return nil }
    self.id = id
    self.name = name
    self.slotClock = slotClock
    self.challengeSeconds = challengeSeconds
    self.markers = markers
  }
}
