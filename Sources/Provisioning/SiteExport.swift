public import AccessControl
internal import AirProtocol
internal import Database
public import LatchkeyCrypto
internal import POSIX

/// A bundle that was made: its bytes, to be written with mode 0600, and what to tell of it.
public struct ExportedBundle: Sendable {
  public let header: BundleHeader
  /// How many credentials it has, those that are disabled or revoked too.
  public let credentials: Int
  public let bytes: SecretBytes
}

extension Site {
  /// Makes the bundle of a door as things are now, under the next serial: the greater of last + 1 and the Unix time.
  ///
  /// The serial is used up when this returns, whatever becomes of the bundle.
  ///
  /// - Parameters:
  ///   - zone: the data of the site's time zone, whose name must be `zoneName`.
  ///   - validUntil: Unix seconds from which the bundle's rules count no more; nil: no end.
  public func exportBundle(
    of id: Identifier, zone: TimeZoneData, validUntil: Int64? = nil, now: Int64
  ) throws(SiteError) -> ExportedBundle {
    guard zone.name == zoneName else { throw .timeZone(.unknown(zone.name)) }
    return try writing { () throws(SiteError) in
      let door = try door(id)
      guard door.credentials <= BundleLayout.mostCredentials else {
        throw .tooManyCredentials(door: id, count: door.credentials)
      }
      let (next, overflow) = door.serial.addingReportingOverflow(1)
      let serial = max(overflow ? door.serial : next, now)
      let header = BundleHeader(
        site: profile, door: id, doorName: door.name, number: door.number, serial: serial, issuedAt: now,
        validUntil: validUntil, zone: zone)
      let bytes = try makeBundle(header, credentials: door.credentials)
      try database { () throws(DatabaseError) in
        try connection.run("UPDATE number SET serial = ? WHERE number = ?", serial, door.number.rawValue)
      }
      return ExportedBundle(header: header, credentials: door.credentials, bytes: bytes)
    }
  }

  private func makeBundle(_ header: BundleHeader, credentials: Int) throws(SiteError) -> SecretBytes {
    var body = BundleBody(header)
    var failure: CryptoError?
    let statement = try database { () throws(DatabaseError) in try connection.prepare(exportQuery) }
    // The keys go straight into memory that is wiped.
    let size = credentials * 2 * BundleLayout.keySize
    let sections = try database { () throws(DatabaseError) in
      try SecretBytes(count: size) { (sections: inout MutableSpan<UInt8>) throws(DatabaseError) in
        try statement.forEachRow(header.door.text) { (row) throws(DatabaseError) in
          guard failure == nil, let secret = CredentialSecret(try row.secret(8)) else { return }
          do throws(CryptoError) {
            let keys = try CredentialKeys.derive(from: secret, site: profile.id, door: header.number)
            sections.write(keys.frameKey, at: body.count * BundleLayout.keySize)
            sections.write(keys.hintSecret, at: (credentials + body.count) * BundleLayout.keySize)
          } catch {
            failure = error
          }
          body.append(try row.rule(0))
        }
      }
    }
    if let failure { throw .crypto(failure) }
    return try crypto { () throws(CryptoError) in
      let keys = BundleKeys(
        hintRoot: try siteKey.hintRoot(of: header.number), beaconKey: try siteKey.beaconKey(), sections: sections)
      return try Provisioning.makeBundle(header, keys, body, signedBy: signingKey)
    }
  }
}

private let exportQuery = """
  SELECT \(ruleColumns), secret FROM access JOIN credential ON credential.row = access.credential
  WHERE access.door = ? ORDER BY id
  """

extension MutableSpan<UInt8> {
  /// Writes the bytes of a block; nothing where there is no room for it.
  fileprivate mutating func write(_ block: Block, at start: Int) {
    guard start >= 0, start <= count - Block.size else { return }
    for index in 0..<8 {
      self[start + index] = UInt8(truncatingIfNeeded: block.high >> UInt64(56 - 8 * index))
      self[start + 8 + index] = UInt8(truncatingIfNeeded: block.low >> UInt64(56 - 8 * index))
    }
  }
}
