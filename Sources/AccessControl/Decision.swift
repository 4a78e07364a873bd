/// A fresh command of a known credential at a known door, and all that a decision depends on beside the rules.
public struct AccessRequest: Hashable, Sendable {
  /// What is asked.
  public let permission: Permission
  /// The command's argument byte.
  public let argument: UInt8
  /// Whether the frame's freshness was a challenge, not a slot.
  public let byChallenge: Bool
  /// The wall clock in Unix seconds.
  public let now: Int64
  /// Whether the wall clock may be believed (docs/protocol.md, "The door's clock").
  public let clockTrusted: Bool
  /// Whether the door is locked down.
  public let lockedDown: Bool
  /// How many of the credential's uses are spent at this door.
  public let usesSpent: UInt32

  public init(
    permission: Permission, argument: UInt8 = 0, byChallenge: Bool, now: Int64, clockTrusted: Bool, lockedDown: Bool,
    usesSpent: UInt32
  ) {
    self.permission = permission
    self.argument = argument
    self.byChallenge = byChallenge
    self.now = now
    self.clockTrusted = clockTrusted
    self.lockedDown = lockedDown
    self.usesSpent = usesSpent
  }
}

/// What a door decides: a value, not an error.
public enum Outcome: Hashable, Sendable {
  /// Do it. `consumesUse`: one more of the credential's uses is spent, in the same transaction.
  case granted(consumesUse: Bool)
  case denied(Reason)
}

/// A decision with every rule that led to it, in the order in which they were looked at.
public struct Decision: Hashable, Sendable {
  /// One rule that was looked at.
  public struct Step: Hashable, Sendable {
    public let rule: AccessRule
    /// What was found, for people.
    public let found: String
    public let passed: Bool

    public init(rule: AccessRule, found: String, passed: Bool) {
      self.rule = rule
      self.found = found
      self.passed = passed
    }
  }

  public let outcome: Outcome
  /// All rules where granted; otherwise as far as the one that denied.
  public let trace: [Step]

  public init(outcome: Outcome, trace: [Step]) {
    self.outcome = outcome
    self.trace = trace
  }
}
