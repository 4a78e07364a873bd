internal import POSIX

/// The life of a radio as a pure state machine: an input and the time go in, actions come out.
///
/// Each fault has one way back: Reset; where that fails, or faults come in a row, the stream is opened anew, with a
/// delay that doubles. Nothing resurrects what was stopped on purpose.
struct Supervisor: Sendable {
  enum Input: Hashable, Sendable {
    case start
    /// - Parameter shared: whether others use the controller too.
    case opened(shared: Bool)
    case openFailed(RadioError)
    case event(HCIEvent)
    /// A report with data came.
    case heard
    /// The stream ended, or can't be read or written any more.
    case lost(RadioError)
    case want(WantedState, revision: UInt64)
    /// Off the air, and closed at that moment at the latest.
    case stop(until: BootInstant)
    /// Time has passed.
    case tick
  }

  enum Action: Hashable, Sendable {
    case open
    case send(HCICommand)
    case close
    case tell(RadioState)
  }

  private enum State {
    case off
    case opening
    case running
    case stopping(Stopping)
    case waiting(until: BootInstant)
    case ended
  }

  private struct Stopping {
    var until: BootInstant
    /// When asking politely ends: then comes a Reset, whatever is in flight.
    var politeUntil: BootInstant
    var hasForced = false
    let error: RadioError?
  }

  private let timings: Timings
  private let reconnects: Bool
  private var state = State.off
  private var session: ControllerSession
  private var hasOpened = false
  private var wanted: WantedState
  private var revision: UInt64
  private var backoff: Backoff
  private var faults: FaultWindow
  private var silence: SilenceWatch
  private var told: RadioState?

  /// The revision of the wanted state that the controller has been told completely; 0: none.
  private(set) var settled: UInt64 = 0
  /// When the last report with data came; nil: none yet.
  private(set) var lastHeard: BootInstant?
  private(set) var counters = RadioCounters()

  init(
    wanted: WantedState, revision: UInt64, reconnects: Bool, commands: CommandChoice = .automatic,
    timings: Timings = Timings()
  ) {
    self.wanted = wanted
    self.revision = revision
    self.reconnects = reconnects
    self.timings = timings
    session = ControllerSession(timings: timings, families: FamilyDecision(commands), isShared: false)
    backoff = Backoff(timings)
    faults = FaultWindow(timings)
    silence = SilenceWatch(timings)
  }

  /// Whether it is over.
  var hasEnded: Bool {
    if case .ended = state { true } else { false }
  }

  /// Whether the controller may still be sending or scanning, as far as it is known; never, where none was reached.
  var mayBeOnAir: Bool { hasOpened && session.mayBeOnAir }

  /// When `tick` is due at the latest; nil: nothing is waited for.
  var deadline: BootInstant? {
    switch state {
    case .off, .opening, .ended: nil
    // Without an array of the two: this is asked after every read.
    case .running: session.deadline.map { min($0, silence.deadline ?? $0) } ?? silence.deadline
    case .stopping(let stopping): stopping.hasForced ? stopping.until : stopping.politeUntil
    case .waiting(let until): until
    }
  }

  /// Takes an input, and says what is to be done, in this order.
  mutating func handle(_ input: Input, now: BootInstant) -> [Action] {
    var actions: [Action] = []
    switch input {
    case .start:
      if case .off = state { open(&actions) }
    case .opened(let isShared): opened(isShared, now, &actions)
    case .openFailed(let error):
      if case .opening = state { retryLater(error, now, &actions) }
    case .event(let event): take(event, now, &actions)
    case .heard: heard(now, &actions)
    case .lost(let error): lost(error, now, &actions)
    case .want(let wanted, let revision):
      self.wanted = wanted
      self.revision = revision
      advance(now, &actions)
    case .stop(let until): stop(until, nil, now, &actions)
    case .tick: tick(now, &actions)
    }
    return actions
  }

  private mutating func tick(_ now: BootInstant, _ actions: inout [Action]) {
    switch state {
    case .off, .opening, .ended: return
    case .waiting(let until):
      if now >= until { open(&actions) }
    case .stopping(let stopping):
      if now >= stopping.until { return end(stopping.error, &actions) }
      if now >= stopping.politeUntil { force(stopping, now, &actions) }
    case .running:
      if let error = session.overdue(now: now) {
        counters.commandTimeouts &+= 1
        recover(error, now, &actions)
      } else if let measure = silence.due(at: now) {
        take(measure, now, &actions)
      } else {
        // Another advertisement's turn.
        advance(now, &actions)
      }
    }
  }

  private mutating func tell(_ state: RadioState, _ actions: inout [Action]) {
    if told == state { return }
    told = state
    actions.append(.tell(state))
  }
}

// The stream: opening, losing, waiting.
extension Supervisor {
  private mutating func open(_ actions: inout [Action]) {
    state = .opening
    tellOnTheWay(.opening, &actions)
    actions.append(.open)
  }

  private mutating func opened(_ isShared: Bool, _ now: BootInstant, _ actions: inout [Action]) {
    guard case .opening = state else { return }
    faults.forget()
    hasOpened = true
    var families = session.families
    families.opened()
    session = ControllerSession(timings: timings, families: families, isShared: isShared)
    state = .running
    begin(now, &actions)
  }

  private mutating func lost(_ error: RadioError, _ now: BootInstant, _ actions: inout [Action]) {
    switch state {
    case .off, .opening, .waiting, .ended: return
    case .stopping(let stopping): end(stopping.error, &actions)
    case .running:
      if case .badFraming = error { counters.framingErrors &+= 1 }
      actions.append(.close)
      retryLater(error, now, &actions)
    }
  }

