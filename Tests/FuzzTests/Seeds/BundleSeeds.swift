import AccessControl
import AirProtocol
import LatchkeyCrypto
import TestSupport

@testable import Provisioning

/// Bundles of the tests' own site, signed with its key.
func bundleSeeds() throws -> [Seed] {
  let rules = [
    try rule("alice-phone", "Alice", permissions: [.unlock, .status], from: 1_000, until: 2_000_000_000, uses: 5),
    try rule("bob", "Åse Müller 李", status: .disabled, permissions: [.hold, .release], freshness: .either),
    try rule("zoe.2", "Zoë", status: .revoked, permissions: [.unlock, .lockdown], freshness: .challenge),
  ]
  let three = try bundle(rules)
  var forged = three
  forged[forged.count - 1] ^= 1
  return [
    Seed("bundle", "three-credentials", three), Seed("bundle", "no-credentials", try bundle([])),
    Seed("bundle", "one-credential-until", try bundle([rules[0]], validUntil: 2_000_000_000)),
    Seed("bundle", "badly-signed", forged), Seed("bundle", "cut-off", Array(three.dropLast(70))),
    Seed("bundle", "header-alone", Array(three.prefix(164))), Seed("bundle", "ids-fall", try bundle(rules.reversed())),
    Seed("bundle", "other-door", try bundle([rules[1]], door: "back")),
  ]
}

private func bundle(_ rules: [CredentialRule], validUntil: Int64? = nil, door: String = "front") throws -> [UInt8] {
  guard let id = SiteID(bytes: [UInt8](repeating: 7, count: 16)), let number = DoorNumber(rawValue: 1),
    let clock = SlotClock(slotSeconds: 5, skewSlots: 2), let door = Identifier(door),
    let hintRoot = HintRoot(SecretBytes(copying: [UInt8](repeating: 3, count: HintRoot.size))),
    let site = SiteProfile(
      id: id, name: try DisplayName("Büro"), slotClock: clock, challengeSeconds: 2, markers: .standard)
  else { throw TestError("no bundle") }
  let header = BundleHeader(
    site: site, door: door, doorName: try DisplayName("Front door"), number: number, serial: 9, issuedAt: 1_800_000_000,
    validUntil: validUntil, zone: try TimeZoneData(name: "Test/Zone", bytes: universalTime))
  var body = BundleBody(header)
  for rule in rules { body.append(rule) }
  let sections = (0..<(rules.count * 32)).map { UInt8(truncatingIfNeeded: $0) }
  let keys = BundleKeys(hintRoot: hintRoot, beaconKey: BeaconKey(.zero), sections: SecretBytes(copying: sections))
  return try makeBundle(header, keys, body, signedBy: bundleKey.get()).withBytes { bytes($0) }
}

private func rule(
  _ id: String, _ holder: String, status: CredentialStatus = .active, permissions: PermissionSet,
  freshness: FreshnessPolicy = .time, from: Int64? = nil, until: Int64? = nil, uses: UInt32? = nil
) throws -> CredentialRule {
  guard let id = Identifier(id) else { throw TestError("\(id) is no id") }
  return try CredentialRule(
    id: id, holder: try DisplayName(holder), status: status, permissions: permissions, freshness: freshness,
    validFrom: from, validUntil: until, uses: uses)
}

/// A TZif file (RFC 9636) of universal time.
private let universalTime: [UInt8] = {
  let block = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
  let counts: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]
  let data = [UInt8](repeating: 0, count: 6) + Array("UTC\0".utf8)
  return block + counts + data + block + counts + data + Array("\nUTC0\n".utf8)
}()
