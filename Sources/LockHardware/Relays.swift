internal import POSIX
internal import RelayGuard
internal import Synchronization

/// Moves a lock by guarded relays, all together; all of it on the lock's thread.
final class Relays: Actuator {
  private struct State {
    /// The guards that run; none: the next closing starts them.
    var relays: [Relay] = []
    /// What they were told last, while they are open.
    var told: RelayMessage?
    var nextBeat = BootInstant(nanoseconds: 0)
  }

  private let commands: [[String]]
  private let state = Mutex(State())

  /// A quarter of what a guard waits for.
  private static let beat = Duration.milliseconds(500)

  /// - Parameter commands: a guard's command line for each relay.
  init(_ commands: [[String]]) { self.commands = commands }

  /// What fails lets go of the guards, which closes the lines.
  func move(_ target: LockPosition, _ watch: LockDriver.Watch) -> Movement {
    do throws(RelayFailure) {
      // The new guards stand closed: the next try finds them so.
      if target == .closed { return movement(try close()) }
      let opening = watch.opening()
      guard opening.isWanted else { return .interrupted }
      // None run yet, or none any more.
      if state.withLock({ $0.relays.isEmpty }) { _ = try close() }
      if try tell(message(until: opening.until)) == .open { return .done }
      // The opening was over before it began.
      return watch.stillWanted() ? .failed("the relay guard stayed closed") : .interrupted
    } catch {
      end()
      return .failed(error.reason)
    }
  }

  /// By the guards that run, or by new ones: their first act is to request the line at its safe value.
  ///
  /// - Returns: why guards didn't close what they had open, so that it stood open for longer than it should; nil where they did.
  private func close() throws(RelayFailure) -> String? {
    let wasOpen = state.withLock { $0.told.map { $0 != .close } ?? false }
    let reason: String
    do throws(RelayFailure) {
      if try tell(.close) == .closed { return nil }
      reason = "the relay guard stayed open"
    } catch {
      reason = error.reason
    }
    end()
    for command in commands {
      let relay = try Relay(command)
      state.withLock { $0.relays.append(relay) }
    }
    return wasOpen ? "\(reason): it was closed by another, and late" : nil
  }

  /// Tells the guards of another end.
  func adjust(_ position: LockPosition, _ watch: LockDriver.Watch) -> Movement {
    guard position == .open else { return .done }
    let opening = watch.opening()
    guard opening.isWanted else { return .interrupted }
    let message = message(until: opening.until)
    if state.withLock({ $0.told }) == message { return .done }
    return movement(lost { () throws(RelayFailure) in try self.tell(message) })
  }

  /// Beats while the lock is open, and sees guards end.
  func rest(at position: LockPosition, until deadline: BootInstant?, _ watch: LockDriver.Watch) -> Movement {
    let relays = state.withLock { $0.relays }
    var poller = Poller([(watch.descriptor, .readable)] + relays.map { ($0.guardian.descriptor, .readable) })
    while true {
      let beat = position == .open ? state.withLock { $0.nextBeat } : nil
      do throws(Errno) { _ = try poller.wait(until: [deadline, beat].compactMap { $0 }.min()) } catch { return .done }
      if let silent = relays.indices.first(where: { !poller.readiness(at: $0 + 1).isEmpty }) {
        // Nothing was asked: it is an end.
        let relay = relays[silent]
        return movement(lost { () throws(RelayFailure) in try relay.answer(until: .now() + Relay.answerLimit) })
      }
      if !poller.readiness(at: 0).isEmpty { return .done }
      let now = BootInstant.now()
      if let deadline, deadline <= now { return .done }
      guard let beat, beat <= now else { continue }
      if let reason = lost({ () throws(RelayFailure) in try self.tell(.beat) }) { return .failed(reason) }
    }
  }

  private func movement(_ loss: String?) -> Movement { loss.map { .failed($0) } ?? .done }

  var closesByItself: Bool { true }

  func end() {
    let relays = state.withLock { state in
      defer { state = State() }
      return state.relays
    }
    for relay in relays { relay.letGo() }
    for relay in relays { relay.end() }
  }

  private func message(until deadline: BootInstant?) -> RelayMessage { deadline.map { .open(until: $0) } ?? .hold }

  /// Tells all guards, and then hears them: how they stand, which is as they were told only where all of them do.
  private func tell(_ message: RelayMessage) throws(RelayFailure) -> RelayAnswer {
    let relays = state.withLock { $0.relays }
    guard !relays.isEmpty else { throw RelayFailure(reason: "no relay guard runs") }
    let now = BootInstant.now()
    for relay in relays { try relay.tell(message) }
    var answers: [RelayAnswer] = []
    for relay in relays { answers.append(try relay.answer(until: now + Relay.answerLimit)) }
    state.withLock { state in
      if message != .beat { state.told = message }
      state.nextBeat = now + Self.beat
    }
    let open = answers.count { $0 == .open }
    return open == answers.count || (message == .close && open > 0) ? .open : .closed
  }

  /// Why the lock isn't open any more after a word with its guards, which are let go of then; nil where it is.
  private func lost(_ words: () throws(RelayFailure) -> RelayAnswer) -> String? {
    let reason: String
    do throws(RelayFailure) {
      if try words() == .open { return nil }
      // At its end a pulse is over at the guard before it is here.
      if case .open(let until) = state.withLock({ $0.told }), until <= .now() { return nil }
      reason = "the relay guard shut by itself: this process had stopped, or came too late"
    } catch {
      reason = error.reason
    }
    end()
    return reason
  }
}
