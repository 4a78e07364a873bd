internal import POSIX

/// What a lock is to do and what is known of it; time is an argument, effects are returned.
struct LockState: Sendable {
  /// What the lock's thread does next.
  enum Step: Equatable {
    case move(LockPosition)
    /// Nothing until a command comes, or that moment.
    case wait(until: BootInstant?)
    case end
  }

  /// How a movement came out.
  enum Outcome: Equatable {
    case done
    case failed
    /// Broken off because it was no longer wanted.
    case interrupted
  }

  private enum Wanted: Equatable {
    case closed
    case open(until: BootInstant?)
  }

  /// The first wait after a closing that failed; it doubles up to the last.
  static let firstRetry = Duration.milliseconds(250)
  static let lastRetry = Duration.seconds(30)

  /// What commands want.
  private var commanded = Wanted.closed
  /// When the opening for the last exit ends: no command ends it before.
  private var exitUntil: BootInstant?
  /// Counts exits, as `command` does commands.
  private var exits = 0
  private var movingForExits = 0
  /// What is to be: whoever gets out makes an opening longer, and never shorter.
  private var wanted: Wanted {
    guard let exitUntil else { return commanded }
    switch commanded {
    case .closed: return .open(until: exitUntil)
    case .open(let until?): return .open(until: max(until, exitUntil))
    case .open(nil): return .open(until: nil)
    }
  }
  /// Counts commands, so that what happens to an older one isn't held against a newer.
  private var command = 0
  private var movingFor = 0
  /// Whose the newest command was, as long as it isn't over.
  private(set) var cause: LockCause?
  /// The command that it came with.
  private var causedBy = 0
  /// The same of the movement that runs, or ran last.
  private(set) var movingCause: LockCause?
  /// The command whose end was told last.
  private var toldCommand = 0
  /// Nil: unknown, as at the start.
  private(set) var position: LockPosition?
  /// Whether something else may have moved it since the movement that runs began.
  private var isStale = false
  private var failures = 0
  private var retryAt: BootInstant?
  /// What is lost again and again is closed again no oftener than this.
  static let shortestLoss = Duration.seconds(1)
  private var lastLoss: BootInstant?
  /// By how much the closing that was begun last came behind its moment.
  private(set) var lateness = Duration.zero
  private(set) var isStopping = false
  /// How often a stopping lock tries to close before it gives up.
  static let lastTries = 3
  private var triesLeft = LockState.lastTries

  mutating func open(until: BootInstant?, for cause: LockCause? = nil) {
    if isStopping { return }
    commanded = .open(until: until)
    command += 1
    self.cause = cause
    causedBy = command
  }

  /// Opens for somebody who wants to get out; no opening becomes shorter.
  mutating func letOut(until: BootInstant) {
    if isStopping || exitUntil.map({ $0 >= until }) ?? false { return }
    let before = wanted
    exitUntil = until
    exits += 1
    // An opening that lasts longer anyhow stays whose it is.
    guard wanted != before else { return }
    command += 1
    cause = .exit
    causedBy = command
  }

  /// - Parameters:
  ///   - cause: nil: nobody asked, so that it is the end of what there was.
  ///   - known: exits that end by then end now; nil: none.
  mutating func close(for cause: LockCause? = nil, endingExitsBy known: BootInstant? = nil, now: BootInstant) {
    if let exitUntil, exitUntil <= max(known ?? now, now) { self.exitUntil = nil }
    commanded = .closed
    command += 1
    if let cause {
      self.cause = cause
      causedBy = command
    }
    // Somebody asks now: the wait that an earlier failure began is not for them.
    retryAt = nil
  }

  /// Closes once more, whatever is known of the lock: nobody looks after it from here on.
  mutating func stop(now: BootInstant) {
    if isStopping { return }
    exitUntil = nil
    close(now: now)
    isStopping = true
    position = nil
    // The last tries don't wait as long as those of a lock that has failed for hours.
    failures = 0
  }

  /// Forgets how the lock stands, since something else may have moved it: it is moved again to where it should be.
  ///
  /// One that comes while it moves counts behind that movement.
  mutating func refresh() {
    if isStopping { return }
    position = nil
    isStale = true
  }

