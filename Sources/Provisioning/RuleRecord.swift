internal import AccessControl

/// The 32 bytes of a rule in a bundle, as they stand; id and holder lie in the heap.
struct RuleRecord {
  var heapOffset: UInt32
  var idLength: UInt8
  var holderLength: UInt8
  var status: UInt8
  var freshness: UInt8
  var permissions: UInt16
  /// Bit 0: `validFrom` counts; bit 1: `validUntil` counts.
  var limits: UInt8
  var reserved: UInt8
  /// 0: no limit.
  var uses: UInt32
  var validFrom: Int64
  var validUntil: Int64

  /// Reads the record that starts at an offset; the bytes are there.
  init(reading bytes: Span<UInt8>, at start: Int) {
    heapOffset = bytes.integer(at: start)
    idLength = bytes[start + 4]
    holderLength = bytes[start + 5]
    status = bytes[start + 6]
    freshness = bytes[start + 7]
    permissions = bytes.integer(at: start + 8)
    limits = bytes[start + 10]
    reserved = bytes[start + 11]
    uses = bytes.integer(at: start + 12)
    validFrom = bytes.integer(at: start + 16)
    validUntil = bytes.integer(at: start + 24)
  }

  /// The record of a rule whose id and holder begin at an offset of the heap.
  init(_ rule: CredentialRule, heapOffset: UInt32) {
    self.heapOffset = heapOffset
    idLength = UInt8(clamping: rule.id.text.utf8.count)
    holderLength = UInt8(clamping: rule.holder.text.utf8.count)
    status = rule.status.rawValue
    freshness = Self.code(rule.freshness)
    permissions = rule.permissions.rawValue
    limits = (rule.validFrom == nil ? 0 : 1) | (rule.validUntil == nil ? 0 : 2)
    reserved = 0
    uses = rule.uses ?? 0
    validFrom = rule.validFrom ?? 0
    validUntil = rule.validUntil ?? 0
  }

  func write(to bytes: inout [UInt8]) {
    bytes.append(bigEndian: heapOffset)
    bytes += [idLength, holderLength, status, freshness]
    bytes.append(bigEndian: permissions)
    bytes += [limits, reserved]
    bytes.append(bigEndian: uses)
    bytes.append(bigEndian: validFrom)
    bytes.append(bigEndian: validUntil)
  }

  /// Bytes of id and holder in the heap.
  var heapLength: Int { Int(idLength) + Int(holderLength) }

  /// Whether it is active and of that freshness.
  func isActive(by policy: FreshnessPolicy) -> Bool {
    status == CredentialStatus.active.rawValue && freshness == Self.code(policy)
  }

  /// What is wrong with the fixed fields; nil where all is right.
  var fault: String? {
    if CredentialStatus(rawValue: status) == nil { return "status: expected 1, 2 or 3" }
    if Self.policy(freshness) == nil { return "freshness: expected 1, 2 or 3" }
    if permissions == 0 || PermissionSet(exactly: permissions) == nil { return "permissions: expected known commands" }
    if limits & ~3 != 0 || reserved != 0 { return "expected reserved bits to be 0" }
    if limits & 1 == 0, validFrom != 0 { return "from: expected 0" }
    if limits & 2 == 0, validUntil != 0 { return "until: expected 0" }
    if limits == 3, validUntil <= validFrom { return "until: expected a time after from" }
    return nil
  }

  /// The rule; nil where a field is wrong, which the check at load has ruled out.
  func rule(id: Identifier, holder: DisplayName) -> CredentialRule? {
    guard let status = CredentialStatus(rawValue: status), let freshness = Self.policy(freshness),
      let permissions = PermissionSet(exactly: permissions)
    else { return nil }
    do throws(CredentialRuleError) {
      return try CredentialRule(
        id: id, holder: holder, status: status, permissions: permissions, freshness: freshness,
        validFrom: limits & 1 == 0 ? nil : validFrom, validUntil: limits & 2 == 0 ? nil : validUntil,
        uses: uses == 0 ? nil : uses)
    } catch {
      return nil
    }
  }

  private static func code(_ policy: FreshnessPolicy) -> UInt8 {
    switch policy {
    case .time: 1
    case .challenge: 2
    case .either: 3
    }
  }

  private static func policy(_ code: UInt8) -> FreshnessPolicy? {
    switch code {
    case 1: .time
    case 2: .challenge
    case 3: .either
    default: nil
    }
  }
}
