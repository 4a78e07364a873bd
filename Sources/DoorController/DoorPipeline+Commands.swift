internal import AccessControl
internal import AirProtocol
internal import Ledger
internal import LockHardware
internal import POSIX

/// What a door does with an authentic frame (protocol.md, "What the door does with a frame", steps 3 to 8).
extension DoorPipeline {
  /// Takes an authentic frame through order, decision and ledger, and only then to the lock.
  ///
  /// - Parameter rssi: how strong it was, in dBm; nil where the radio doesn't tell.
  func handle(_ command: VerifiedCommand, heard: BootInstant, rssi: Int8?) {
    let wall = environment.clocks.wall()
    noticeSlot(heard, wall)
    // The index may be of the slot before for a moment: what is accepted is decided by the clock.
    guard let challenge = liveness(of: command, heard: heard, wall),
      let rule = rulebook.rule(ofKey: command.key, door: command.doorIndex)
    else {
      counters.foreign &+= 1
      return
    }
    let door = doors[command.doorIndex]
    let context = CommandContext(command: command, door: door, rule: rule, heard: heard, wall: wall)
    if let least = door.minRSSI, rssi.map({ $0 < least }) ?? true {
      ignoreWeak(context, rssi, least: least)
      return
    }
    switch guardian.judge(command, at: moment(heard), challengeNumber: challenge.number) {
    case .repeated(let answerAgain):
      counters.repeated &+= 1
      if answerAgain { answers.heardAgain(command.frame, at: heard) }
    case .replayed(let first):
      counters.replayed &+= 1
      if first { note(context, CommandNote(.replayed, .replayed)) }
    case .slowDown:
      counters.slowDown &+= 1
      if door.slowDowns.isDue(credential: rule.id, at: heard) {
        environment.emit(context.event(CommandNote(.slowDown, .slowDown)))
      }
    case .malformed:
      counters.malformed &+= 1
      note(context, CommandNote(.malformed, .malformed, movesMark: true))
    case .repeatedPress(let result):
      // Its mark and its press go to the disk, else a restart would take the frame for a new one. Nothing is told.
      counters.repeated &+= 1
      let waits = pendingAnswer(context)
      note(
        context,
        CommandNote(.repeated, nil, movesMark: true, result: waits == nil ? result : nil, follows: waits?.event))
      answerRepeatedPress(context, result: result)
    case .refused(let refusal):
      decided(context)
      counters.countDenied(.clockUntrusted)
      let recorded = note(
        context, CommandNote(.denied, .clockUntrusted, detail: refusal.words(clock: rulebook.clock)))
      if recorded != nil { answer(context, result: .freshnessRefused) }
    case .fresh(let content):
      decide(context, content)
    }
  }

  /// A frame weaker than the door wants: as if it hadn't been heard, so that a stronger copy is judged as the first.
  ///
  /// Of a signal whose strength isn't known nothing can be shown, so that it is weak too.
  private func ignoreWeak(_ context: CommandContext, _ rssi: Int8?, least: Int8) {
    counters.weak &+= 1
    guard context.door.weakSignals.isDue(credential: context.rule.id, at: context.heard) else { return }
    let strength = rssi.map { "heard with \($0) dBm" } ?? "heard with a strength that the radio doesn't tell"
    var event = context.event(CommandNote(.weak, nil, detail: "\(strength); this door wants \(least) dBm"))
    event.rssi = rssi
    environment.emit(event)
  }

  /// Steps 7 and 8: decides, makes mark, decision and counts durable in one transaction, and then acts.
  private func decide(_ context: CommandContext, _ content: Command) {
    let door = context.door
    let request = AccessRequest(
      permission: content.permission, argument: content.argument, byChallenge: context.command.freshness.isChallenge,
      now: context.wall.seconds, clockTrusted: isClockTrusted, lockedDown: door.mode.isLockedDown,
      usesSpent: door.spent[context.rule.id] ?? 0)
    let outcome = AccessControl.decide(rule: context.rule, door: door.policy, request: request)
    decided(context)
    FaultPoint.afterDecision.reach()
    switch outcome {
    case .denied(let reason):
      counters.countDenied(reason)
      let result = reason.answerResult ?? 0
      guard note(context, CommandNote(.denied, reason, movesMark: true, result: result)) != nil else { return }
      guardian.decided(context.command, content, result: result, at: context.heard.sinceBoot)
      alarm(context, content)
      if result != 0 { answer(context, result: AnswerResult(rawValue: result)) }
    case .granted(let consumesUse):
      grant(context, content, consumesUse: consumesUse)
    }
  }

