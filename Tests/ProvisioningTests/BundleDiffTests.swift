import AccessControl
import Database
import TestSupport
import Testing

@testable import Provisioning

@Suite struct BundleDiffTests {
  @Test func twoExportsOfTheSameDontDiffer() throws {
    let fixture = try Fixture()
    try fixture.issue(fixture.rule("alice"))
    let (one, other) = (try fixture.load(fixture.export()), try fixture.load(fixture.export()))
    #expect(one.header.serial != other.header.serial)
    #expect(one.differences(to: other) == [])
  }

  @Test func everyFieldOfARuleIsCompared() throws {
    let fixture = try Fixture()
    try fixture.issue(fixture.rule("alice", uses: 3))
    let old = try fixture.load(fixture.export())
    let connection = fixture.site.connection
    for (change, field, before, after) in [
      ("holder = 'Bob'", "holder", "Alice", "Bob"), ("status = 2", "status", "active", "disabled"),
      ("permissions = 1", "commands", "unlock,status", "unlock"),
      ("freshness = 'either'", "freshness", "time", "either"),
      ("valid_from = 0", "from", "no limit", "1970-01-01T00:00:00Z"),
      ("valid_until = 60", "until", "no limit", "1970-01-01T00:01:00Z"), ("uses = 4", "uses", "3", "4"),
      ("uses = NULL", "uses", "3", "no limit"), ("secret = randomblob(32)", "keys", "one pair", "another"),
    ] {
      try connection.execute("UPDATE credential SET \(change)")
      let new = try fixture.load(fixture.export())
      #expect(old.differences(to: new) == [.changed("alice", field: field, old: before, new: after)], "\(change)")
      try connection.execute(
        """
        UPDATE credential SET holder = 'Alice', status = 1, permissions = 17, freshness = 'time', valid_from = NULL,
          valid_until = NULL, uses = 3
        """)
    }
  }

  @Test func credentialsThatOnlyOneHasAreNamedInOrder() throws {
    let fixture = try Fixture()
    for id in ["a", "c", "e"] as [Identifier] { try fixture.issue(fixture.rule(id)) }
    let old = try fixture.load(fixture.export())
    try fixture.site.connection.execute(
      "DELETE FROM access WHERE credential IN (SELECT row FROM credential WHERE id IN ('a', 'e'))")
    for id in ["b", "f"] as [Identifier] { try fixture.issue(fixture.rule(id)) }
    let new = try fixture.load(fixture.export())
    let expected: [BundleDifference] = try [
      .removed(fixture.rule("a")), .added(fixture.rule("b")), .removed(fixture.rule("e")), .added(fixture.rule("f")),
    ]
    #expect(old.differences(to: new) == expected)
    #expect(new.differences(to: old).count == 4)
  }

  @Test func propertiesOfDoorAndSiteAreCompared() throws {
    let fixture = try Fixture()
    let old = try fixture.load(fixture.export())
    _ = try fixture.site.replaceDoor("front", now: 1)
    let new = try fixture.load(fixture.export(until: 60))
    #expect(
      old.differences(to: new) == [
        .property(name: "number", old: "1", new: "2"),
        .property(name: "valid until", old: "no limit", new: "1970-01-01T00:01:00Z"),
        .property(name: "door keys", old: "one pair", new: "another"),
      ])
    let other = try Fixture(doors: ["back"])
    let names = old.differences(to: try other.load(other.export("back"))).compactMap { difference in
      if case .property(let name, _, _) = difference { name } else { nil }
    }
    #expect(names == ["site", "door", "door name", "signing key", "door keys"])
  }
}
