internal import Advertising
internal import AirProtocol
public import LatchkeyCrypto
public import POSIX
public import Provisioning

/// The doors nearby, by their beacons, of the sites of some credentials.
///
/// A plain value: it is told what is heard and when. Who holds a site's key can forge beacons of any number of doors, so
/// what is kept is bounded.
public struct DoorScan: Sendable {
  /// More doors than these aren't kept: a new one takes the place of a weaker one, or isn't kept itself.
  public static let limit = 256
  /// A door that wasn't heard for so long is gone: at a beacon every 100 ms that is many lost in a row.
  public static let life = Duration.seconds(5)

  /// What has become of a door.
  public enum Change: Sendable {
    case appeared(ScannedDoor)
    /// Its state, what it takes, or whether its clock agrees has changed; not a new challenge, nor its strength.
    case changed(ScannedDoor)
    case gone(ScannedDoor)
  }

  /// Credentials with a key for beacons in common.
  private struct Site {
    let key: BeaconKey
    let credentials: [CredentialFile]
  }

  private struct Place: Hashable {
    let site: Int
    let number: DoorNumber
  }

  private let sites: [Site]
  private var found: [Place: ScannedDoor] = [:]

  /// A scan that has heard nothing yet.
  public init(_ credentials: [CredentialFile]) throws(CryptoError) {
    var sites: [Site] = []
    for credential in credentials
    where !sites.contains(where: { $0.credentials.contains { credential.sharesBeacons(with: $0) } }) {
      let sharing = credentials.filter { credential.sharesBeacons(with: $0) }
      sites.append(Site(key: try credential.siteKey.beaconKey(), credentials: sharing))
    }
    self.sites = sites
  }

  /// Whether no door is there.
  public var isEmpty: Bool { found.isEmpty }

  /// The doors that are there, in the order of the credentials' sites and of their numbers.
  public var doors: [ScannedDoor] {
    found.sorted { ($0.key.site, $0.key.number) < ($1.key.site, $1.key.number) }.map(\.value)
  }

  /// Takes in advertising data; what they changed.
  ///
  /// - Parameters:
  ///   - rssi: how strong they were in dBm; nil where the controller doesn't tell.
  ///   - wall: the holder's clock, which the door's is compared with.
  public mutating func take(_ data: Span<UInt8>, rssi: Int8?, at now: BootInstant, wall: WallTime) -> [Change] {
    var changes: [Change] = []
    // Beacons go as 128-bit UUIDs only, which need no marker to be found.
    FrameSearch.forEachFrame(in: data, markers: .standard) { frame, carrier in
      guard carrier == .uuid128 else { return }
      for index in sites.indices {
        // That OpenSSL fails says nothing about the frame; the next copy is another try.
        guard let beacon = try? sites[index].key.open(frame) else { continue }
        changes += take(beacon, ofSite: index, rssi, now, wall)
        return
      }
    }
    return changes
  }

  /// Forgets doors that weren't heard for `life`; which they are.
  public mutating func expire(at now: BootInstant) -> [Change] {
    let gone = found.filter { now - $0.value.lastHeard > Self.life }
    for place in gone.keys { found[place] = nil }
    return gone.values.map(Change.gone)
  }

  private mutating func take(
    _ beacon: Beacon, ofSite index: Int, _ rssi: Int8?, _ now: BootInstant, _ wall: WallTime
  ) -> [Change] {
    let place = Place(site: index, number: beacon.door)
    let before = found[place]
    var changes: [Change] = []
    if before == nil {
      changes = makeRoom(for: rssi, at: now)
      if found.count >= Self.limit { return changes }
    }
    guard var door = before ?? ScannedDoor(beacon, of: sites[index].credentials, at: now) else { return changes }
    let slot = door.door.credential.site.slotClock.slot(at: wall.seconds)
    door.beacon = beacon
    door.log.take(beacon, rssi: rssi, at: now)
    door.signal.take(rssi)
    door.slotsAhead = beacon.state.clockTrusted ? beacon.slotsAhead(of: slot) : nil
    door.lastHeard = now
    found[place] = door
    if let before {
      let isSame = before.beacon.state == beacon.state && before.clockAgrees == door.clockAgrees
      if !isSame { changes.append(.changed(door)) }
    } else {
      changes.append(.appeared(door))
    }
    return changes
  }

  /// Where all places are taken: those that are gone go, else the weakest, the oldest of several, if it is weaker.
  private mutating func makeRoom(for rssi: Int8?, at now: BootInstant) -> [Change] {
    guard found.count >= Self.limit else { return [] }
    let gone = expire(at: now)
    guard gone.isEmpty else { return gone }
    let weakest = found.min {
      ($0.value.order, $0.value.lastHeard) < ($1.value.order, $1.value.lastHeard)
    }
    guard let weakest, weakest.value.order < rssi.map(Int.init) ?? ScannedDoor.unknownStrength else { return [] }
    found[weakest.key] = nil
    return [.gone(weakest.value)]
  }
}

extension ScannedDoor {
  /// Weaker than whatever is known.
  fileprivate static let unknownStrength = -128

  fileprivate var order: Int { strength.map(Int.init) ?? Self.unknownStrength }

  fileprivate init?(_ beacon: Beacon, of credentials: [CredentialFile], at now: BootInstant) {
    let listing = credentials.first { $0.doors.contains { $0.number == beacon.door } }
    guard let credential = listing ?? credentials.first else { return nil }
    self.init(
      door: HeldDoor(beacon.door, of: credential), beacon: beacon, log: BeaconLog(), signal: SignalReadings(),
      slotsAhead: nil, lastHeard: now)
  }
}

extension CredentialFile {
  /// Whether it is of the same site, and reads the same beacons.
  fileprivate func sharesBeacons(with other: CredentialFile) -> Bool {
    site.id == other.site.id && siteKey == other.siteKey
  }
}
