internal import AccessControl
internal import Advertising
package import AirProtocol
internal import LatchkeyCrypto
internal import Provisioning

/// All doors of a daemon with their bundles: whatever it takes to verify a frame and to decide about it.
///
/// Immutable: a reload makes a new one beside the running one, all or nothing.
package final class Rulebook: Sendable {
  /// A door as its bundle and the configuration describe it.
  package struct Door: Sendable {
    let settings: DoorSettings
    let bundle: DoorBundle
    let policy: DoorPolicy
    /// Its credentials among all keys of the table; the n-th belongs to the bundle's n-th rule.
    let keys: Range<Int>

    var id: Identifier { settings.id }
    var number: DoorNumber { bundle.header.number }
  }

  let doors: [Door]
  package let table: KeyTable
  let clock: SlotClock
  /// How often the doors draw a challenge.
  let challengePeriod: Duration
  let markers: CarrierMarkers

  /// Loads every door's bundle and checks that they fit each other.
  package init(loading configuration: DoorConfiguration) throws(LoadError) {
    var doors: [Door] = []
    var sections: [DoorKeys] = []
    var next = 0
    for settings in configuration.doors {
      let bundle = try Rulebook.bundle(of: settings, siteKey: configuration.siteKey)
      if let first = doors.first { try Rulebook.require(bundle, of: settings, toFit: first) }
      if let twin = doors.first(where: { $0.number == bundle.header.number }) {
        throw .bundle(settings.bundlePath, "door number \(twin.number) is \(twin.id)'s already")
      }
      let keys = next..<(next + bundle.rules.count)
      next = keys.upperBound
      sections.append(try Rulebook.keys(of: bundle))
      doors.append(Door(settings: settings, bundle: bundle, policy: settings.policy(with: bundle), keys: keys))
    }
    guard let first = doors.first else { throw .configuration("no door is configured") }
    self.doors = doors
    clock = first.bundle.header.site.slotClock
    challengePeriod = .seconds(first.bundle.header.site.challengeSeconds)
    markers = first.bundle.header.site.markers
    table = try Rulebook.table(sections)
  }

  /// A key's rule; the n-th key of a door belongs to the n-th rule of its bundle.
  func rule(ofKey key: Int, door: Int) -> CredentialRule? {
    let rulesDoor = doors[door]
    return rulesDoor.bundle.rules[key - rulesDoor.keys.lowerBound]
  }

  /// The key of a credential at a door; nil where the bundle doesn't know it.
  func key(ofCredential id: Identifier, atDoor number: DoorNumber) -> Int? {
    guard let door = doors.first(where: { $0.number == number }), let rule = door.bundle.rules.index(of: id) else {
      return nil
    }
    return door.keys.lowerBound + rule
  }

  private static func keys(of bundle: DoorBundle) throws(LoadError) -> DoorKeys {
    do {
      return try DoorKeys(
        number: bundle.header.number, hintRoot: bundle.hintRoot, beaconKey: bundle.beaconKey,
        frameKeys: bundle.frameKeys, hintSecrets: bundle.hintSecrets)
    } catch {
      throw .configuration("\(error)")
    }
  }

  private static func table(_ doors: [DoorKeys]) throws(LoadError) -> KeyTable {
    do { return try KeyTable(doors) } catch { throw .configuration("\(error)") }
  }

  private static func bundle(of settings: DoorSettings, siteKey: VerificationKey) throws(LoadError) -> DoorBundle {
    do {
      return try DoorBundle.load(settings.bundlePath, siteKey: siteKey, door: settings.id)
    } catch {
      throw LoadError(error, path: settings.bundlePath)
    }
  }

  /// One index serves all doors of a daemon, so they must count slots alike and use the same markers.
  private static func require(_ bundle: DoorBundle, of settings: DoorSettings, toFit first: Door) throws(LoadError) {
    let (site, other) = (bundle.header.site, first.bundle.header.site)
    guard site.id == other.id, site.slotClock == other.slotClock,
      site.challengeSeconds == other.challengeSeconds, site.markers == other.markers
    else {
      throw .bundle(settings.bundlePath, "it is of another site than the bundle of door \(first.id)")
    }
  }
}
