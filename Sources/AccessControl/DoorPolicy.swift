/// What a door accepts, whoever asks: from its configuration and its bundle.
public struct DoorPolicy: Hashable, Sendable {
  public let id: Identifier
  /// The door number on the air, 1…65535.
  public let number: UInt16
  public let freshness: FreshnessPolicy
  /// Those of `hold`, `release` and `lockdown` that a time frame may give here as well; empty unless configured.
  public let allowedByTime: PermissionSet
  /// How long an `unlock` without an argument opens.
  public let pulse: Duration
  /// The most that an `unlock` with an argument opens.
  public let longestPulse: Duration
  /// Unix seconds from which the bundle's rules count no more; nil: no end.
  public let bundleValidUntil: Int64?

  public init(
    id: Identifier, number: UInt16, freshness: FreshnessPolicy, allowedByTime: PermissionSet = [], pulse: Duration,
    longestPulse: Duration, bundleValidUntil: Int64? = nil
  ) {
    self.id = id
    self.number = number
    self.freshness = freshness
    self.allowedByTime = allowedByTime
    self.pulse = pulse
    self.longestPulse = longestPulse
    self.bundleValidUntil = bundleValidUntil
  }

  /// How long an `unlock` opens.
  ///
  /// - Parameter argument: 0: the door's own pulse; 1…255: seconds, at most the longest pulse.
  public func pulse(argument: UInt8) -> Duration {
    argument == 0 ? pulse : min(.seconds(Int64(argument)), longestPulse)
  }
}
