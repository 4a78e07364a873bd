public import AccessControl
public import AirProtocol
public import LatchkeyCrypto
internal import POSIX

/// What one door needs to know and no more: its own keys, the keys and rules of its credentials, signed by the site.
///
/// The bytes are in docs/bundle-format.md. A value of this type was verified: the signature first, then every field.
public struct DoorBundle: Sendable {
  public let header: BundleHeader
  /// The site's key that signed it.
  public let signer: VerificationKey
  /// SHA-256 of all that is signed: equal for equal bundles only.
  public let digest: [UInt8]
  public let hintRoot: HintRoot
  public let beaconKey: BeaconKey
  /// The frame keys of the credentials, 16 bytes each, in the order of `rules`.
  public let frameKeys: SecretBytes
  /// The hint secrets of the credentials, 16 bytes each, in the order of `rules`.
  public let hintSecrets: SecretBytes
  /// Who they are and what they may; those that are disabled or revoked too.
  public let rules: BundleRules

  /// Reads a bundle for a door and verifies all of it.
  ///
  /// Whether its serial is high enough is for the ledger to say.
  ///
  /// - Parameters:
  ///   - path: a file that only its owner can read; it holds keys.
  ///   - siteKey: the site's key, from the door's configuration.
  ///   - door: the door it must be for.
  public static func load(
    _ path: String, siteKey: VerificationKey, door: Identifier
  ) throws(BundleError) -> DoorBundle {
    let bundle = try DoorBundle(parsing: read(path), signer: siteKey)
    guard bundle.header.door == door else { throw .otherDoor(expected: door, found: bundle.header.door) }
    return bundle
  }

  /// Reads a bundle for people to look at.
  ///
  /// The signature is checked against the key that the bundle itself names, which shows that it is whole, but not
  /// whose it is: compare `signer`.
  public static func open(_ path: String) throws(BundleError) -> DoorBundle {
    try DoorBundle(parsing: read(path), signer: nil)
  }

  /// Verifies the bytes of a bundle, by the site's key and for a door.
  public static func verify(
    _ bytes: SecretBytes, siteKey: VerificationKey, door: Identifier
  ) throws(BundleError) -> DoorBundle {
    let bundle = try DoorBundle(parsing: bytes, signer: siteKey)
    guard bundle.header.door == door else { throw .otherDoor(expected: door, found: bundle.header.door) }
    return bundle
  }

  private static func read(_ path: String) throws(BundleError) -> SecretBytes {
    do throws(FileError) {
      let file = try RegularFile.open(path, limit: BundleLayout.longestFile, onlyPrivate: true)
      return try SecretBytes(count: file.size) { (bytes: inout MutableSpan<UInt8>) throws(FileError) in
        try file.readWhole(into: &bytes)
      }
    } catch {
      throw .file(error)
    }
  }
}

/// What a bundle says of its door and site, beside keys and rules.
public struct BundleHeader: Hashable, Sendable {
  public let site: SiteProfile
  public let door: Identifier
  public let doorName: DisplayName
  /// The door's number on the air.
  public let number: DoorNumber
  /// Rises with each bundle of this number; at least 1.
  public let serial: Int64
  /// Unix seconds at which it was made.
  public let issuedAt: Int64
  /// Unix seconds from which its rules count no more; nil: no end.
  public let validUntil: Int64?
  /// The rules of the site's time zone.
  public let zone: TimeZoneData

  public init(
    site: SiteProfile, door: Identifier, doorName: DisplayName, number: DoorNumber, serial: Int64, issuedAt: Int64,
    validUntil: Int64?, zone: TimeZoneData
  ) {
    self.site = site
    self.door = door
    self.doorName = doorName
    self.number = number
    self.serial = serial
    self.issuedAt = issuedAt
    self.validUntil = validUntil
    self.zone = zone
  }
}
