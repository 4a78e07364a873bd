public import AirProtocol
public import POSIX

/// A door's beacon as it was last heard.
public struct HeardBeacon: Hashable, Sendable {
  public let beacon: Beacon
  /// The strongest of its challenge, in dBm; nil where the controller doesn't tell.
  public internal(set) var rssi: Int8?
  /// When its challenge was heard for the first time.
  public internal(set) var firstHeard: BootInstant
  public internal(set) var lastHeard: BootInstant
  /// How often its challenge was heard; copies that follow closer than a door sends them count as one.
  public internal(set) var hearings: Int
  fileprivate var lastCounted: BootInstant

  fileprivate init(_ beacon: Beacon, rssi: Int8?, at now: BootInstant, firstHeard: BootInstant? = nil) {
    self.beacon = beacon
    self.rssi = rssi
    self.firstHeard = firstHeard ?? now
    lastHeard = now
    hearings = 1
    lastCounted = now
  }

  fileprivate var strength: Int { Int(rssi ?? -128) }

  fileprivate func isLessSteady(than other: HeardBeacon) -> Bool {
    (hearings, strength) < (other.hearings, other.strength)
  }

  /// Takes in another copy; true where it counts.
  fileprivate mutating func hear(_ beacon: Beacon, rssi other: Int8?, at now: BootInstant) -> Bool {
    let counts = now - lastCounted >= BeaconLog.copyGap
    let strongest = if let rssi, let other { max(rssi, other) } else { rssi ?? other }
    var heard = HeardBeacon(beacon, rssi: strongest, at: now, firstHeard: firstHeard)
    heard.hearings = hearings + (counts ? 1 : 0)
    heard.lastCounted = counts ? now : lastCounted
    self = heard
    return counts
  }
}

/// The beacons of one door that were heard of late.
///
/// Who holds the site's key can forge them, and anybody can send recorded ones again: that gains a nuisance, no entry. So
/// their number is bounded. The strongest counts, unless there are more of them than doors send: then the one heard most
/// often does. A door shows one challenge some twenty times, and whoever invents them by the hundred can't say each as
/// often. Whoever says a few as steadily as a door gets no further than the first choice: a door changes its challenge
/// within a period, so that behind it the one first heard last counts (docs/decisions/0091-recorded-beacons.md).
public struct BeaconLog: Sendable {
  /// How long a beacon says anything: two periods of a challenge at their default.
  static let life = Duration.seconds(4)
  /// What wasn't heard for so long isn't shown any more: a door sends five a second, one of many on a radio some fewer.
  static let shown = Duration.seconds(1)
  /// Copies of a beacon that follow closer than this count as one: a door sends them every 100 ms.
  static let copyGap = Duration.milliseconds(50)
  /// A door shows two challenges within `shown` at most; more are a crowd.
  static let crowd = 3
  /// So many hearings make one stand out of a crowd.
  static let clearHearings = 4
  /// So many hearings make one steadier than those that are always new: a door shows a challenge for a second at least.
  static let steadyHearings = 10
  /// More than so many challenges are no news each: only one that stands out is.
  static let newsLimit = 8
  /// Where there are so many, half of them are forgotten: what a radio can take in within a quarter of a second.
  static let limit = 512

  /// Which of several beacons counts.
  public enum Order: Hashable, Sendable {
    /// The strongest, or in a crowd the one heard most often.
    case strongest
    /// One whose challenge was first heard behind that moment, and the last one of these; where there is none, as `strongest`.
    case newest(since: BootInstant)
    /// The same, but in a crowd of new ones the one heard most often: who always has a newer one can't say each as often.
    case steadiest(since: BootInstant)

    fileprivate var since: BootInstant? {
      switch self {
      case .strongest: nil
      case .newest(let since), .steadiest(let since): since
      }
    }
  }

  /// The beacon to be taken.
  public struct Choice: Hashable, Sendable {
    public let heard: HeardBeacon
    /// Whether its challenge was first heard behind the moment that the order names.
    public let isNew: Bool
    /// How many it was chosen among, itself included.
    public let candidates: Int
    /// Whether waiting for more hearings could bring another one to the top: it is one of a crowd.
    public let isDoubtful: Bool
  }

  private var heard: [Challenge: HeardBeacon] = [:]

  public init() {}

  /// Notes a beacon; true where a choice may be another one now: its challenge is new, or now stands out.
  @discardableResult
  public mutating func take(_ beacon: Beacon, rssi: Int8?, at now: BootInstant) -> Bool {
    if var known = heard[beacon.challenge], now - known.lastHeard <= Self.life {
      let counts = known.hear(beacon, rssi: rssi, at: now)
      heard[beacon.challenge] = known
      return counts && (known.hearings == Self.clearHearings || known.hearings == Self.steadyHearings)
    }
    // What comes back is as old as before: a door never shows a challenge again.
    let firstHeard = heard[beacon.challenge]?.firstHeard
    if heard.count >= Self.limit { makeRoom(now) }
    heard[beacon.challenge] = HeardBeacon(beacon, rssi: rssi, at: now, firstHeard: firstHeard)
    return heard.count <= Self.newsLimit
  }

