internal import POSIX
internal import Synchronization

/// What moves a lock.
protocol Actuator: Sendable {
  /// Moves the lock and waits until it stands there.
  ///
  /// - Parameter watch: says when the movement is no longer wanted.
  func move(_ target: LockPosition, _ watch: LockDriver.Watch) -> Movement
  /// Hears until when the lock that stands open does so; nil: until the next command.
  ///
  /// - Returns: for people, why it doesn't stand open any more; nil where it does.
  func keepOpen(until: BootInstant?) -> String?
  /// Waits until a command comes or the deadline passes, and looks after the lock meanwhile.
  ///
  /// - Parameter position: how it stands; nil: unknown.
  /// - Returns: for people, why it doesn't stand so any more; nil where it does.
  func rest(_ position: LockPosition?, _ rest: LockDriver.Rest) -> String?
  /// Lets go of what moves the lock: nothing comes after this.
  func end()
}

/// What moves a lock that stays as it was put, and needs no looking after.
extension Actuator {
  func keepOpen(until: BootInstant?) -> String? { nil }

  func rest(_ position: LockPosition?, _ rest: LockDriver.Rest) -> String? {
    var poller = Poller([(rest.descriptor, .readable)])
    // Nothing but a wrong argument makes poll(2) fail; going round is right then, too.
    do throws(Errno) { _ = try poller.wait(until: rest.deadline) } catch {}
    return nil
  }

  func end() {}
}

/// How a movement came out, with the reason for people where it failed.
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

  /// Starts the thread, which closes the lock first.
  init(name: String, _ actuator: any Actuator, _ report: @escaping LockReporter) throws(Errno) {
    wakeUp = try WakeUp()
    self.actuator = actuator
    self.report = report
    let thread = try Thread(name: "lock \(name)") { [self] in run() }
    self.thread.withLock { $0 = thread }
  }

  func open(until: BootInstant?) { change { $0.open(until: until) } }

  func close() { change { $0.close() } }

  func beginStop() { change { $0.stop() } }

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
      let (step, position) = state.withLock { ($0.next(now: .now()), $0.position) }
      switch step {
      case .end:
        actuator.end()
        return
      case .move(let target): move(target)
      case .wait(let deadline): rest(position, until: deadline)
      }
    }
  }

  private func rest(_ position: LockPosition?, until deadline: BootInstant?) {
    if position == .open, let reason = actuator.keepOpen(until: deadline) { return lost(.open, reason) }
    if let stands = state.withLock({ $0.standsUnmoved() }) { report(LockReport(.stands(stands), at: .now())) }
    let rest = Rest(descriptor: wakeUp.descriptor, deadline: deadline)
    if let reason = actuator.rest(position, rest), let position { lost(position, reason) }
  }

  /// The lock doesn't stand any more as it was put.
  private func lost(_ position: LockPosition, _ reason: String) {
    let now = BootInstant.now()
    state.withLock { $0.lost(now: now) }
    report(LockReport(.failed(position, reason: reason), at: now))
  }

  private func move(_ target: LockPosition) {
    let movement = actuator.move(target, Watch(driver: self, target: target))
    let now = BootInstant.now()
    let outcome: LockState.Outcome =
      switch movement {
      case .done: .done
      case .interrupted: .interrupted
      case .failed: .failed
      }
    state.withLock { $0.finished(target, outcome, now: now) }
    switch movement {
    case .done: report(LockReport(.moved(target), at: now))
    case .failed(let reason): report(LockReport(.failed(target, reason: reason), at: now))
    case .interrupted: break
    }
  }

  /// What ends a rest.
  struct Rest {
    /// Readable when a command came.
    let descriptor: Int32
    /// Nil: only a command does.
    let deadline: BootInstant?
  }

  /// Tells a movement that runs whether it is still wanted.
  struct Watch {
    fileprivate let driver: LockDriver
    fileprivate let target: LockPosition

    /// Readable when a command came: look again.
    var descriptor: Int32 { driver.wakeUp.descriptor }

    /// When an opening is over by itself; nil where it isn't.
    var deadline: BootInstant? { target == .open ? driver.state.withLock { $0.deadline } : nil }

    /// Whether an opening is still wanted, and until when; nil: until the next command.
    func opening() -> (isWanted: Bool, until: BootInstant?) {
      driver.state.withLock { ($0.stillWanted(.open, now: .now()), $0.deadline) }
    }

    /// Whether the movement is still wanted; takes the signal of a command that came.
    func stillWanted() -> Bool {
      driver.wakeUp.clear()
      return driver.state.withLock { $0.stillWanted(target, now: .now()) }
    }
  }
}
