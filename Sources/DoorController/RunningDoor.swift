internal import AccessControl
internal import AirProtocol
internal import LockHardware
internal import POSIX

/// A door at run time: its mode, and the lock that follows it.
final class RunningDoor {
  let id: Identifier
  let number: DoorNumber
  private(set) var policy: DoorPolicy
  private(set) var lockSettings: LockSettings
  /// The weakest signal that counts, in dBm; nil: any.
  private(set) var minRSSI: Int8?
  private(set) var numberedLock: NumberedLock
  private var lock: any Lock { numberedLock.lock }
  /// How exits come to the lock.
  let exitWay: ExitWay
  var mode: DoorMode
  /// How many uses each credential has spent here.
  var spent: [Identifier: UInt32]
  var slowDowns = OncePerCredential(interval: .seconds(60))
  var weakSignals = OncePerCredential(interval: .seconds(60))
  /// What the lock said last.
  var lockWord = LockWord.nothing {
    didSet {
      switch lockWord {
      case .stands(.open): openingProblem = nil
      case .failed(.open, let reason): openingProblem = reason
      case .nothing, .stands(.closed), .failed(.closed, _): break
      }
    }
  }
  /// Why the lock couldn't be opened, or didn't stay so, when it was to be open last; nil where it could: the closing behind it
  /// says nothing of that.
  private(set) var openingProblem: String?
  /// Whether the lock couldn't do what it was told last.
  var lockHasFailed: Bool { if case .failed = lockWord { true } else { false } }
  /// What is left in the battery of the lock's board, in percent; nil: there is none, or it isn't known.
  var battery: UInt8?
  /// Whose command keeps the lock open; nil: it is closed, or goes on from before a restart.
  private(set) var cause: LockCause?
  /// The newest command whose movement is recorded.
  var lastActuated: Int64 = 0
  /// Answers that wait until the lock stands where they say.
  var pendingAnswers: [PendingAnswer] = []
  /// The record of the last exit.
  var exitRecord: Int64?
  /// What the inputs of the lock's board said last, whether the door uses them or not.
  var boardReports: [InputRole: InputReport] = [:]
  /// What the door sees of itself; nil where it sees nothing.
  var watch: DoorWatch?

  /// - Parameter exitWay: the lock's; from here on it leads there.
  init(_ door: Rulebook.Door, mode: DoorMode, spent: [Identifier: UInt32], lock: NumberedLock, exitWay: ExitWay) {
    id = door.id
    number = door.number
    policy = door.policy
    lockSettings = door.settings.lock
    minRSSI = door.settings.minRSSI
    self.mode = mode
    self.spent = spent
    numberedLock = lock
    self.exitWay = exitWay
    exitWay.lead(to: lock)
  }

  /// Begins to see itself, with what is granted already; its inputs aren't read yet.
  func beginWatch(_ settings: MonitorSettings, now: BootInstant) {
    exitWay.adopt(settings)
    guard !settings.inputs.isEmpty else { return }
    var watch = DoorWatch(settings)
    watch.monitor.grant(until: mode.granted, record: cause.map { $0.event ?? exitRecord } ?? nil, now: now.sinceBoot)
    self.watch = watch
  }

  /// Does what the mode's change asks of the lock.
  ///
  /// - Parameter cause: the command behind it; nil: it came by itself.
  func drive(_ change: DoorMode.Change, for cause: LockCause? = nil) {
    switch change {
    case .open(let until):
      if let cause { self.cause = cause }
      lock.open(until: until.map(BootInstant.init(sinceBoot:)), for: cause ?? self.cause)
    case .close:
      self.cause = nil
      lock.close(for: cause)
    case .nothing: break
    }
  }

  /// Lets somebody out until that moment, whatever the mode; nothing where it has passed.
  func letOut(until moment: BootInstant, now: BootInstant) {
    guard mode.exit(until: moment.sinceBoot, now: now.sinceBoot) != .nothing else { return }
    // Who gets out while others hold the door open doesn't hold it.
    if mode.granted == .none { cause = .exit }
    lock.letOut(until: moment)
  }

  /// Ends a pulse and an exit before their time; the door has no hold.
  func endPulse() {
    let exits = mode.exitUntil.map(BootInstant.init(sinceBoot:))
    mode.endPulse()
    cause = nil
    lock.close(for: nil, endingExitsBy: exits)
  }

  /// Goes on under a new rulebook.
  ///
  /// - Parameter newLock: the lock of the new settings where they changed; else the old one and its deadline stay.
  /// - Returns: the old lock where there is a new one.
  func adopt(_ door: Rulebook.Door, newLock: NumberedLock?, now: BootInstant) -> NumberedLock? {
    policy = door.policy
    minRSSI = door.settings.minRSSI
    guard let newLock else { return nil }
    let old = numberedLock
    numberedLock = newLock
    exitWay.lead(to: newLock)
    // What couldn't open under other settings, and moves the same, is still to show that it can.
    if !lockSettings.movesTheSame(as: door.settings.lock) { openingProblem = nil }
    lockSettings = door.settings.lock
    lockWord = .nothing
    battery = nil
    boardReports = [:]
    drive(mode.wanted(now: now.sinceBoot))
    return old
  }

  /// The lock couldn't open, or didn't stay so: what it won't open for any more is over.
  ///
  /// - Returns: whether that changed the mode.
  func giveUp() -> Bool {
    let orders = lock.standingOrders
    let before = mode
    mode.giveUp(commands: !orders.opens, exits: !orders.letsOut)
    if !orders.opens, !orders.letsOut { cause = nil }
    return mode != before
  }

  /// Moves the lock once more to where the mode wants it.
  func refreshLock() { lock.refresh() }

  /// Reads no input any more, and lets nobody out.
  func endWatch() {
    watch?.stop()
    exitWay.lead(to: nil)
  }

  /// Begins what `stop` waits for.
  func beginStop() {
    lock.beginStop()
    endWatch()
  }

  /// Closes the lock and ends what drives it.
  func stop() {
    endWatch()
    lock.stop()
    watch?.siren?.lock?.stop()
  }
}

/// The last word of a lock.
enum LockWord: Hashable, Sendable {
  /// None yet.
  case nothing
  case stands(LockPosition)
  /// It didn't get there; how it stands is unknown.
  case failed(LockPosition, String)

  /// Nil where a report isn't about how the lock stands.
  init?(_ event: LockReport.Event) {
    switch event {
    case .stands(let position), .moved(let position): self = .stands(position)
    case .failed(let position, let reason): self = .failed(position, reason)
    case .battery, .output, .seen: return nil
    }
  }

  /// Whether it couldn't be closed.
  var isLeftOpen: Bool { if case .failed(.closed, _) = self { true } else { false } }
}

/// Lets an event through once in an interval for each credential; the others are counted elsewhere.
struct OncePerCredential {
  private let interval: Duration
  private var last: [Identifier: BootInstant] = [:]

  init(interval: Duration) { self.interval = interval }

  mutating func isDue(credential: Identifier, at now: BootInstant) -> Bool {
    if let last = last[credential], now - last < interval { return false }
    // A door has few credentials that misbehave; if it has many, forgetting them costs a few lines of log.
    if last.count >= 1_000 { last = [:] }
    last[credential] = now
    return true
  }
}
