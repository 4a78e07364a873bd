public import AirProtocol
public import POSIX

/// A door's beacon as it was last heard.
public struct HeardBeacon: Hashable, Sendable {
  public let beacon: Beacon
  /// The strongest of its challenge, in dBm; nil where the controller doesn't tell.
  public internal(set) var rssi: Int8?
  public internal(set) var lastHeard: BootInstant
}

/// The beacons of one door that were heard of late.
///
/// Who holds the site's key could forge them: that gains a nuisance, no entry. So their number is bounded, and the
/// strongest counts.
public struct BeaconLog: Sendable {
  /// How long a beacon says anything: two periods of a challenge at their default.
  static let life = Duration.seconds(4)
  /// More than these are forgotten, the weakest first.
  static let limit = 32

  private var heard: [HeardBeacon] = []

  public init() {}

  /// Notes a beacon; false where its challenge was known.
  @discardableResult
  public mutating func take(_ beacon: Beacon, rssi: Int8?, at now: BootInstant) -> Bool {
    heard.removeAll { now - $0.lastHeard > Self.life }
    if let place = heard.firstIndex(where: { $0.beacon.challenge == beacon.challenge }) {
      heard[place] = HeardBeacon(beacon: beacon, rssi: stronger(heard[place].rssi, rssi), lastHeard: now)
      return false
    }
    if heard.count >= Self.limit, let weakest = heard.indices.min(by: { strength(heard[$0]) < strength(heard[$1]) }) {
      heard.remove(at: weakest)
    }
    heard.append(HeardBeacon(beacon: beacon, rssi: rssi, lastHeard: now))
    return true
  }

  /// Whether any was heard of late.
  public var isEmpty: Bool { heard.isEmpty }

  /// The strongest beacon whose slot agrees with the holder's own; where none agrees, the strongest (protocol.md, "Beacon
  /// frame").
  ///
  /// - Parameter used: challenges that are not to be taken again.
  public func best(slot: UInt64, skewSlots: Int, except used: Set<Challenge> = []) -> HeardBeacon? {
    let free = heard.filter { !used.contains($0.beacon.challenge) }
    let agreeing = free.filter { $0.beacon.agrees(with: slot, skewSlots: skewSlots) }
    return (agreeing.isEmpty ? free : agreeing).max { strength($0) < strength($1) }
  }

  /// By how many slots the door's clock is ahead of the holder's, where every beacon that vouches for its clock disagrees;
  /// nil where one agrees or none vouches.
  public func slotsOff(slot: UInt64, skewSlots: Int) -> Int? {
    let vouching = heard.map(\.beacon).filter(\.state.clockTrusted)
    guard !vouching.isEmpty, !vouching.contains(where: { $0.agrees(with: slot, skewSlots: skewSlots) }) else {
      return nil
    }
    return best(slot: slot, skewSlots: skewSlots).map { $0.beacon.slotsAhead(of: slot) }
  }

  private func strength(_ heard: HeardBeacon) -> Int { Int(heard.rssi ?? -128) }

  private func stronger(_ one: Int8?, _ other: Int8?) -> Int8? {
    guard let one, let other else { return one ?? other }
    return max(one, other)
  }
}

extension Beacon {
  /// Whether its slot is the holder's within what a door accepts, or it vouches for none.
  func agrees(with slot: UInt64, skewSlots: Int) -> Bool {
    !state.clockTrusted || abs(slotsAhead(of: slot)) <= skewSlots
  }
}
