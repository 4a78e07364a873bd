import AccessControl
import AirProtocol
import Testing

@testable import DoorController

extension TestDoor {
  /// A door with the settings of a site by default (slots of 5 s, a skew of two, challenges of 2 s), past the wait of its
  /// first start, just as it shows a new challenge and a slot begins.
  ///
  /// Alice is honest; Mallory is the insider, with the same rights at all doors.
  static func attacked(
    uses: UInt32? = nil, policy: [String] = [], doors: [String] = ["front"]
  ) throws -> TestDoor {
    let permissions: PermissionSet = [.unlock, .lock, .status]
    let door = try TestDoor(
      [
        rule("alice", permissions: permissions, freshness: .either, uses: uses),
        rule("mallory", permissions: permissions, freshness: .either),
      ], policy: ["freshness: either"] + policy, slotSeconds: 5, doors: doors)
    door.pass(.zero)
    door.wait(.seconds(30))
    return door
  }

  /// The challenge that the door shows now.
  func shownChallenge() throws -> Challenge { try #require(try beacon()).challenge }

  /// How often somebody was let in.
  var grants: Int { events(.granted).count }
}
