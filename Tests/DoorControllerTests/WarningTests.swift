import AccessControl
import Testing

@testable import DoorController

/// What an installer is told at a start of credentials that a door can't let in.
@Suite struct WarningTests {
  private func warnings(
    _ door: String, _ credential: FreshnessPolicy, beacons: Bool = true, more: [String] = []
  ) throws -> [String] {
    let rules = try [rule("alice", freshness: credential), rule("bob", status: .revoked, freshness: credential)]
    return try TestDoor(rules, policy: ["freshness: \(door)"] + more).rulebook.warnings(sendsBeacons: beacons)
  }

  @Test func whoFitsIsNoMatter() throws {
    for (door, credential) in [("time", .time), ("challenge", .challenge), ("challenge", .either)]
      as [(String, FreshnessPolicy)]
    { #expect(try warnings(door, credential).isEmpty) }
    for credential in FreshnessPolicy.allCases { #expect(try warnings("either", credential).isEmpty) }
    #expect(try warnings("time", .either, beacons: false).isEmpty)
  }

  @Test func whoDoesNotIsNamed() throws {
    #expect(try warnings("challenge", .time).first?.contains("credential alice may use time frames only") == true)
    #expect(try warnings("time", .challenge).first?.contains("credential alice may use challenges only") == true)
    #expect(try warnings("either", .challenge, beacons: false).first?.contains("sends none") == true)
    #expect(try warnings("time", .either).first?.contains("alice may go either way") == true)
    #expect(try warnings("challenge", .either, beacons: false).first?.contains("it opens to nobody") == true)
  }

  @Test func anExceptionThatChangesNothingIsTold() throws {
    #expect(try warnings("challenge", .challenge, more: ["allow-by-time: [hold]"]).count == 1)
  }
}
