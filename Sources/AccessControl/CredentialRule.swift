/// Whether a credential counts at present; a record of zeros is none of them.
public enum CredentialStatus: UInt8, CaseIterable, Hashable, Sendable {
  case active = 1
  /// Refused until it is enabled again.
  case disabled = 2
  /// Refused for good.
  case revoked = 3
}

extension CredentialStatus: CustomStringConvertible {
  /// `active`, `disabled` or `revoked`.
  public var description: String {
    switch self {
    case .active: "active"
    case .disabled: "disabled"
    case .revoked: "revoked"
    }
  }
}

/// What a door knows of one credential: who, which commands, when, how often.
public struct CredentialRule: Hashable, Sendable {
  public let id: Identifier
  /// Whose it is, for the log.
  public let holder: DisplayName
  public let status: CredentialStatus
  public let permissions: PermissionSet
  public let freshness: FreshnessPolicy
  /// Unix seconds from which it is valid; nil: always was.
  public let validFrom: Int64?
  /// Unix seconds from which it isn't valid any more; nil: no end.
  public let validUntil: Int64?
  /// How many times each door opens to it; nil: no limit.
  public let uses: UInt32?

  /// Takes a rule that makes sense.
  ///
  /// - Throws: where it ends before it starts, may be used no times, or permits nothing: slips that must not be taken
  ///   for "always" or "never".
  public init(
    id: Identifier, holder: DisplayName, status: CredentialStatus, permissions: PermissionSet,
    freshness: FreshnessPolicy, validFrom: Int64? = nil, validUntil: Int64? = nil, uses: UInt32? = nil
  ) throws(CredentialRuleError) {
    if let validFrom, let validUntil, validUntil <= validFrom { throw .endsBeforeItStarts }
    if uses == 0 { throw .noUses }
    if permissions.isEmpty { throw .permitsNothing }
    self.id = id
    self.holder = holder
    self.status = status
    self.permissions = permissions
    self.freshness = freshness
    self.validFrom = validFrom
    self.validUntil = validUntil
    self.uses = uses
  }
}

/// Why the parts of a rule don't fit together.
public enum CredentialRuleError: Error, Hashable, Sendable {
  case endsBeforeItStarts
  case noUses
  case permitsNothing
}

extension CredentialRuleError: CustomStringConvertible {
  /// What was expected, on one line.
  public var description: String {
    switch self {
    case .endsBeforeItStarts: "expected an end that is later than the start"
    case .noUses: "expected at least one use"
    case .permitsNothing: "expected at least one command"
    }
  }
}
