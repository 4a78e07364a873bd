import AccessControl
import AirProtocol
import Database
import POSIX
import TestSupport
import Testing

@testable import Provisioning

@Suite struct SiteCredentialsTests {
  @Test func whatIsIssuedIsThereWithItsFile() throws {
    let fixture = try Fixture(doors: ["front", "back"])
    let rule = try fixture.rule("alice", holder: "Алиса", freshness: .either, from: 5, until: 6, uses: 1)
    let path = fixture.folder("alice.key")
    let file = try fixture.site.issue(
      CredentialRequest(rule: rule, doors: ["front", "back", "front"]), into: path, now: 77)
    #expect(try fileStatus(path)?.permissions == 0o600)
    #expect(try CredentialFile.load(path) == file)
    #expect(file.site == fixture.site.profile && file.siteKey == fixture.site.siteKey && file.id == "alice")
    #expect(file.doors.map(\.id) == ["back", "front"])
    #expect(file.doors.allSatisfy { $0.freshness == .either && $0.commands == [.unlock, .status] })
    let credential = try fixture.site.credential("alice")
    #expect(credential.rule == rule && credential.doors == ["back", "front"])
    #expect(credential.issuedAt == 77 && credential.changedAt == 77)
    #expect(try fixture.site.credentialFile("alice") == file)
  }

  @Test func whereTheFileCantBeMadeNothingIsIssued() throws {
    let fixture = try Fixture()
    let request = CredentialRequest(rule: try fixture.rule("alice"), doors: ["front"])
    try fixture.folder.write("there", "mine")
    for name in ["there", "absent/alice.key"] {
      #expect(throws: SiteError.self) { try fixture.site.issue(request, into: fixture.folder(name), now: 1) }
    }
    #expect(try fixture.folder.text("there") == "mine")
    #expect(failure { () throws(SiteError) in _ = try fixture.site.credential("alice") } == .unknownCredential("alice"))
  }

  @Test func whereNothingIsIssuedThereIsNoFile() throws {
    let fixture = try Fixture()
    try fixture.issue(fixture.rule("alice"))
    for (request, expected) in [
      (CredentialRequest(rule: try fixture.rule("alice"), doors: ["front"]), SiteError.credentialExists("alice")),
      (CredentialRequest(rule: try fixture.rule("bob"), doors: ["front", "x"]), .unknownDoor("x")),
    ] {
      let error = failure { () throws(SiteError) in
        _ = try fixture.site.issue(request, into: fixture.folder("new.key"), now: 1)
      }
      #expect(error == expected)
    }
    #expect(try fixture.folder.names() == ["site"])
  }

  @Test func whereTheTransactionCantEndTheFileIsTakenBack() throws {
    let fixture = try Fixture()
    let reader = try Connection(path: fixture.folder("site/site.db"))
    // Who reads keeps a commit from ending.
    try reader.execute("BEGIN; SELECT * FROM site")
    let request = CredentialRequest(rule: try fixture.rule("alice"), doors: ["front"])
    let error = failure { () throws(SiteError) in
      _ = try fixture.site.issue(request, into: fixture.folder("alice.key"), now: 1)
    }
    guard case .database(let inner)? = error, inner.kind == .busy else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try fixture.folder.names() == ["site"])
    try reader.execute("ROLLBACK")
    _ = try fixture.site.issue(request, into: fixture.folder("alice.key"), now: 1)
  }

  @Test func manyAreIssuedAllOrNone() throws {
    let fixture = try Fixture(doors: ["front", "back"])
    var requests = try (0..<500).map { number in
      CredentialRequest(rule: try fixture.rule(#require(Identifier("c\(number)"))), doors: ["front", "back"])
    }
    try fixture.site.issue(requests, now: 1)
    #expect(try fixture.site.door("front").credentials == 500)
    #expect(try fixture.load(fixture.export("back")).rules.count == 500)

    requests = try [CredentialRequest(rule: fixture.rule("new"), doors: ["front"]), requests[7]]
    #expect(failure { () throws(SiteError) in try fixture.site.issue(requests, now: 1) } == .credentialExists("c7"))
    #expect(try fixture.site.door("front").credentials == 500)
  }

  @Test func everyoneHasAnotherSecret() throws {
    let fixture = try Fixture()
    try fixture.issue(fixture.rule("alice"))
    try fixture.issue(fixture.rule("bob"))
    #expect(try fixture.site.credentialFile("alice").secret != fixture.site.credentialFile("bob").secret)
  }

  @Test func credentialsAreListedByTheirIds() throws {
    let fixture = try Fixture(doors: ["front", "back"])
    for id in ["bob", "alice.2", "alice", "alice-2", "00ab", "0ab"] as [Identifier] {
      try fixture.issue(fixture.rule(id), doors: id == "bob" ? [] : ["front", "back"])
    }
    var listed: [SiteCredential] = []
    try fixture.site.forEachCredential { listed.append($0) }
    #expect(listed.map(\.rule.id.text) == ["00ab", "0ab", "alice", "alice-2", "alice.2", "bob"])
    #expect(listed[0].doors == ["back", "front"] && listed[5].doors == [])
    #expect(try listed.map { try fixture.site.credential($0.rule.id) } == listed)
  }

  @Test func statusChangesAndNothingElse() throws {
    let fixture = try Fixture()
    let rule = try fixture.rule("alice", from: 5, until: 9, uses: 3)
    try fixture.issue(rule)
    let secret = try fixture.site.credentialFile("alice").secret
    #expect(try fixture.site.setStatus(.disabled, of: "alice", now: 100))
    #expect(try !fixture.site.setStatus(.disabled, of: "alice", now: 101))
    var credential = try fixture.site.credential("alice")
    #expect(credential.rule.status == .disabled && credential.changedAt == 100)
    #expect(try fixture.site.setStatus(.active, of: "alice", now: 102))
    credential = try fixture.site.credential("alice")
    #expect(credential.rule == rule && credential.doors == ["front"] && credential.issuedAt == Fixture.now)
    #expect(try fixture.site.credentialFile("alice").secret == secret)
  }

  @Test func revokedIsForGood() throws {
    let fixture = try Fixture()
    try fixture.issue(fixture.rule("alice"))
    #expect(try fixture.site.setStatus(.revoked, of: "alice", now: 100))
    #expect(try !fixture.site.setStatus(.revoked, of: "alice", now: 101))
    for status in [CredentialStatus.active, .disabled] {
      let error = failure { () throws(SiteError) in _ = try fixture.site.setStatus(status, of: "alice", now: 102) }
      #expect(error == .revoked("alice"))
    }
    #expect(try fixture.load(fixture.export()).rules[0]?.status == .revoked)
    let error = failure { () throws(SiteError) in _ = try fixture.site.setStatus(.active, of: "bob", now: 1) }
    #expect(error == .unknownCredential("bob"))
  }
}