  /// Whether one was heard within so long.
  func hasHeard(within past: Duration, at now: BootInstant) -> Bool {
    heard.values.contains { now - $0.lastHeard <= past }
  }

  /// Whether none was ever heard.
  public var isEmpty: Bool { heard.isEmpty }

  /// The beacon to be taken: one whose slot agrees with the holder's own, where there is one (protocol.md, "Beacon
  /// frame"); of these one that is still shown; of these the first by the order.
  ///
  /// - Parameters:
  ///   - period: for how long the door shows a challenge. What was heard for more than half as long again isn't the door's.
  ///   - used: challenges that are not to be taken again.
  public func choice(
    slot: UInt64, skewSlots: Int, period: Duration, by order: Order = .strongest, except used: Set<Challenge> = [],
    at now: BootInstant
  ) -> Choice? {
    let free = recent(now).filter {
      !used.contains($0.beacon.challenge) && now - $0.firstHeard <= period * 3 / 2
    }
    let preferred = { (candidates: [HeardBeacon]) in
      let agreeing = candidates.filter { $0.beacon.agrees(with: slot, skewSlots: skewSlots) }
      let agreed = agreeing.isEmpty ? candidates : agreeing
      let shown = agreed.filter { now - $0.lastHeard <= Self.shown }
      return shown.isEmpty ? agreed : shown
    }
    if let since = order.since, let new = Self.choose(preferred(free.filter { $0.firstHeard > since }), by: order) {
      return new
    }
    return Self.choose(preferred(free))
  }

  /// Whether more challenges are shown than a door has.
  public func isCrowded(at now: BootInstant) -> Bool {
    heard.values.count { now - $0.lastHeard <= Self.shown } >= Self.crowd
  }

  /// By how many slots the door's clock is ahead of the holder's, where every beacon that vouches for its clock disagrees;
  /// nil where one agrees or none vouches.
  public func slotsOff(slot: UInt64, skewSlots: Int, at now: BootInstant) -> Int? {
    let vouching = recent(now).filter(\.beacon.state.clockTrusted)
    guard !vouching.contains(where: { $0.beacon.agrees(with: slot, skewSlots: skewSlots) }) else { return nil }
    return Self.choose(vouching).map { $0.heard.beacon.slotsAhead(of: slot) }
  }

  private static func choose(_ candidates: [HeardBeacon]) -> Choice? {
    let isCrowd = candidates.count >= crowd
    let best = candidates.max { isCrowd ? $0.isLessSteady(than: $1) : $0.strength < $1.strength }
    return best.map {
      Choice(
        heard: $0, isNew: false, candidates: candidates.count, isDoubtful: isCrowd && $0.hearings < clearHearings)
    }
  }

  /// The best of those that are new; nil where a crowd of them has none that stands out.
  private static func choose(_ new: [HeardBeacon], by order: Order) -> Choice? {
    let isCrowd = new.count >= crowd
    let candidates = isCrowd ? new.filter { $0.hearings >= clearHearings } : new
    let goesBySteadiness = if case .steadiest = order { isCrowd } else { false }
    let best = candidates.max {
      goesBySteadiness
        ? $0.isLessSteady(than: $1) : ($0.firstHeard, $0.strength) < ($1.firstHeard, $1.strength)
    }
    return best.map {
      Choice(
        heard: $0, isNew: true, candidates: candidates.count,
        isDoubtful: goesBySteadiness && $0.hearings < steadyHearings)
    }
  }

  private func recent(_ now: BootInstant) -> [HeardBeacon] { heard.values.filter { now - $0.lastHeard <= Self.life } }

  /// Forgets what is old, and of the others the half that was heard least and longest ago; the strongest stays.
  private mutating func makeRoom(_ now: BootInstant) {
    let ranked = recent(now).sorted { ($0.hearings, $0.lastHeard) > ($1.hearings, $1.lastHeard) }
    let strongest = ranked.max { $0.strength < $1.strength }
    heard = [:]
    for one in ranked.prefix(Self.limit / 2) { heard[one.beacon.challenge] = one }
    if let strongest { heard[strongest.beacon.challenge] = strongest }
  }
}

extension Beacon {
  /// Whether its slot is the holder's within what a door accepts, or it vouches for none.
  func agrees(with slot: UInt64, skewSlots: Int) -> Bool {
    !state.clockTrusted || abs(slotsAhead(of: slot)) <= skewSlots
  }
}