  private mutating func retryLater(_ error: RadioError, _ now: BootInstant, _ actions: inout [Action]) {
    settled = 0
    silence.rest()
    // Cancelled: the stop that did it is the next input.
    if error == .stopped { return end(nil, &actions) }
    guard reconnects, !error.isPermanent else {
      state = .ended
      return tell(.ended(error), &actions)
    }
    counters.reconnects &+= 1
    let delay = backoff.next(at: now)
    state = .waiting(until: now + delay)
    tell(.waiting(error, retryAfter: delay), &actions)
  }

  private mutating func end(_ error: RadioError?, _ actions: inout [Action]) {
    state = .ended
    actions.append(.close)
    tell(.ended(error), &actions)
  }
}

// The controller: commands, replies, faults.
extension Supervisor {
  private mutating func begin(_ now: BootInstant, _ actions: inout [Action]) {
    settled = 0
    silence.pause()
    tellOnTheWay(.preparing, &actions)
    actions.append(.send(session.begin(now: now)))
  }

  private mutating func take(_ event: HCIEvent, _ now: BootInstant, _ actions: inout [Action]) {
    switch state {
    case .running, .stopping: break
    case .off, .opening, .waiting, .ended: return
    }
    let fault = session.take(event, now: now)
    counters += session.takeCounters()
    if let fault { recover(fault, now, &actions) } else { advance(now, &actions) }
  }

  /// Sends the next command, where one is needed and the controller takes it.
  private mutating func advance(_ now: BootInstant, _ actions: inout [Action]) {
    switch state {
    case .running:
      if let error = session.isBeyond(wanted) { return stop(now + timings.farewell, error, now, &actions) }
      if let command = session.nextCommand(towards: wanted, now: now) { return actions.append(.send(command)) }
      guard session.isSettled(wanted) else { return }
      settled = revision
      backoff.on(at: now)
      if wanted.scan == nil { silence.rest() } else { silence.listening(at: now) }
      tell(silence.isDeaf ? .deaf(session.info) : .on(session.info), &actions)
    case .stopping(let stopping):
      if session.isQuiet { return end(stopping.error, &actions) }
      if let command = session.nextFarewell(now: now) { actions.append(.send(command)) }
    case .off, .opening, .waiting, .ended: break
    }
  }

  /// The way back from a fault of a controller whose stream still stands: the other family of commands, Reset, or the
  /// stream anew.
  private mutating func recover(_ error: RadioError, _ now: BootInstant, _ actions: inout [Action]) {
    if case .stopping(let stopping) = state { return force(stopping, now, &actions) }
    guard case .running = state else { return }
    if case .refused(let opcode, _) = error, opcode.isLowEnergy, session.families.change(of: session.info) {
      return begin(now, &actions)
    }
    if case .refused(let opcode, _) = error, opcode.isLowEnergy, session.giveUpAdvertising(wanted) {
      return advance(now, &actions)
    }
    guard reconnects else { return stop(now + timings.farewell, error, now, &actions) }
    let isTooMuch = faults.isTooMuch(at: now)
    if isTooMuch || session.isShared || !session.hasBegun { return lost(error, now, &actions) }
    counters.resets &+= 1
    begin(now, &actions)
  }
}

// Silence.
extension Supervisor {
  private mutating func heard(_ now: BootInstant, _ actions: inout [Action]) {
    guard case .running = state else { return }
    lastHeard = now
    // Behind a Reset the air of before may still speak.
    guard settled != 0 else { return }
    session.families.heard(with: session.info.family)
    silence.heard(at: now)
    advance(now, &actions)
  }

  private mutating func take(_ measure: SilenceWatch.Measure, _ now: BootInstant, _ actions: inout [Action]) {
    counters.silences &+= 1
    switch measure {
    case .probe:
      session.probe()
      tell(.deaf(session.info), &actions)
      advance(now, &actions)
    case .reset where !session.isShared:
      _ = session.families.change(of: session.info)
      counters.resets &+= 1
      begin(now, &actions)
    case .reset, .reopen:
      counters.reconnects &+= 1
      actions.append(.close)
      settled = 0
      silence.pause()
      open(&actions)
    }
  }

  /// Tells a state that only leads to another one; while the radio is deaf it stays deaf on the way.
  private mutating func tellOnTheWay(_ state: RadioState, _ actions: inout [Action]) {
    if !silence.isDeaf { tell(state, &actions) }
  }
}

// Stopping.
extension Supervisor {
  private mutating func stop(
    _ until: BootInstant, _ error: RadioError?, _ now: BootInstant, _ actions: inout [Action]
  ) {
    switch state {
    case .off, .opening, .waiting: end(error, &actions)
    case .ended: return
    case .stopping(var stopping):
      stopping.until = min(stopping.until, until)
      stopping.politeUntil = min(stopping.politeUntil, stopping.until)
      state = .stopping(stopping)
    case .running:
      state = .stopping(Stopping(until: until, politeUntil: now + (until - now) / 2, error: error))
      tell(.stopping, &actions)
      advance(now, &actions)
    }
  }

  /// Off the air by a Reset, once, where asking politely has failed and nobody else uses the controller.
  private mutating func force(_ stopping: Stopping, _ now: BootInstant, _ actions: inout [Action]) {
    guard !stopping.hasForced else { return }
    var stopping = stopping
    stopping.hasForced = true
    state = .stopping(stopping)
    if !session.isShared { actions.append(.send(session.begin(now: now))) }
  }
}
