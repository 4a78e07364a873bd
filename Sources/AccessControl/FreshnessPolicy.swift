/// Which kind of freshness a door or credential accepts (docs/protocol.md, "Words").
public enum FreshnessPolicy: String, CaseIterable, Hashable, Sendable {
  /// Only the clock's slots.
  case time
  /// Only the door's challenges.
  case challenge
  case either

  /// Whether a frame of that kind is accepted.
  public func accepts(challenge: Bool) -> Bool {
    switch self {
    case .time: !challenge
    case .challenge: challenge
    case .either: true
    }
  }
}
