internal import POSIX

/// The way of commands to a controller and of replies back: one in flight, with the controller's leave.
///
/// A pure state machine: what is sent and when it is looked at again is the caller's. Replies are matched by opcode;
/// Num_HCI_Command_Packets is *assigned*, not added; a reply that comes late is ignored, because after a time-out the
/// next command is Reset, which the controller answers behind it (radio.md, "what a correct host does", 2).
struct HostController: Sendable {
  private enum State {
    case ready
    case awaiting(Opcode, deadline: BootInstant)
    /// Nothing is in flight, but the controller takes no command now.
    case starved(deadline: BootInstant)
  }

  /// What came of an event.
  enum Outcome: Hashable {
    /// The command in flight is done or refused.
    case reply(ControllerStatus, parameters: [UInt8])
    /// Only credits, or the news that a command is under way.
    case progress
    /// A reply to nothing that is in flight.
    case unmatched
    /// A reply without the status that it must have.
    case malformed
  }

  private let timings: Timings
  private var state = State.ready
  /// How many commands the controller takes now; one at first (Vol 4, Part E, 4.4).
  private var credits: UInt8 = 1

  init(timings: Timings) { self.timings = timings }

  /// Whether a command may be sent now.
  var isReady: Bool {
    if case .ready = state { credits > 0 } else { false }
  }

  /// When to look whether it is overdue.
  var deadline: BootInstant? {
    switch state {
    case .ready: nil
    case .awaiting(_, let deadline), .starved(let deadline): deadline
    }
  }

  /// Notes that a command is being sent.
  ///
  /// Reset may be sent at any time: it takes the place of whatever is in flight, and needs no credit.
  mutating func sending(_ opcode: Opcode, now: BootInstant) {
    let limit = opcode == .reset ? timings.reset : timings.command
    state = .awaiting(opcode, deadline: now + limit)
    credits = credits > 0 ? credits - 1 : 0
  }

  /// Takes a Command Complete or Command Status event.
  mutating func take(_ event: HCIEvent, now: BootInstant) -> Outcome {
    switch event {
    case .complete(let opcode, let given, let status, let parameters):
      credits = given
      guard isAwaiting(opcode) else { return idle(opcode, now) }
      guard let status else { return .malformed }
      settle(now)
      return .reply(status, parameters: parameters)
    case .status(let opcode, let given, let status):
      credits = given
      guard isAwaiting(opcode) else { return idle(opcode, now) }
      guard status != .success else { return .progress }
      settle(now)
      return .reply(status, parameters: [])
    case .hardwareError, .other, .malformed:
      return .progress
    }
  }

  /// What hasn't come by now, if anything.
  func overdue(now: BootInstant) -> RadioError? {
    switch state {
    case .awaiting(let opcode, let deadline) where now >= deadline: .noReply(opcode)
    case .starved(let deadline) where now >= deadline: .noCredit
    default: nil
    }
  }

  private func isAwaiting(_ opcode: Opcode) -> Bool {
    if case .awaiting(let expected, _) = state { expected == opcode } else { false }
  }

  /// An event that ends nothing in flight; its credits may still end a wait, or begin one.
  private mutating func idle(_ opcode: Opcode, _ now: BootInstant) -> Outcome {
    switch state {
    case .ready where credits == 0, .starved where credits > 0: settle(now)
    default: break
    }
    return opcode == .none ? .progress : .unmatched
  }

  private mutating func settle(_ now: BootInstant) {
    state = credits > 0 ? .ready : .starved(deadline: now + timings.command)
  }
}
