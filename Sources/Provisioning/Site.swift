public import AccessControl
public import AirProtocol
internal import Database
public import LatchkeyCrypto
internal import POSIX

/// The key keeper's data of one site: its keys, doors and credentials, in `site.db` of a directory.
///
/// For one thread. Several processes may have the same site open: each operation is one transaction, and one that
/// waits longer than two seconds for another's fails as busy. Times are Unix seconds.
public final class Site {
  /// What doors and holders must agree on.
  public let profile: SiteProfile
  /// The site's IANA time zone.
  public let zoneName: String
  /// When it was made.
  public let createdAt: Int64
  let siteKey: SiteKey
  let signingKey: SigningKey
  let connection: Connection

  /// What a new site is made with.
  public struct Settings: Sendable {
    public let name: DisplayName
    public let zone: TimeZoneData
    public let slotClock: SlotClock
    public let challengeSeconds: Int
    public let markers: CarrierMarkers

    /// Takes what a site needs; nil where `challengeSeconds` is outside `SiteProfile.challengeSecondsRange`.
    public init?(
      name: DisplayName, zone: TimeZoneData, slotClock: SlotClock, challengeSeconds: Int = 2,
      markers: CarrierMarkers = .standard
    ) {
      guard SiteProfile.challengeSecondsRange.contains(challengeSeconds) else { return nil }
      self.name = name
      self.zone = zone
      self.slotClock = slotClock
      self.challengeSeconds = challengeSeconds
      self.markers = markers
    }
  }

  /// The name of the database in a site's directory.
  static let fileName = "site.db"

  /// Makes a site with new keys in a directory, which is made (0700) where there is none.
  ///
  /// Whole or not at all.
  public static func create(
    in directory: String, _ settings: Settings, now: Int64
  ) throws(SiteError) -> Site {
    let path = "\(directory)/\(fileName)"
    try files { () throws(FileError) in
      try makeDirectories(directory)
      try requirePrivate(directory)
    }
    guard try files({ () throws(FileError) in try fileStatus(path) }) == nil else { throw .siteExists(directory) }
    let random = try crypto { () throws(CryptoError) in try SystemRandom.number(UInt64.self) }
    let temporary = "\(path).\(String(random, radix: 36)).tmp"
    do throws(SiteError) {
      try writeNew(temporary, settings, now)
      try files { () throws(FileError) in try moveFile(temporary, to: path) }
    } catch {
      do throws(FileError) { try removeFile(temporary) } catch {}
      throw isTaken(error) ? SiteError.siteExists(directory) : error
    }
    return try open(directory)
  }

  /// Whether another process made a site of that name meanwhile.
  private static func isTaken(_ error: SiteError) -> Bool {
    if case .file(let file) = error { file.errno == .exists } else { false }
  }

  /// Opens the site of a directory that, like the database in it, only its owner can reach.
  public static func open(_ directory: String) throws(SiteError) -> Site {
    let path = "\(directory)/\(fileName)"
    try files { () throws(FileError) in
      guard try fileStatus(path) != nil else { return }
      try requirePrivate(directory)
      try requirePrivate(path)
    }
    guard try files({ () throws(FileError) in try fileStatus(path) }) != nil else { throw .noSite(directory) }
    return try database { () throws(DatabaseError) in
      let connection = try Connection(path: path, access: .readWrite, busyTimeout: .seconds(2))
      try connection.requireSound()
      try connection.migrate(to: siteSchema)
      return try Site(reading: connection)
    }
  }

  /// The public key that doors verify their bundles with.
  public var verificationKey: VerificationKey { signingKey.verificationKey }

  private init(reading connection: Connection) throws(DatabaseError) {
    let query = """
      SELECT id, name, slot_seconds, skew_slots, challenge_seconds, name_marker, uuid16_marker, site_key, signing_key,
        zone, created FROM site
      """
    let site = try connection.prepare(query).first { (row) throws(DatabaseError) in try SiteRow(row) }
    guard let site else { throw connection.error(.unexpectedValue, "holds no site") }
    profile = site.profile
    siteKey = site.siteKey
    signingKey = site.signingKey
    zoneName = site.zone
    createdAt = site.created
    self.connection = connection
  }

  /// Writes the database of a new site.
  private static func writeNew(_ path: String, _ settings: Settings, _ now: Int64) throws(SiteError) {
    let (id, siteKey, signingKey) = try crypto { () throws(CryptoError) in
      (try newSiteID(), try SystemRandom.bytes(SiteKey.size), try SigningKey.generate())
    }
    try database { () throws(DatabaseError) in
      let connection = try Connection(path: path, access: .create, journal: .rollback)
      try connection.migrate(to: siteSchema)
      let insert = try connection.prepare("INSERT INTO site VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      try withSecrets(siteKey, signingKey.rawRepresentation) { (siteKey, signingKey) throws(DatabaseError) in
        try insert.run(
          id, settings.name.text, settings.zone.name, settings.slotClock.slotSeconds, settings.slotClock.skewSlots,
          settings.challengeSeconds, settings.markers.nameText, settings.markers.uuid16, siteKey, signingKey, now)
      }
    }
  }
}

/// A random UUID (RFC 9562 section 5.4), 16 bytes.
private func newSiteID() throws(CryptoError) -> [UInt8] {
  var bytes = try SystemRandom.bytes(16).withBytes { span in span.indices.map { span[$0] } }
  bytes[6] = bytes[6] & 0x0F | 0x40
  bytes[8] = bytes[8] & 0x3F | 0x80
  return bytes
}

/// Lends copies of secrets as the arrays that SQLite binds, and wipes them.
func withSecrets(
  _ first: SecretBytes, _ second: SecretBytes, _ body: ([UInt8], [UInt8]) throws(DatabaseError) -> Void
) throws(DatabaseError) {
  var left = first.withBytes { span in span.indices.map { span[$0] } }
  var right = second.withBytes { span in span.indices.map { span[$0] } }
  defer {
    wipe(&left)
    wipe(&right)
  }
  try body(left, right)
}

/// The one row of the table `site`.
private struct SiteRow {
  let profile: SiteProfile
  let siteKey: SiteKey
  let signingKey: SigningKey
  let zone: String
  let created: Int64

  init(_ row: borrowing Row) throws(DatabaseError) {
    let clock = SlotClock(slotSeconds: try row.integer(2, as: Int.self), skewSlots: try row.integer(3, as: Int.self))
    guard let id = SiteID(bytes: try row.blob(0)), let clock,
      let markers = CarrierMarkers(name: try row.text(5), uuid16: try row.integer(6, as: UInt16.self)),
      let profile = SiteProfile(
        id: id, name: try row.displayName(1), slotClock: clock, challengeSeconds: try row.integer(4, as: Int.self),
        markers: markers)
    else { throw row.unexpected(2, expected: "the properties of a site within their ranges") }
    self.profile = profile
    guard let siteKey = SiteKey(try row.secret(7)) else { throw row.unexpected(7, expected: "32 bytes") }
    self.siteKey = siteKey
    let seed = try row.secret(8)
    do throws(CryptoError) { signingKey = try SigningKey(rawRepresentation: seed) } catch {
      throw row.unexpected(8, expected: "32 bytes")
    }
    zone = try row.text(9)
    created = try row.integer(10)
  }
}
