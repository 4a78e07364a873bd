/// Decides whether a door does what a credential asks; allocates nothing.
public func decide(rule: CredentialRule, door: DoorPolicy, request: AccessRequest) -> Outcome {
  for step in order {
    if let reason = step.denial(rule, door, request) { return .denied(reason) }
  }
  return .granted(consumesUse: usesLeft(rule, request) != nil)
}

/// The same decision as `decide`, with every rule that led to it.
///
/// - Parameter time: writes Unix seconds for people.
public func explain(
  rule: CredentialRule, door: DoorPolicy, request: AccessRequest, time: @escaping (Int64) -> String
) -> Decision {
  var trace: [Decision.Step] = []
  for step in order {
    let denial = step.denial(rule, door, request)
    let finding = Finding(rule: rule, door: door, request: request, time: time)
    trace.append(Decision.Step(rule: step, found: finding.text(step), passed: denial == nil))
    if let denial { return Decision(outcome: .denied(denial), trace: trace) }
  }
  return Decision(outcome: .granted(consumesUse: usesLeft(rule, request) != nil), trace: trace)
}

private let order = AccessRule.allCases

/// What the rules find, in words.
private struct Finding {
  let rule: CredentialRule
  let door: DoorPolicy
  let request: AccessRequest
  let time: (Int64) -> String

  func text(_ step: AccessRule) -> String {
    switch step {
    case .revoked, .disabled: "the credential is \(rule.status)"
    case .command: command
    case .freshness: freshness
    case .clock: clock
    case .start: rule.validFrom.map { "valid from \(time($0)), now \(time(request.now))" } ?? "no start"
    case .end: rule.validUntil.map { "valid until \(time($0)), now \(time(request.now))" } ?? "no end"
    case .bundle:
      door.bundleValidUntil.map { "the bundle is valid until \(time($0)), now \(time(request.now))" }
        ?? "the bundle has no end"
    case .lockdown: lockdown
    case .uses: uses
    }
  }

  private var command: String {
    let asked = request.permission == .duress ? "duress, permitted like unlock" : request.permission.rawValue
    return "asked for \(asked); the credential permits \(rule.permissions)"
  }

  private var freshness: String {
    let kind = request.byChallenge ? "challenge" : "time"
    let policies = "by \(kind); the door takes \(door.freshness.rawValue), the credential \(rule.freshness.rawValue)"
    guard !request.byChallenge, PermissionSet.needChallenge.permits(request.permission) else { return policies }
    let exception =
      door.allowedByTime.permits(request.permission) ? "allowed by time at this door" : "needs a challenge"
    return "\(policies); \(request.permission.rawValue) \(exception)"
  }

  private var clock: String {
    if request.clockTrusted { return "trusted" }
    return AccessRule.clock.denial(rule, door, request) == nil
      ? "not trusted, but nothing here depends on it" : "not trusted, and this depends on it"
  }

  private var lockdown: String {
    guard request.lockedDown else { return "no lockdown" }
    return "locked down; \(request.permission.rawValue) \(request.permission.opens ? "would open" : "doesn't open")"
  }

  private var uses: String {
    guard let uses = rule.uses else { return "no limit" }
    return request.permission.opens
      ? "\(request.usesSpent) of \(uses) spent" : "\(request.permission.rawValue) spends none"
  }
}
