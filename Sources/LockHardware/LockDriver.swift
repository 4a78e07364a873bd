internal import POSIX
internal import Synchronization

/// What moves a lock.
protocol Actuator: Sendable {
  /// Moves the lock and waits until it stands there.
  ///
  /// - Parameter watch: says when the movement is no longer wanted.
  func move(_ target: LockPosition, _ watch: LockDriver.Watch) -> Movement

  /// Takes note of a command that needs no movement: an opening that ends later or earlier than was said before.
  ///
  /// - Returns: `.failed` where the lock doesn't stand there any more.
  func adjust(_ position: LockPosition, _ watch: LockDriver.Watch) -> Movement

  /// Waits until a command comes or that moment, and looks after the lock meanwhile.
  ///
  /// - Returns: `.failed` where the lock has left its place, or can't be reached; `.interrupted` where it left it as it should.
  func rest(at position: LockPosition, until deadline: BootInstant?, _ watch: LockDriver.Watch) -> Movement

  /// Waits likewise while nobody knows how the lock stands: it is tried again then.
  func linger(until deadline: BootInstant?, _ watch: LockDriver.Watch)

  /// Lets go of what moves the lock: nothing comes after this.
  func end()

  /// Whether what moves the lock closes it at its moment, whatever becomes of this process.
  var closesByItself: Bool { get }
}

extension Actuator {
  func adjust(_ position: LockPosition, _ watch: LockDriver.Watch) -> Movement { .done }

  func rest(at position: LockPosition, until deadline: BootInstant?, _ watch: LockDriver.Watch) -> Movement {
    _ = watch.awaitCommand(until: deadline)
    return .done
  }

  func linger(until deadline: BootInstant?, _ watch: LockDriver.Watch) { _ = watch.awaitCommand(until: deadline) }

  func end() {}

  var closesByItself: Bool { false }
}

/// How a movement, or the care for a lock that stands, came out, with the reason for people where it failed.
enum Movement: Equatable {
  case done
  case interrupted
  case failed(String)
}

/// A lock's thread: does what `LockState` says.
final class LockDriver: Lock {
  private let state = Mutex(LockState())
  private let wakeUp: WakeUp
  private let actuator: any Actuator
  private let report: LockReporter
  private let thread = Mutex<Thread?>(nil)

  /// Starts the thread, which closes the lock, unless it is told to open it before.
  init(name: String, _ actuator: any Actuator, _ report: @escaping LockReporter) throws(Errno) {
    wakeUp = try WakeUp()
    self.actuator = actuator
    self.report = report
    let thread = try Thread(name: "lock \(name)") { [self] in run() }
    self.thread.withLock { $0 = thread }
  }

  func open(until: BootInstant?, for cause: LockCause?) { change { $0.open(until: until, for: cause) } }

  func letOut(until: BootInstant) { change { $0.letOut(until: until) } }

  func close(for cause: LockCause?, endingExitsBy known: BootInstant?) {
    change { $0.close(for: cause, endingExitsBy: known, now: .now()) }
  }

  var standingOrders: StandingOrders { state.withLock { $0.standingOrders } }

  func refresh() { change { $0.refresh() } }

  func beginStop() { change { $0.stop(now: .now()) } }

  func stop() {
    beginStop()
    thread.withLock { $0 }?.join()
  }

  private func change(_ body: (inout LockState) -> Void) {
    state.withLock { body(&$0) }
    wakeUp.signal()
  }

  private func run() {
    while true {
      wakeUp.clear()
      switch state.withLock({ $0.next(now: .now()) }) {
      case .end:
        actuator.end()
        return
      case .move(let target): move(target)
      case .wait(let deadline): rest(until: deadline)
      }
    }
  }

