public import AccessControl
internal import Database

/// A credential as the key keeper knows it, without its secret.
public struct SiteCredential: Hashable, Sendable {
  public let rule: CredentialRule
  /// The doors it is for, sorted by id; empty where they were all removed.
  public let doors: [Identifier]
  /// When it was issued, in Unix seconds.
  public let issuedAt: Int64
  /// When it was last changed, in Unix seconds.
  public let changedAt: Int64
}

extension Site {
  /// The credential of that id.
  public func credential(_ id: Identifier) throws(SiteError) -> SiteCredential {
    let found = try database { () throws(DatabaseError) in
      try connection.prepare(credentialQuery + " WHERE id = ?").first(id.text) { (row) throws(DatabaseError) in
        try SiteCredential(row)
      }
    }
    guard let found else { throw .unknownCredential(id) }
    return found
  }

  /// Calls `body` for every credential, in the order of their ids; they are read as they go, never all at once.
  public func forEachCredential(_ body: (SiteCredential) -> Void) throws(SiteError) {
    try database { () throws(DatabaseError) in
      try connection.prepare(credentialQuery + " ORDER BY id").forEachRow { (row) throws(DatabaseError) in
        body(try SiteCredential(row))
      }
    }
  }

  /// Sets whether a credential counts.
  ///
  /// - Returns: whether that changed anything.
  /// - Throws: `revoked` where it is revoked and is to be something else.
  public func setStatus(
    _ status: CredentialStatus, of id: Identifier, now: Int64
  ) throws(SiteError) -> Bool {
    try writing { () throws(SiteError) in
      let present = try credential(id).rule.status
      if present == status { return false }
      if present == .revoked { throw .revoked(id) }
      try database { () throws(DatabaseError) in
        try connection.run("UPDATE credential SET status = ?, changed = ? WHERE id = ?", status.rawValue, now, id.text)
      }
      return true
    }
  }
}

private let credentialQuery = """
  SELECT \(ruleColumns), issued, changed,
    (SELECT group_concat(door) FROM access WHERE access.credential = credential.row)
  FROM credential
  """

extension SiteCredential {
  fileprivate init(_ row: borrowing Row) throws(DatabaseError) {
    rule = try row.rule(0)
    issuedAt = try row.integer(8)
    changedAt = try row.integer(9)
    var doors: [Identifier] = []
    for word in (try row.optionalText(10) ?? "").split(separator: ",") {
      guard let door = Identifier(String(word)) else { throw row.unexpected(10, expected: "ids of doors") }
      doors.append(door)
    }
    self.doors = doors.sorted()
  }
}