  private func decided(_ context: CommandContext) {
    counters.decisionLatency.count(environment.clocks.boot() - context.heard)
  }

  private func grant(_ context: CommandContext, _ content: Command, consumesUse: Bool) {
    let door = context.door
    var mode = door.mode
    let order = DoorOrder(content.permission, argument: content.argument, door: door.policy)
    var change = mode.apply(order, now: context.heard.sinceBoot)
    let done = AnswerResult.done.rawValue
    // What moves the lock has its result from the lock: the ledger gets it with the movement.
    let recorded = note(
      context,
      CommandNote(
        .granted, nil, movesMark: true, result: change == .nothing ? done : nil, consumesUse: consumesUse,
        mode: mode == door.mode ? nil : mode))
    guard let recorded else {
      // What isn't on disk isn't done: the frame is spent, the holder's next one can be granted. But closing waits for
      // no disk.
      if order.closes {
        door.mode = mode
        door.watch?.follow(order, mode, record: nil, now: context.heard.sinceBoot)
        door.drive(change)
      }
      return
    }
    counters.granted &+= 1
    guardian.decided(context.command, content, result: done, at: context.heard.sinceBoot)
    FaultPoint.afterRecord.reach()
    // A pulse counts from when the lock is told: what the disk took isn't taken from it.
    let now = environment.clocks.boot().sinceBoot
    change = door.mode.apply(order, now: now)
    door.watch?.follow(order, door.mode, record: recorded, now: now)
    FaultPoint.beforeLock.reach()
    door.drive(
      change, for: LockCause(event: recorded, credential: context.rule.id.text, holder: context.rule.holder.text))
    alarm(context, content)
    answerWhenMoved(context, content, change, event: recorded)
  }

  /// The silent alarm of a duress, granted or denied (docs/door-modes.md).
  private func alarm(_ context: CommandContext, _ content: Command) {
    if case .duress = content { environment.emit(context.event(CommandNote(.duress, nil))) }
  }

  /// Writes a record, and tells it once it is durable; nil where the ledger couldn't take it.
  @discardableResult
  private func note(_ context: CommandContext, _ note: CommandNote) -> Int64? {
    var mark: RecordedMark?
    if note.movesMark, let moved = guardian.timeMark(ofKey: context.command.key) {
      mark = RecordedMark(slot: moved.slot, sequence: moved.sequence)
    }
    let entry = LedgerEntry(
      context.ledgerEvent(note), doorNumber: context.door.number.rawValue, mark: mark, consumesUse: note.consumesUse,
      mode: note.mode?.saved(now: context.heard.sinceBoot, wall: context.wall.seconds), clockTrusted: isClockTrusted)
    do throws(LedgerError) {
      var event = context.event(note)
      let id = try ledger.record(entry)
      event.id = id
      if note.consumesUse { context.door.spent[context.rule.id, default: 0] &+= 1 }
      recorded(at: context.wall, id: id)
      if note.kind == .granted || note.kind == .denied {
        counters.recordLatency.count(environment.clocks.boot() - context.heard)
      }
      if note.kind != .repeated { environment.emit(event) }
      return id
    } catch {
      // A mark that only this process knows: what lies below it would count again after a restart, an opening kept from the
      // door behind a closing that waited for no disk, say. So the next start waits as after a reboot.
      if note.movesMark, ledger.isNewest { ledger.forgetNewest() }
      ledgerFailed(error, context.wall)
      return nil
    }
  }

  /// Whether the frame's freshness is one of now, and which challenge it is; nil: it is none of now.
  private func liveness(of command: VerifiedCommand, heard: BootInstant, _ wall: WallTime) -> Liveness? {
    switch command.freshness {
    case .time(let slot):
      return rulebook.clock.acceptedSlots(at: wall.seconds).contains(slot) ? Liveness(number: nil) : nil
    case .challenge(let challenge):
      let number = challenges.number(of: challenge, door: command.doorIndex, arrival: heard.sinceBoot)
      return number.map { Liveness(number: $0) }
    }
  }
}

/// A freshness of now.
private struct Liveness {
  /// Which challenge it is, as they were drawn; nil for a slot.
  let number: UInt64?
}

extension Command {
  /// What a credential needs for it.
  var permission: Permission {
    switch self {
    case .unlock: .unlock
    case .lock: .lock
    case .hold: .hold
    case .release: .release
    case .status: .status
    case .lockdown: .lockdown
    case .duress: .duress
    }
  }
}

extension Freshness {
  /// Whether it is a door's challenge, not a slot.
  var isChallenge: Bool {
    if case .challenge = self { true } else { false }
  }
}
