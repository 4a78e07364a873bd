internal import POSIX

/// The delay before a stream is opened again: it doubles with each failure, up to a ceiling.
struct Backoff: Sendable {
  private let first: Duration
  private let longest: Duration
  private var delay: Duration
  private var onSince: BootInstant?

  init(_ timings: Timings) {
    first = timings.firstDelay
    longest = timings.longestDelay
    delay = timings.firstDelay
  }

  /// The radio does what is wanted.
  mutating func on(at now: BootInstant) { onSince = onSince ?? now }

  /// The delay after one more failure; it begins anew where the radio was on for as long as the one that comes now.
  mutating func next(at now: BootInstant) -> Duration {
    if let onSince, now - onSince >= delay { delay = first }
    onSince = nil
    defer { delay = min(delay * 2, longest) }
    return delay
  }
}

/// The faults of the last while: too many, and a Reset isn't the way out.
struct FaultWindow: Sendable {
  private let span: Duration
  private let limit: Int
  private var faults: [BootInstant] = []

  init(_ timings: Timings) {
    span = timings.faultWindow
    limit = timings.faultLimit
  }

  /// Notes a fault.
  ///
  /// - Returns: whether it is one too many.
  mutating func isTooMuch(at now: BootInstant) -> Bool {
    faults.removeAll { now - $0 >= span }
    faults.append(now)
    return faults.count > limit
  }

  mutating func forget() { faults = [] }
}

/// What is done about a radio that scans and hears nothing (radio.md, 11).
///
/// There is a report in almost every second almost everywhere, so a long silence means that scanning has stalled, which
/// controllers don't tell. Where the air is silent indeed, the measures do no harm.
struct SilenceWatch: Sendable {
  enum Measure: Hashable, Sendable {
    /// Ask the controller something, then scanning off and on.
    case probe
    case reset
    case reopen
  }

  private let limit: Duration
  /// What silence is measured from; nil: it isn't scanning.
  private var since: BootInstant?
  private var next = Measure.probe
  /// Whether the silence has lasted for so long that the radio's ears are in doubt; until something is heard.
  private(set) var isDeaf = false

  init(_ timings: Timings) { limit = timings.silence }

  /// When to look.
  var deadline: BootInstant? { since.map { $0 + limit } }

  /// The controller scans, as it says.
  mutating func listening(at now: BootInstant) { since = since ?? now }

  /// It doesn't scan now.
  mutating func pause() { since = nil }

  /// Nothing is to be heard, by wish.
  mutating func rest() { self = SilenceWatch(limit: limit) }

  mutating func heard(at now: BootInstant) {
    self = SilenceWatch(limit: limit)
    since = now
  }

  /// What is to be done now, if anything; each time one step more.
  mutating func due(at now: BootInstant) -> Measure? {
    guard let deadline, now >= deadline else { return nil }
    since = now
    isDeaf = true
    defer {
      next =
        switch next {
        case .probe: .reset
        case .reset: .reopen
        case .reopen: .probe
        }
    }
    return next
  }

  private init(limit: Duration) { self.limit = limit }
}
