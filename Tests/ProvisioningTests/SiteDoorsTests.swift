import AccessControl
import AirProtocol
import Database
import TestSupport
import Testing

@testable import Provisioning

@Suite struct SiteDoorsTests {
  @Test func doorsGetTheNextNumberThatWasNeverGiven() throws {
    let fixture = try Fixture(doors: [])
    let site = fixture.site
    #expect(try add("a", to: site) == 1)
    #expect(try add("b", to: site, number: 40) == 40)
    #expect(try add("c", to: site) == 41)
    #expect(try site.removeDoor("c").credentials == [])
    #expect(try add("c", to: site) == 42)
    let (old, new) = try site.replaceDoor("b", now: 5)
    #expect(old.number.rawValue == 40 && new.number.rawValue == 43)
    #expect(try site.doors().map(\.number.rawValue) == [1, 43, 42])
  }

  @Test(arguments: [UInt16(1), 2, 3])
  func aNumberIsNeverGivenAgain(number: UInt16) throws {
    let fixture = try Fixture(doors: ["stays", "goes", "moves"])
    _ = try fixture.site.removeDoor("goes")
    _ = try fixture.site.replaceDoor("moves", now: 5)
    let wanted = try #require(DoorNumber(rawValue: number))
    let owner: Identifier = [1: "stays", 2: "goes", 3: "moves"][number] ?? "none"
    let error = failure { () throws(SiteError) in
      _ = try fixture.site.addDoor("back", name: DisplayName.back, number: wanted, now: 1)
    }
    #expect(error == .numberTaken(wanted, by: owner))
    #expect(try fixture.site.doors().map(\.id) == ["moves", "stays"])
  }

  @Test func noDatabaseUserCanTakeANumberBackByAccident() throws {
    let fixture = try Fixture()
    let connection = try Connection(path: fixture.folder("site/site.db"))
    #expect(throws: DatabaseError.self) { try connection.execute("DELETE FROM number") }
    #expect(throws: DatabaseError.self) { try connection.execute("UPDATE number SET serial = 0") }
  }

  @Test func behindTheLastNumberComeTheGaps() throws {
    let fixture = try Fixture(doors: [])
    #expect(try add("last", to: fixture.site, number: 65535) == 65535)
    #expect(try add("two", to: fixture.site, number: 2) == 2)
    #expect(try add("gap1", to: fixture.site) == 1)
    #expect(try add("gap3", to: fixture.site) == 3)
  }

  @Test func whenAllNumbersAreGivenThereAreNoMore() throws {
    let fixture = try Fixture(doors: [])
    try Connection(path: fixture.folder("site/site.db")).execute(
      """
      INSERT INTO number (number, door, given)
      SELECT value, 'x', 0 FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 65535)
        SELECT value FROM n)
      """)
    let error = failure { () throws(SiteError) in
      _ = try fixture.site.addDoor("back", name: DisplayName.back, now: 1)
    }
    #expect(error == .noNumberLeft)
  }

  @Test func idsAndNamesStandOnce() throws {
    let fixture = try Fixture()
    var error = failure { () throws(SiteError) in
      _ = try fixture.site.addDoor("front", name: DisplayName.back, now: 1)
    }
    #expect(error == .doorExists("front"))
    _ = try fixture.site.addDoor("cafe", name: DisplayName("Café"), now: 1)
    let decomposed = try DisplayName("Cafe\u{301}")
    error = failure { () throws(SiteError) in _ = try fixture.site.addDoor("other", name: decomposed, now: 1) }
    #expect(error == .doorNameTaken(decomposed, by: "cafe"))
  }

  @Test func unknownDoorsAreSaid() throws {
    let site = try Fixture().site
    #expect(failure { () throws(SiteError) in _ = try site.door("x") } == .unknownDoor("x"))
    #expect(failure { () throws(SiteError) in _ = try site.removeDoor("x") } == .unknownDoor("x"))
    #expect(failure { () throws(SiteError) in _ = try site.replaceDoor("x", now: 1) } == .unknownDoor("x"))
  }

  @Test func aRemovedDoorIsLostToItsCredentialsOnly() throws {
    let fixture = try Fixture(doors: ["front", "back"])
    try fixture.issue(fixture.rule("both"), doors: ["front", "back"])
    try fixture.issue(fixture.rule("alone"), doors: ["front"])
    try fixture.issue(fixture.rule("other"), doors: ["back"])
    #expect(try fixture.site.removeDoor("front").credentials == ["alone", "both"])
    #expect(try fixture.site.credential("both").doors == ["back"])
    #expect(try fixture.site.credential("alone").doors == [])
    // The same id again is another door.
    #expect(try add("front", to: fixture.site) == 3)
    #expect(try fixture.site.credential("alone").doors == [])
    #expect(try fixture.site.door("front").credentials == 0)
  }

  @Test func aReplacedDoorKeepsItsCredentialsUnderOtherKeys() throws {
    let fixture = try Fixture()
    try fixture.issue(fixture.rule("alice"))
    let old = try fixture.load(fixture.export())
    _ = try fixture.site.replaceDoor("front", now: 5)
    let new = try fixture.load(fixture.export(now: 7))
    #expect(new.header.number.rawValue == 2 && new.header.serial == 7)
    #expect(new.rules[0] == old.rules[0])
    #expect(new.frameKeys != old.frameKeys && new.hintSecrets != old.hintSecrets && new.hintRoot != old.hintRoot)
    #expect(new.beaconKey == old.beaconKey)
    #expect(try fixture.site.credentialFile("alice").doors.map(\.number.rawValue) == [2])
  }

  private func add(_ id: Identifier, to site: Site, number: UInt16? = nil) throws -> UInt16 {
    let number = number.flatMap(DoorNumber.init(rawValue:))
    return try site.addDoor(id, name: DisplayName("Door \(id)"), number: number, now: 1).number.rawValue
  }
}