  private func rest(until deadline: BootInstant?) {
    let (standing, isNewCommand, cause) = state.withLock { ($0.position, $0.standsUnmoved() != nil, $0.takeCause()) }
    guard let position = standing else {
      return actuator.linger(until: deadline, Watch(driver: self, target: .closed, cause: nil))
    }
    let watch = Watch(driver: self, target: position, cause: cause)
    if isNewCommand {
      switch actuator.adjust(position, watch) {
      case .done: report(LockReport(.stands(position), at: .now(), for: cause))
      // A newer command has come, which has a report of its own.
      case .interrupted: return
      case .failed(let reason): return strayed(from: position, reason, cause)
      }
    }
    switch actuator.rest(at: position, until: deadline, watch) {
    case .done: break
    case .interrupted: strayed(from: position, nil, cause)
    case .failed(let reason): strayed(from: position, reason, cause)
    }
  }

  private func strayed(from position: LockPosition, _ reason: String?, _ cause: LockCause?) {
    let now = BootInstant.now()
    state.withLock { state in
      state.strayed(from: position)
      if reason != nil { state.paceLosses(now: now) }
    }
    if let reason { report(LockReport(.failed(position, reason: reason), at: now, for: cause)) }
  }

  /// How much later than it should a lock may begin to close without a word.
  private static let patience = Duration.seconds(1)

  private func move(_ target: LockPosition) {
    let (cause, lateness) = state.withLock { ($0.movingCause, $0.lateness) }
    if lateness > Self.patience, !actuator.closesByItself {
      let reason = "it begins to close \(lateness) late: this process had stopped, or came too late"
      report(LockReport(.failed(.closed, reason: reason), at: .now(), for: cause))
    }
    let movement = actuator.move(target, Watch(driver: self, target: target, cause: cause))
    let now = BootInstant.now()
    let outcome: LockState.Outcome =
      switch movement {
      case .done: .done
      case .interrupted: .interrupted
      case .failed: .failed
      }
    let ranOut = state.withLock { state in
      defer { state.finished(target, outcome, now: now) }
      return state.hasRunOut(now: now)
    }
    switch movement {
    case .done: report(LockReport(.moved(target), at: now, for: cause))
    case .failed(let reason): report(LockReport(.failed(target, reason: reason), at: now, for: cause))
    case .interrupted where target == .open && ranOut:
      // Nobody changed their mind: the door was to open, and didn't.
      report(
        LockReport(
          .failed(target, reason: "it took longer than the door was to be open, and was broken off"), at: now,
          for: cause))
    case .interrupted: break
    }
  }

  /// Tells a movement that runs whether it is still wanted, and a lock that rests whether a command came.
  struct Watch {
    fileprivate let driver: LockDriver
    fileprivate let target: LockPosition
    /// Whose command it is.
    let cause: LockCause?

    /// Readable when a command came: look again.
    var descriptor: Int32 { driver.wakeUp.descriptor }

    /// When an opening is over by itself; nil where it isn't.
    var deadline: BootInstant? { target == .open ? driver.state.withLock { $0.deadline } : nil }

    /// Waits for a command, whose signal stays, or that moment; false where the moment came first.
    func awaitCommand(until deadline: BootInstant?) -> Bool {
      var poller = Poller([(descriptor, .readable)])
      // Nothing but a wrong argument makes poll(2) fail; going round is right then, too.
      do throws(Errno) { return try poller.wait(until: deadline) } catch { return true }
    }

    /// Whether an opening is still wanted, and until when; nil: until the next command.
    func opening() -> (isWanted: Bool, until: BootInstant?) {
      driver.state.withLock { ($0.stillWanted(.open, now: .now()), $0.deadline) }
    }

    /// Passes on what the program wrote that moves the lock.
    func tell(output line: String) {
      driver.report(LockReport(.output(target, line: line), at: .now(), for: cause))
    }

    /// Whether the movement is still wanted; takes the signal of a command that came.
    func stillWanted() -> Bool {
      driver.wakeUp.clear()
      return driver.state.withLock { $0.stillWanted(target, now: .now()) }
    }
  }
}
