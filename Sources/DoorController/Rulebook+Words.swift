internal import AccessControl
internal import AirProtocol
internal import Provisioning

extension Rulebook {
  /// For the log: which doors, with how many credentials.
  var summary: String {
    doors.map { door in
      let header = door.bundle.header
      return
        "\(door.id): number \(header.number), bundle \(header.serial), \(door.keys.count) credential\(door.keys.count == 1 ? "" : "s")"
    }.joined(separator: "; ")
  }

  /// What an installer must hear at a start or reload: rules that are there and can't work yet.
  var warnings: [String] {
    doors.flatMap { door -> [String] in
      let wanting = door.bundle.rules.activeByChallengeOnly
      var texts: [String] = []
      if door.settings.freshness == .challenge {
        texts.append(
          "door \(door.id) is set to freshness challenge, but this version sends no challenges yet")
      }
      if let first = wanting.first, let id = door.bundle.rules.id(at: first) {
        let more = wanting.count == 1 ? "" : " and \(wanting.count - 1) more"
        texts.append(
          "door \(door.id): credential \(id)\(more) asks for challenges, which this version can't send yet: refused as challenge-required"
        )
      }
      return texts
    }
  }
}

extension DoorSettings {
  /// The settings of a door that is configured nowhere: all defaults.
  init(defaultsFor id: Identifier, bundlePath: String) {
    self.init(
      id: id, bundlePath: bundlePath, lock: .dryRun, pulse: Self.defaultPulse, longestPulse: Self.defaultLongestPulse,
      freshness: .either, allowedByTime: [])
  }

  /// What the door accepts, from its configuration and its bundle.
  func policy(with bundle: DoorBundle) -> DoorPolicy {
    DoorPolicy(
      id: id, number: bundle.header.number.rawValue, freshness: freshness, allowedByTime: allowedByTime, pulse: pulse,
      longestPulse: longestPulse, bundleValidUntil: bundle.header.validUntil)
  }
}
