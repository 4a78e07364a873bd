import Testing

@testable import AccessControl

/// Values to vary in tests.
enum Samples {
  /// 2026-11-30T12:00:00Z.
  static let noon: Int64 = 1_796_040_000

  static func rule(
    status: CredentialStatus = .active, permissions: PermissionSet = .all, freshness: FreshnessPolicy = .either,
    from: Int64? = nil, until: Int64? = nil, uses: UInt32? = nil
  ) throws -> CredentialRule {
    try CredentialRule(
      id: #require(Identifier("alice-phone")), holder: DisplayName("Alice"), status: status, permissions: permissions,
      freshness: freshness, validFrom: from, validUntil: until, uses: uses)
  }

  static func door(
    freshness: FreshnessPolicy = .either, allowedByTime: PermissionSet = [], bundleUntil: Int64? = nil
  ) throws -> DoorPolicy {
    try DoorPolicy(
      id: #require(Identifier("front")), number: 1, freshness: freshness, allowedByTime: allowedByTime,
      pulse: .seconds(5), longestPulse: .seconds(30), bundleValidUntil: bundleUntil)
  }

  static func request(
    _ permission: Permission = .unlock, byChallenge: Bool = true, now: Int64 = noon, clockTrusted: Bool = true,
    lockedDown: Bool = false, usesSpent: UInt32 = 0
  ) -> AccessRequest {
    AccessRequest(
      permission: permission, byChallenge: byChallenge, now: now, clockTrusted: clockTrusted, lockedDown: lockedDown,
      usesSpent: usesSpent)
  }
}
