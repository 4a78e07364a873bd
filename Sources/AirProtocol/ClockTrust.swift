/// Whether the door may judge time frames by its own clock (protocol.md, "The door's clock").
///
/// A pure machine: readings go in, changes of trust come out; it asks no clock itself.
public struct ClockTrust: Sendable {
  /// What vouches for the clock.
  public enum Basis: Sendable {
    /// The kernel says, in this boot, that it is synchronised.
    case kernel
    /// The configuration names a battery-backed clock; a kernel that says it is synchronised counts as well.
    case battery
  }

  /// One look at all clocks, taken together.
  public struct Reading: Sendable {
    /// CLOCK_REALTIME since 1970.
    public let wall: Duration
    /// CLOCK_BOOTTIME.
    public let boot: Duration
    /// Whether the kernel's clock is disciplined (adjtimex(2) without STA_UNSYNC).
    public let synchronised: Bool
    /// The kernel's bound of the clock's error.
    public let maximumError: Duration

    public init(wall: Duration, boot: Duration, synchronised: Bool, maximumError: Duration) {
      self.wall = wall
      self.boot = boot
      self.synchronised = synchronised
      self.maximumError = maximumError
    }
  }

  /// Why the clock isn't trusted.
  public enum Doubt: Hashable, Sendable {
    /// Nothing vouches for it: the kernel doesn't call it synchronised, or with an error of a slot and more.
    case notSynchronised
    /// It shows an earlier time than the door's last record; by how much.
    case behindLastRecord(Duration)
    /// It was set while the door ran; by how much it jumped (negative: back).
    case stepped(Duration)
  }

  /// What a reading changed.
  public enum Change: Hashable, Sendable {
    case trusted
    case doubted(Doubt)
  }

  /// A step of CLOCK_REALTIME against CLOCK_BOOTTIME beyond this is one (protocol.md).
  static let tolerance = Duration.seconds(2)
  /// How long a battery-backed clock must run without a step before it is believed after one.
  static let batteryProbation = Duration.seconds(60)

  private enum State {
    case unknown
    case trusted
    case doubted(Doubt)
  }

  private let basis: Basis
  private let slotSeconds: Duration
  private var lastRecord: Duration
  private var state = State.unknown
  /// CLOCK_REALTIME minus CLOCK_BOOTTIME since the last step.
  private var offset: Duration?
  /// When the last step was seen, by CLOCK_BOOTTIME.
  private var steppedAt: Duration?

  /// - Parameters:
  ///   - basis: what vouches for the clock.
  ///   - slotSeconds: the site's slot length in seconds; a greater error isn't synchronised.
  ///   - lastRecord: wall time of the door's last durable record, since 1970.
  public init(basis: Basis, slotSeconds: Int, lastRecord: Duration) {
    self.basis = basis
    self.slotSeconds = .seconds(slotSeconds)
    self.lastRecord = lastRecord
  }

  /// Whether time frames are judged now.
  public var isTrusted: Bool {
    if case .trusted = state { true } else { false }
  }

  /// Why it isn't trusted; nil when it is, or before the first reading.
  public var doubt: Doubt? {
    if case .doubted(let doubt) = state { doubt } else { nil }
  }

  /// A record was made durable at that wall time: the clock must not fall behind it.
  public mutating func recorded(at wall: Duration) {
    if isTrusted { lastRecord = max(lastRecord, wall) }
  }

  /// Takes a reading in; answers what changed, or nil.
  public mutating func observe(_ reading: Reading) -> Change? {
    let step = takeStep(reading)
    let verdict = judge(reading, step: step)
    switch (state, verdict) {
    case (.trusted, nil): return nil
    case (_, nil):
      state = .trusted
      return .trusted
    case (.doubted(let old), let doubt?):
      state = .doubted(doubt)
      return old.isSameKind(as: doubt) ? nil : .doubted(doubt)
    case (_, let doubt?):
      state = .doubted(doubt)
      return .doubted(doubt)
    }
  }

  /// How far the clock jumped since the last reading; nil within the tolerance.
  ///
  /// Slow drift isn't a step.
  private mutating func takeStep(_ reading: Reading) -> Duration? {
    let current = reading.wall - reading.boot
    let step = current - (offset ?? current)
    guard step > Self.tolerance || step < .zero - Self.tolerance else {
      // The base stays put, so that many small steps add up to one.
      offset = offset ?? current
      return nil
    }
    offset = current
    steppedAt = reading.boot
    return step
  }

  private func judge(_ reading: Reading, step: Duration?) -> Doubt? {
    if let step { return .stepped(step) }
    if reading.wall < lastRecord { return .behindLastRecord(lastRecord - reading.wall) }
    if reading.synchronised && reading.maximumError < slotSeconds { return nil }
    guard basis == .battery else { return .notSynchronised }
    if let steppedAt, reading.boot - steppedAt < Self.batteryProbation {
      if case .doubted(.stepped(let step)) = state { return .stepped(step) }
      return .notSynchronised
    }
    return nil
  }
}

extension ClockTrust.Doubt {
  /// Equal but for the amount: a clock that stays behind is one change, not one a second.
  func isSameKind(as other: Self) -> Bool {
    switch (self, other) {
    case (.notSynchronised, .notSynchronised), (.behindLastRecord, .behindLastRecord), (.stepped, .stepped): true
    default: false
    }
  }
}
