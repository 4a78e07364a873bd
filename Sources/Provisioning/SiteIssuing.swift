public import AccessControl
internal import AirProtocol
internal import Database
internal import LatchkeyCrypto
internal import POSIX

/// A credential to be issued.
public struct CredentialRequest: Hashable, Sendable {
  /// Who, which commands, when; its status is what the credential begins with.
  public var rule: CredentialRule
  /// The doors it is for; one that stands twice counts once.
  public var doors: [Identifier]

  public init(rule: CredentialRule, doors: [Identifier]) {
    self.rule = rule
    self.doors = doors
  }
}

extension Site {
  /// Issues a credential with a new secret and writes its file (0600), which must not exist yet.
  ///
  /// The credential is there when its file is, or neither; after a crash in between, the file may be left and is of no
  /// use.
  public func issue(
    _ request: CredentialRequest, into path: String, now: Int64
  ) throws(SiteError) -> CredentialFile {
    var written = false
    do throws(SiteError) {
      return try writing { () throws(SiteError) in
        try files { () throws(FileError) in try requireAbsent(path) }
        try insert(CollectionOfOne(request), now: now)
        let file = try credentialFile(request.rule.id)
        var text = file.encoded()
        defer { wipe(&text) }
        try files { () throws(FileError) in try createFile(path, contents: text) }
        written = true
        return file
      }
    } catch {
      if written { do throws(FileError) { try removeFile(path) } catch {} }
      throw error
    }
  }

  /// Issues many credentials in one transaction, without files: all or none of them.
  ///
  /// A hundred thousand take about two seconds.
  public func issue(_ requests: some Sequence<CredentialRequest>, now: Int64) throws(SiteError) {
    try writing { () throws(SiteError) in try insert(requests, now: now) }
  }

  /// The file of a credential, with its secret and the doors as they are now.
  public func credentialFile(_ id: Identifier) throws(SiteError) -> CredentialFile {
    let rule = try credential(id).rule
    return try database { () throws(DatabaseError) in
      let secret = try connection.prepare("SELECT secret FROM credential WHERE id = ?").first(id.text) {
        (row) throws(DatabaseError) in CredentialSecret(try row.secret(0))
      }
      guard let secret, let secret else { throw connection.error(.unexpectedValue, "credential \(id) has no secret") }
      let query = """
        SELECT door.id, door.name, door.number
        FROM credential JOIN access ON access.credential = credential.row JOIN door ON door.id = access.door
        WHERE credential.id = ? ORDER BY door.id
        """
      let doors = try connection.prepare(query).map(id.text) { (row) throws(DatabaseError) in
        CredentialFile.Door(
          id: try row.identifier(0), name: try row.displayName(1), number: try row.doorNumber(2),
          freshness: rule.freshness, commands: rule.permissions)
      }
      return CredentialFile(site: profile, siteKey: siteKey, id: id, secret: secret, doors: doors)
    }
  }

  private func insert(_ requests: some Sequence<CredentialRequest>, now: Int64) throws(SiteError) {
    let known = Set(try doors().map(\.id))
    let statements = try database { () throws(DatabaseError) in try InsertStatements(connection) }
    for request in requests {
      if let unknown = request.doors.first(where: { !known.contains($0) }) { throw .unknownDoor(unknown) }
      let secret = try crypto { () throws(CryptoError) in try SystemRandom.bytes(CredentialSecret.size) }
      let isNew = try database { () throws(DatabaseError) in try statements.insert(request, secret, now) }
      guard isNew else { throw .credentialExists(request.rule.id) }
    }
  }
}

/// The statements of an issue, compiled once for many.
private struct InsertStatements {
  private let connection: Connection
  private let credential: Statement
  private let access: Statement

  init(_ connection: Connection) throws(DatabaseError) {
    self.connection = connection
    credential = try connection.prepare(
      """
      INSERT INTO credential (\(ruleColumns), secret, issued, changed)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
      """)
    access = try connection.prepare("INSERT OR IGNORE INTO access (door, credential) VALUES (?, ?)")
  }

  /// Answers whether the credential is new; nothing happens otherwise.
  func insert(_ request: CredentialRequest, _ secret: SecretBytes, _ now: Int64) throws(DatabaseError) -> Bool {
    let rule = request.rule
    var bytes = secret.withBytes { span in span.indices.map { span[$0] } }
    defer { wipe(&bytes) }
    let count = try credential.run(
      rule.id.text, rule.holder.text, rule.status.rawValue, rule.permissions.rawValue, rule.freshness.rawValue,
      rule.validFrom, rule.validUntil, rule.uses, bytes, now, now)
    guard count == 1 else { return false }
    let row = connection.lastInsertedRow
    for door in request.doors { try access.run(door.text, row) }
    return true
  }
}
