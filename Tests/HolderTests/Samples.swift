import AccessControl
import Advertising
import AirProtocol
import Holder
import LatchkeyCrypto
import Provisioning
import TestSupport

/// A credential with two listed doors, front (1) and back (2), at a site with slots of five seconds.
func sampleCredential(
  _ id: String = "alice-phone", secret: UInt8 = 7, markers: CarrierMarkers = .standard, slotSeconds: Int = 5,
  skewSlots: Int = 2, challengeSeconds: Int = 2
) throws -> CredentialFile {
  CredentialFile(
    site: try sampleSite(
      "8ded4b41-24f1-6fb9-f79e-64bba2d7f109", markers: markers, slotSeconds: slotSeconds, skewSlots: skewSlots,
      challengeSeconds: challengeSeconds),
    siteKey: try present(SiteKey(SecretBytes(copying: [UInt8](repeating: 1, count: 32)))),
    id: try present(Identifier(id)),
    secret: try present(CredentialSecret(SecretBytes(copying: [UInt8](repeating: secret, count: 32)))),
    doors: [try sampleDoor("front", 1), try sampleDoor("back", 2)])
}

func sampleSite(
  _ id: String, markers: CarrierMarkers = .standard, slotSeconds: Int = 5, skewSlots: Int = 2,
  challengeSeconds: Int = 2
) throws -> SiteProfile {
  try present(
    SiteProfile(
      id: try present(SiteID(text: id)), name: try DisplayName("HQ"),
      slotClock: try present(SlotClock(slotSeconds: slotSeconds, skewSlots: skewSlots)),
      challengeSeconds: challengeSeconds, markers: markers))
}

func sampleDoor(_ id: String, _ number: UInt16) throws -> CredentialFile.Door {
  CredentialFile.Door(
    id: try present(Identifier(id)), name: try DisplayName("Door \(id)"),
    number: try present(DoorNumber(rawValue: number)), freshness: .time, commands: [.unlock, .lock])
}

/// The credential of a vector, which lists no doors, and its door.
func heldDoor(of vector: VectorRecord) throws -> HeldDoor {
  let markers = try present(
    CarrierMarkers(name: try vector.text("nameMarker"), uuid16: UInt16(try vector.number("uuid16Marker"))))
  let credential = CredentialFile(
    site: try sampleSite(
      try vector.text("siteID"), markers: markers, slotSeconds: Int(try vector.number("slotSeconds"))),
    siteKey: try present(SiteKey(SecretBytes(copying: try vector.bytes("siteKey")))),
    id: try present(Identifier("vector")),
    secret: try present(CredentialSecret(SecretBytes(copying: try vector.bytes("secret")))), doors: [])
  return HeldDoor(try present(DoorNumber(rawValue: UInt16(try vector.number("target")))), of: credential)
}

/// The value, which is there; #require in #require doesn't compile.
func present<Value>(_ value: Value?) throws -> Value {
  guard let value else { throw TestError("expected a value") }
  return value
}
