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

  /// What an installer must hear at a start or reload: credentials that a door can't let in, whatever they may do.
  ///
  /// - Parameter sendsBeacons: whether challenges are sent at all.
  func warnings(sendsBeacons: Bool) -> [String] {
    doors.flatMap { door -> [String] in
      var texts: [String] = []
      if !sendsBeacons, door.settings.freshness == .challenge {
        texts.append(
          "door \(door.id) takes challenges only (freshness: challenge), and beacon-radio: none sends none: it opens to nobody"
        )
      }
      if !sendsBeacons || door.settings.freshness == .time {
        texts += refused(
          by: .challenge, at: door, "the door \(sendsBeacons ? "takes" : "sends") none",
          sendsBeacons ? .timeRequired : .challengeRequired)
      }
      if door.settings.freshness == .challenge, !door.settings.allowedByTime.isEmpty {
        texts.append("door \(door.id): allow-by-time changes nothing where the door takes challenges only")
      }
      if sendsBeacons, door.settings.freshness == .time, let first = first(by: .either, at: door) {
        texts.append(
          "door \(door.id): \(first) may go either way, and goes by challenge where a beacon is heard: refused as time-required; take "
            + "freshness: either, or issue with --freshness time")
      }
      if door.settings.freshness == .challenge {
        texts += refused(by: .time, at: door, "the door takes challenges only", .challengeRequired)
      }
      return texts
    }
  }

  private func refused(by policy: FreshnessPolicy, at door: Door, _ why: String, _ reason: Reason) -> [String] {
    guard let first = first(by: policy, at: door) else { return [] }
    let asked = policy == .time ? "time frames" : "challenges"
    return ["door \(door.id): \(first) may use \(asked) only, and \(why): refused as \(reason.rawValue)"]
  }

  /// The first active credential of a freshness, and how many more there are; nil where there is none.
  private func first(by policy: FreshnessPolicy, at door: Door) -> String? {
    let found = door.bundle.rules.active(by: policy)
    guard let first = found.first, let id = door.bundle.rules.id(at: first) else { return nil }
    return "credential \(id)\(found.count == 1 ? "" : " and \(found.count - 1) more")"
  }
}

extension DoorSettings {
  /// The settings of a door that is configured nowhere: all defaults.
  init(defaultsFor id: Identifier, bundlePath: String) {
    self.init(
      id: id, bundlePath: bundlePath, lock: .dryRun, pulse: Self.defaultPulse, longestPulse: Self.defaultLongestPulse,
      freshness: .either, allowedByTime: [], minRSSI: nil, monitor: .none)
  }

  /// What the door accepts, from its configuration and its bundle.
  func policy(with bundle: DoorBundle) -> DoorPolicy {
    DoorPolicy(
      id: id, number: bundle.header.number.rawValue, freshness: freshness, allowedByTime: allowedByTime, pulse: pulse,
      longestPulse: longestPulse, bundleValidUntil: bundle.header.validUntil)
  }
}
