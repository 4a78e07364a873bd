/// The challenges of a daemon's doors: drawn in step, each door its own (protocol.md, "Beacon frame").
///
/// A plain value: time and randomness are passed in. A challenge is drawn while the one before is on the air, so that its
/// hint index can be built; it is sent once that stands, and one period after the one before, and by nothing else. It is
/// live for two periods from its first sending, by CLOCK_BOOTTIME, however long the timer stalls.
public struct ChallengeSeries: Hashable, Sendable {
  /// One challenge for each door; a recording may show none of some.
  private struct Generation: Hashable {
    /// Counted as they are drawn.
    let number: UInt64
    var challenges: [Challenge?]
    /// Nil: not sent yet.
    var firstSent: Duration?

    var epoch: Epoch { .challenges(challenges) }
  }

  private let period: Duration
  private var last: Generation?
  private var current: Generation?
  private var next: Generation?
  private var drawn: UInt64 = 0

  /// A series that hasn't begun.
  ///
  /// - Parameter period: challengeSeconds of the site.
  public init(period: Duration) { self.period = period }

  /// Draws the next challenges where there are none.
  ///
  /// - Parameter random: 64 random bits for each door (getrandom(2)).
  /// - Returns: whether there are new ones, whose index is to be built.
  public mutating func draw(doors: Int, _ random: () -> UInt64) -> Bool {
    guard next == nil else { return false }
    drawn &+= 1
    next = Generation(number: drawn, challenges: (0..<doors).map { _ in Challenge(random: random()) })
    return true
  }

  /// Sends the next challenges from now on, where it is time for them and their index stands.
  ///
  /// - Parameter isIndexed: whether an epoch is in the running index.
  /// - Returns: whether there is a new one to be sent.
  public mutating func advance(now: Duration, _ isIndexed: (Epoch) -> Bool) -> Bool {
    guard var coming = next, isIndexed(coming.epoch) else { return false }
    if let sent = current?.firstSent, now - sent < period { return false }
    coming.firstSent = now
    last = current
    current = coming
    next = nil
    return true
  }

  /// When `advance` may change something; nil where only the index is waited for.
  public var deadline: Duration? { next == nil ? nil : current?.firstSent.map { $0 + period } }

  /// Takes a challenge that a recording shows a door sending, in place of one drawn here.
  ///
  /// Doors of one controller change theirs together: what another door shows first within a period belongs to the same.
  ///
  /// - Returns: whether it is new.
  public mutating func observe(_ challenge: Challenge, door: Int, of doors: Int, now: Duration) -> Bool {
    guard (0..<doors).contains(door) else { return false }
    let isKnown = [last, current].contains { $0?.challenges.dropFirst(door).first == .some(challenge) }
    if isKnown { return false }
    if var joined = current, joined.challenges.count == doors, joined.challenges[door] == nil,
      let sent = joined.firstSent, now - sent < period
    {
      joined.challenges[door] = challenge
      current = joined
      return true
    }
    drawn &+= 1
    var challenges = [Challenge?](repeating: nil, count: doors)
    challenges[door] = challenge
    last = current
    current = Generation(number: drawn, challenges: challenges, firstSent: now)
    return true
  }

  /// What the hint index has to expect: live challenges and the coming ones.
  public var epochs: [Epoch] { [last, current, next].compactMap { $0?.epoch } }

  /// The challenge that a door's beacon shows now; nil where none is to be sent.
  ///
  /// One that the index of the next has kept too long isn't shown to its end: who takes it needs the rest of its life.
  public func shown(door: Int, now: Duration) -> Challenge? {
    guard let current, let sent = current.firstSent, now - sent < period + period / 2,
      current.challenges.indices.contains(door)
    else { return nil }
    return current.challenges[door]
  }

  /// The number of a challenge that was live at that door when a frame arrived; nil for any other.
  public func number(of challenge: Challenge, door: Int, arrival: Duration) -> UInt64? {
    for generation in [current, last] {
      guard let generation, let sent = generation.firstSent, generation.challenges.indices.contains(door),
        generation.challenges[door] == challenge
      else { continue }
      return arrival - sent < period + period ? generation.number : nil
    }
    return nil
  }

  /// Number of the newest challenge that was sent; nil where none was.
  public var newestSent: UInt64? { current?.number }

  /// The same series for other doors, after a reload: a door that stays keeps its challenges, a new one gets the next.
  ///
  /// - Parameter oldIndex: the place of each new door among the old ones; nil: it is new.
  public func carried(to oldIndex: [Int?], period: Duration, _ random: () -> UInt64) -> ChallengeSeries {
    var series = ChallengeSeries(period: period)
    series.drawn = drawn
    let move = { (generation: Generation) in
      // A new door's frames under a challenge that it never showed can't exist: nobody knows those bits.
      Generation(
        number: generation.number,
        challenges: oldIndex.map { $0.flatMap { generation.challenges[$0] } ?? Challenge(random: random()) },
        firstSent: generation.firstSent)
    }
    series.last = last.map(move)
    series.current = current.map(move)
    return series
  }
}
