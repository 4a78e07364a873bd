/// The rules of a decision; `allCases` is the order in which they are looked at (docs/decisions/0012).
///
/// Who comes before what, what before how, how before when, when before the door's own state: the first that denies is
/// the reason. The raw values are the words of `latchkeyd check`.
public enum AccessRule: String, CaseIterable, Hashable, Sendable {
  /// The credential isn't revoked.
  case revoked
  /// The credential isn't disabled.
  case disabled
  /// The credential may give this command.
  case command
  /// The door and the credential accept this kind of freshness, for this command.
  case freshness
  /// The clock is trusted where it matters.
  case clock
  /// The credential's start has come.
  case start
  /// The credential's end hasn't come.
  case end
  /// The bundle's end hasn't come.
  case bundle
  /// The door isn't locked down, where that matters.
  case lockdown
  /// Uses are left, where the command spends one.
  case uses
}

extension AccessRule {
  /// Why this rule denies the request; nil where it has nothing against it.
  func denial(_ rule: CredentialRule, _ door: DoorPolicy, _ request: AccessRequest) -> Reason? {
    switch self {
    case .revoked: rule.status == .revoked ? .revoked : nil
    case .disabled: rule.status == .disabled ? .disabled : nil
    case .command: rule.permissions.permits(request.permission) ? nil : .notPermitted
    case .freshness: freshnessDenial(rule, door, request)
    case .clock: request.clockTrusted || !dependsOnClock(rule, door, request) ? nil : .clockUntrusted
    case .start: rule.validFrom.map { request.now >= $0 } ?? true ? nil : .notYetValid
    case .end: rule.validUntil.map { request.now < $0 } ?? true ? nil : .expired
    case .bundle: door.bundleValidUntil.map { request.now < $0 } ?? true ? nil : .expired
    case .lockdown: request.lockedDown && request.permission.opens ? .lockdown : nil
    case .uses: usesLeft(rule, request) == 0 ? .usesExhausted : nil
    }
  }
}

extension Permission {
  /// Whether the command opens the door: such a command is denied in lockdown and spends a use.
  public var opens: Bool { self == .unlock || self == .duress || self == .hold }
}

private func freshnessDenial(_ rule: CredentialRule, _ door: DoorPolicy, _ request: AccessRequest) -> Reason? {
  guard door.freshness.accepts(challenge: request.byChallenge), rule.freshness.accepts(challenge: request.byChallenge)
  else { return request.byChallenge ? .timeRequired : .challengeRequired }
  guard !request.byChallenge, PermissionSet.needChallenge.permits(request.permission) else { return nil }
  return door.allowedByTime.permits(request.permission) ? nil : .challengeRequired
}

/// Whether the decision would be another one at another time.
private func dependsOnClock(_ rule: CredentialRule, _ door: DoorPolicy, _ request: AccessRequest) -> Bool {
  !request.byChallenge || rule.validFrom != nil || rule.validUntil != nil || door.bundleValidUntil != nil
}

/// How many uses are left before this one; nil where none is counted.
func usesLeft(_ rule: CredentialRule, _ request: AccessRequest) -> UInt32? {
  guard let uses = rule.uses, request.permission.opens else { return nil }
  return uses > request.usesSpent ? uses - request.usesSpent : 0
}
