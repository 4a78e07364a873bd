import AccessControl
import AirProtocol
import Database
import LatchkeyCrypto
import POSIX
import TestSupport
import Testing

@testable import Provisioning

@Suite struct SiteTests {
  @Test func aSiteIsMadeOnceAndOpenedAgain() throws {
    let fixture = try Fixture()
    let path = fixture.folder("site")
    #expect(try fileStatus(path)?.permissions == 0o700)
    #expect(try fileStatus(path + "/site.db")?.permissions == 0o600)
    #expect(try fixture.folder.names() == ["site"])
    let again = try Site.open(path)
    #expect(again.profile == fixture.site.profile && again.verificationKey == fixture.site.verificationKey)
    #expect(again.zoneName == "Test/Zone" && again.createdAt == Fixture.now)
    #expect(again.profile.name.text == "Büro" && again.profile.markers.nameText == "LK1")

    let error = failure { () throws(SiteError) in
      _ = try Site.create(in: path, settings(), now: 1)
    }
    #expect(error == .siteExists(path))
    #expect(try Site.open(path).verificationKey == fixture.site.verificationKey)
  }

  @Test func directoriesAboveAreMadeForTheOwnerOnly() throws {
    let folder = try TemporaryDirectory()
    _ = try Site.create(in: folder("keys/site"), settings(), now: 1)
    #expect(try fileStatus(folder("keys"))?.permissions == 0o700)
    #expect(try directory(folder("keys/site")) == ["site.db"])
  }

  @Test func everySiteHasKeysOfItsOwn() throws {
    let (one, other) = (try Fixture().site, try Fixture().site)
    #expect(one.profile.id != other.profile.id && one.verificationKey != other.verificationKey)
    #expect(one.siteKey != other.siteKey)
    // The version and variant of a random UUID.
    #expect(one.profile.id.bytes[6] >> 4 == 4 && one.profile.id.bytes[8] >> 6 == 2)
  }

  @Test(arguments: [
    (UInt32(0o755), UInt32(0o600), "", "chmod 700"), (0o700, 0o640, "/site.db", "chmod 600"),
  ])
  func whatOthersCanReachIsRefused(directory: UInt32, file: UInt32, name: String, mend: String) throws {
    let fixture = try Fixture()
    let path = fixture.folder("site")
    try chmod(path + "/site.db", file)
    try chmod(path, directory)
    let error = failure { () throws(SiteError) in _ = try Site.open(path) }
    #expect(error?.description.hasSuffix("run: \(mend) \(path)\(name)") == true, "\(String(describing: error))")
  }

  @Test func whereNoSiteIsItSaysSo() throws {
    let folder = try TemporaryDirectory()
    let error = failure { () throws(SiteError) in _ = try Site.open(folder("none")) }
    #expect(error == .noSite(folder("none")))
    #expect(error?.description.contains("latchkey-keys init") == true)
  }

  @Test func anotherKindOfFileAndANewerOneAreRefused() throws {
    let folder = try TemporaryDirectory()
    try folder.write(
      "site.db", "no database, but more than the hundred bytes of a header would need to be looked at ....")
    var error = failure { () throws(SiteError) in _ = try Site.open(folder.path) }
    guard case .database(let kind)? = error, kind.kind == .notADatabase else {
      Issue.record("\(String(describing: error))")
      return
    }
    let fixture = try Fixture()
    try Connection(path: fixture.folder("site/site.db")).execute("INSERT INTO migration (name) VALUES ('0099-more')")
    error = failure { () throws(SiteError) in _ = try Site.open(fixture.folder("site")) }
    #expect(error?.description.contains("newer version") == true)
  }

  @Test func aSiteThatWasCutOffIsRefusedWhole() throws {
    let fixture = try Fixture()
    for number in 0..<200 { try fixture.issue(fixture.rule(#require(Identifier("holder-\(number)")))) }
    let whole = try fixture.folder.read("site/site.db")
    for cut in [1, 2_048, 4_096, whole.count / 2] {
      try fixture.folder.write("site/site.db", bytes: Array(whole.dropLast(cut)))
      let error = failure { () throws(SiteError) in _ = try Site.open(fixture.folder("site")) }
      guard case .database(let error)? = error else {
        Issue.record("\(cut) bytes less: \(String(describing: error))")
        continue
      }
      #expect(error.kind == .corrupt || error.kind == .notADatabase)
    }
  }

  @Test func whoWaitsTooLongForAnotherProcessIsBusy() throws {
    let fixture = try Fixture()
    let other = try Connection(path: fixture.folder("site/site.db"))
    try other.execute("BEGIN IMMEDIATE")
    let error = failure { () throws(SiteError) in
      _ = try fixture.site.addDoor("back", name: DisplayName.back, now: 1)
    }
    guard case .database(let inner)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(inner.kind == .busy)
    #expect(!inner.description.contains("locked"))
    try other.execute("ROLLBACK")
    #expect(try fixture.site.doors().map(\.id) == ["front"])
    _ = try fixture.site.addDoor("back", name: DisplayName.back, now: 1)
  }

  @Test func brokenRowsAreErrorsThatNameTheColumn() throws {
    let fixture = try Fixture()
    try fixture.issue(fixture.rule("alice"))
    let connection = try Connection(path: fixture.folder("site/site.db"))
    for (change, column) in [
      ("status = 9", "status"), ("permissions = 4096", "permissions"), ("freshness = 'soon'", "freshness"),
      ("holder = x''||char(10)", "holder"), ("uses = -1", "uses"), ("valid_from = 5, valid_until = 5", "valid_until"),
    ] {
      try connection.execute("BEGIN; UPDATE credential SET \(change); COMMIT")
      let error = failure { () throws(SiteError) in _ = try fixture.site.credential("alice") }
      #expect(error?.description.contains("column \(column): expected") == true, "\(String(describing: error))")
      try connection.execute(
        """
        UPDATE credential SET status = 1, permissions = 1, freshness = 'time', holder = 'A', uses = NULL,
          valid_from = NULL, valid_until = NULL
        """)
    }
    #expect(try fixture.site.credential("alice").rule.holder.text == "A")
  }

  private func settings() -> Site.Settings {
    do { return try Fixture.settings() } catch { fatalError("\(error)") }
  }

  private func directory(_ path: String) throws -> [String] {
    try run(executable: "/usr/bin/ls", ["-A", path]).lines
  }

  private func chmod(_ path: String, _ mode: UInt32) throws {
    try run(executable: "/usr/bin/chmod", [String(mode, radix: 8), path]).expecting(exit: 0)
  }
}

extension DisplayName {
  /// A name that needs no `try` in a closure of typed errors.
  static var back: DisplayName {
    do { return try DisplayName("Back door") } catch { fatalError("\(error)") }
  }
}
