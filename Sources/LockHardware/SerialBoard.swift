internal import POSIX

/// Drives a serial board: moves it, looks after it while it stands, and tells of its battery.
struct SerialBoard {
  /// The longest opening that the board times itself; a longer one is a hold.
  static let longestUnlock = Duration.seconds(300)
  /// The least time between two reports of the battery, and between two of a bolt that isn't where it was put.
  private static let reportInterval = Duration.seconds(30)

  private var link: BoardLink
  private let timing: BoardTiming
  private let report: LockReporter
  /// When the status is asked for next.
  private var nextStatus: BootInstant
  private var isHeld = false
  private var battery: (percent: UInt8?, at: BootInstant)?
  private var strayedAt: BootInstant?

  init(link: BoardLink, timing: BoardTiming, report: @escaping LockReporter) {
    self.link = link
    self.timing = timing
    self.report = report
    nextStatus = .now()
  }

  /// Has the board move the bolt, or changes how long it stays open.
  mutating func move(_ target: LockPosition, _ watch: LockDriver.Watch) -> Movement {
    let patience = BoardPatience(moving: watch)
    let action = target == .open ? opening(until: watch.deadline) : .lock
    let answer = link.ask(action, patience)
    reportBattery()
    switch answer {
    case .interrupted: return .interrupted
    case .failed(let reason):
      link.loseInputs(reason)
      nextStatus = .now() + timing.again
      return .failed(reason)
    case .reply(let reply):
      isHeld = action == .hold
      nextStatus = .now() + period(behind: reply)
      switch reply.result {
      case .done: return .done
      case .begun: return awaitArrival(at: target, patience)
      case .failed(let reason): return .failed("the board said: \(reason)")
      }
    }
  }

  /// Looks after a lock that stands: hears what the board says unasked, and asks for its status now and then.
  ///
  /// - Parameter position: nil: it has failed, and nothing is made of how it stands; its inputs are heard all the same.
  mutating func rest(at position: LockPosition?, until deadline: BootInstant?, _ watch: LockDriver.Watch) -> Movement {
    let patience = BoardPatience(resting: watch, until: deadline)
    while patience.goesOn() {
      let replies: [BoardReply]
      if BootInstant.now() >= nextStatus {
        switch link.ask(.status, patience) {
        case .interrupted: return .done
        case .reply(let reply):
          nextStatus = .now() + period(behind: reply)
          replies = [reply]
        case .failed(let reason):
          let now = BootInstant.now()
          nextStatus = now + timing.again
          link.loseInputs(reason)
          if position != nil, now - link.lastHeard >= timing.silence { return .failed(reason) }
          replies = []
        }
      } else {
        let wasOpen = link.isOpen
        replies = link.listen(until: nextStatus, patience)
        if wasOpen, !link.isOpen { nextStatus = min(nextStatus, .now() + timing.again) }
      }
      reportBattery()
      let status = replies.last { $0.command == BoardCommand.status.rawValue }
      if let position, let status, let movement = left(position, for: status.position) { return movement }
    }
    return .done
  }

  /// How soon the status is asked for behind a reply.
  ///
  /// A board that has no inputs may have a battery, and sleep meanwhile.
  private func period(behind reply: BoardReply) -> Duration {
    reply.hasInputs ? min(timing.inputs, timing.period) : timing.period
  }

  private func opening(until end: BootInstant?) -> BoardOrder.Action {
    guard let end else { return .hold }
    let left = end - BootInstant.now()
    guard left <= Self.longestUnlock else { return .hold }
    return .unlock(tenths: UInt16(clamping: max(1, (left.wholeMilliseconds + 99) / 100)))
  }

  /// Waits for a bolt that is on its way.
  private mutating func awaitArrival(at target: LockPosition, _ patience: BoardPatience) -> Movement {
    let limit = BootInstant.now() + timing.movement
    var nextLook = BootInstant.now() + timing.look
    while true {
      var replies = link.listen(until: nextLook, patience)
      guard patience.goesOn() else { return .interrupted }
      if BootInstant.now() >= nextLook {
        switch link.ask(.status, patience) {
        case .interrupted: return .interrupted
        case .failed(let reason): return .failed(reason)
        case .reply(let reply): replies.append(reply)
        }
        nextLook = .now() + timing.look
      }
      reportBattery()
      for reply in replies {
        if reply.position == LockPosition.expected(target) { return .done }
        if case .failed(let reason) = reply.result { return .failed("the board said: \(reason)") }
      }
      if BootInstant.now() >= limit { return .failed("the bolt didn't get there within \(timing.movement)") }
    }
  }

  /// What it means that the board is elsewhere; nil where it isn't, or doesn't know.
  private mutating func left(_ position: LockPosition, for place: BoardReply.Position) -> Movement? {
    switch (position, place) {
    // The board's own clock was a little faster than ours.
    case (.open, .closed) where !isHeld: return .interrupted
    case (.open, .closed): return .failed("the board let go of the hold")
    case (.closed, .open):
      let now = BootInstant.now()
      if let strayedAt, now - strayedAt < Self.reportInterval { return nil }
      strayedAt = now
      return .failed("the board says that the lock stands open")
    default: return nil
    }
  }

  private mutating func reportBattery() {
    guard let latest = link.latest else { return }
    let now = BootInstant.now()
    if let battery, battery.percent == latest.battery || now - battery.at < Self.reportInterval { return }
    battery = (latest.battery, now)
    report(LockReport(.battery(percent: latest.battery), at: now))
  }
}

extension LockPosition {
  /// How the board says that the bolt stands there.
  fileprivate static func expected(_ position: LockPosition) -> BoardReply.Position {
    position == .open ? .open : .closed
  }
}