  /// What to do now.
  mutating func next(now: BootInstant) -> Step {
    lateness = .zero
    expire(now)
    switch (wanted, position) {
    case (.open(let until), .open): return .wait(until: until)
    case (.open, _): return start(.open)
    case (.closed, .closed): return isStopping ? .end : .wait(until: nil)
    case (.closed, _):
      if isStopping && triesLeft == 0 { return .end }
      if let retryAt, retryAt > now { return .wait(until: retryAt) }
      return start(.closed)
    }
  }

  /// How the lock stands, where a command came that it needn't move for; once a command.
  mutating func standsUnmoved() -> LockPosition? {
    guard command != toldCommand, let position else { return nil }
    switch (wanted, position) {
    case (.open, .open), (.closed, .closed):
      toldCommand = command
      return position
    default: return nil
    }
  }

  /// Whose command a lock that rests was told last; once, where it is closed and stays so.
  mutating func takeCause() -> LockCause? {
    defer { if position == .closed, wanted == .closed { cause = nil } }
    return cause
  }

  /// Whether a movement that runs is still wanted: a closing always is, unless somebody wants to get out.
  func stillWanted(_ target: LockPosition, now: BootInstant) -> Bool {
    switch wanted {
    case .open where target == .closed: exitUntil.map { $0 <= now } ?? true
    case .open(let until?): until > now
    case .open(nil): true
    case .closed: target == .closed
    }
  }

  /// What the lock is told and hasn't given up.
  var standingOrders: StandingOrders { StandingOrders(opens: commanded != .closed, letsOut: exitUntil != nil) }

  /// Whether an opening is over by itself.
  func hasRunOut(now: BootInstant) -> Bool { deadline.map { $0 <= now } ?? false }

  /// When an opening that runs is no longer wanted by itself.
  var deadline: BootInstant? { if case .open(let until) = wanted { until } else { nil } }

  mutating func finished(_ target: LockPosition, _ outcome: Outcome, now: BootInstant) {
    position = outcome == .done && !isStale ? target : nil
    if outcome != .interrupted { toldCommand = movingFor }
    // The wait that an earlier closing's failure began isn't for the closing that an opening is followed by.
    if target == .open { retryAt = nil }
    switch (target, outcome) {
    case (.closed, .done):
      failures = 0
      retryAt = nil
      // What comes now isn't that command's any more.
      if causedBy <= movingFor { cause = nil }
    case (.closed, _):
      if isStopping { triesLeft -= 1 }
      retryAt = now + min(LockState.lastRetry, LockState.firstRetry * (1 << min(failures, 10)))
      failures += 1
    case (.open, .failed) where command == movingFor:
      // Whoever asked is told; opening later, unasked, would surprise.
      giveUpOpening()
    case (.open, _): break
    }
  }

  /// The lock has left its place by itself, or nobody knows any more how it stands: it is closed.
  mutating func strayed(from place: LockPosition) {
    guard position == place else { return }
    position = nil
    // Opening again, unasked, would surprise; but a command that came meanwhile counts.
    if place == .open, command == toldCommand { giveUpOpening() }
  }

  /// Has what strays again and again closed once a second; at once where it is the first time in a while.
  mutating func paceLosses(now: BootInstant) {
    let due = lastLoss.map { max(now, $0 + Self.shortestLoss) } ?? now
    retryAt = due
    lastLoss = due
  }

  private mutating func start(_ target: LockPosition) -> Step {
    movingFor = command
    movingForExits = exits
    movingCause = cause
    isStale = false
    return .move(target)
  }

  private mutating func expire(_ now: BootInstant) {
    guard case .open(let until?) = wanted, until <= now else {
      if let exitUntil, exitUntil <= now { self.exitUntil = nil }
      return
    }
    giveUp()
    lateness = now - until
  }

  /// What the opening was for is over; but whoever asked to get out since it began is still to be let out, once.
  private mutating func giveUpOpening() {
    let isExitNew = exits != movingForExits
    let exitEnd = exitUntil
    giveUp()
    guard isExitNew, let exitEnd else { return }
    exitUntil = exitEnd
    command += 1
    cause = .exit
    causedBy = command
  }

  private mutating func giveUp() {
    commanded = .closed
    exitUntil = nil
  }
}
