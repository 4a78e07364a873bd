import AccessControl
import AirProtocol
import LatchkeyCrypto
import POSIX
import TestSupport
import Testing

@testable import Provisioning

/// A site in a folder of its own.
struct Fixture {
  let folder: TemporaryDirectory
  let site: Site

  /// The moment of all that is done unless said otherwise.
  static let now: Int64 = 1_796_000_000

  /// - Parameter doors: added in this order.
  init(doors: [Identifier] = ["front"]) throws {
    folder = try TemporaryDirectory()
    site = try Site.create(in: folder("site"), Self.settings(), now: Self.now)
    for door in doors { _ = try site.addDoor(door, name: DisplayName("Door \(door)"), now: Self.now) }
  }

  static func settings() throws -> Site.Settings {
    let clock = try #require(SlotClock(slotSeconds: 1, skewSlots: 2))
    let markers = try #require(CarrierMarkers(name: "LK1", uuid16: 0xF5FE))
    let settings = try Site.Settings(name: DisplayName("Büro"), zone: zone(), slotClock: clock, markers: markers)
    return try #require(settings)
  }

  static func zone() throws -> TimeZoneData { try TimeZoneData(name: "Test/Zone", bytes: zoneFile()) }

  /// A TZif file of universal time, with that many leap seconds.
  static func zoneFile(version: Unicode.Scalar = "2", leap: UInt8 = 0) -> [UInt8] {
    let block = Array("TZif".utf8) + [UInt8(ascii: version)] + [UInt8](repeating: 0, count: 15)
    let counts: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, leap, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]
    let data = [UInt8](repeating: 0, count: 6) + Array("UTC\0".utf8)
    return block + counts + data + block + counts + data + Array("\nUTC0\n".utf8)
  }

  func rule(
    _ id: Identifier, holder: String = "Alice", status: CredentialStatus = .active,
    permissions: PermissionSet = [.unlock, .status], freshness: FreshnessPolicy = .time, from: Int64? = nil,
    until: Int64? = nil, uses: UInt32? = nil
  ) throws -> CredentialRule {
    try CredentialRule(
      id: id, holder: DisplayName(holder), status: status, permissions: permissions, freshness: freshness,
      validFrom: from, validUntil: until, uses: uses)
  }

  /// Issues a credential for the doors, without a file.
  func issue(_ rule: CredentialRule, doors: [Identifier] = ["front"]) throws {
    try site.issue([CredentialRequest(rule: rule, doors: doors)], now: Self.now)
  }

  func export(_ door: Identifier = "front", until: Int64? = nil, now: Int64 = Self.now) throws -> ExportedBundle {
    try site.exportBundle(of: door, zone: Self.zone(), validUntil: until, now: now)
  }

  func load(_ bundle: ExportedBundle) throws -> DoorBundle {
    try DoorBundle.verify(bundle.bytes, siteKey: site.verificationKey, door: bundle.header.door)
  }
}

extension Identifier: ExpressibleByStringLiteral {
  init(stringLiteral text: String) {
    guard let id = Identifier(text) else { fatalError("\(text) is no id") }
    self = id
  }
}

extension SecretBytes {
  var array: [UInt8] { withBytes { span in span.indices.map { span[$0] } } }
}

/// The error that the body throws, of the type expected.
func failure<Failure: Error>(_ body: () throws(Failure) -> Void) -> Failure? {
  do throws(Failure) {
    try body()
    return nil
  } catch { return error }
}
