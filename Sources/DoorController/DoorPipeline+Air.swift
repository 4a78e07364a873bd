internal import AccessControl
internal import Advertising
internal import AirProtocol
internal import HCI
internal import LatchkeyCrypto
internal import LockHardware
internal import POSIX

/// What the doors send: beacons, and answers to those who asked (protocol.md, "Beacon frame", "Answer frame").
extension DoorPipeline {
  /// Hands what is to be on the air to the radio, where it has changed.
  func showOnAir(_ boot: BootInstant) {
    guard let air = environment.air else { return }
    let plan = airPlan(boot)
    guard plan != airState.plan else { return }
    airState.plan = plan
    air(plan)
  }

  private func airPlan(_ boot: BootInstant) -> AdvertisingPlan? {
    let answers = answers.live(at: boot).compactMap { AirState.data(of: $0, rulebook.markers) }
    let beacons = doors.indices.compactMap { index in
      beacon(ofDoor: index, boot).map { (data: $0, door: UInt64(doors[index].number.rawValue)) }
    }
    // While somebody is answered each door keeps five a second, as long as all of them leave half of the air, whose turns
    // are of 30 ms.
    let period: Duration = answers.isEmpty ? .milliseconds(100) : .milliseconds(max(170, 60 * beacons.count))
    return AdvertisingPlan(
      answers.map { AdvertisingPlan.Item($0, every: .milliseconds(25)) }
        + beacons.map { AdvertisingPlan.Item($0.data, every: period, series: $0.door) })
  }

  private func beacon(ofDoor index: Int, _ boot: BootInstant) -> AdvertisingData? {
    guard let challenge = challenges.shown(door: index, now: boot.sinceBoot) else { return nil }
    let door = doors[index]
    let beacon = Beacon(
      challenge: challenge, door: door.number, state: stateByte(of: door, boot),
      slotLow: UInt8(truncatingIfNeeded: slot))
    return airState.data(of: beacon, key: rulebook.table.doors[index].beaconKey, rulebook.markers)
  }

  private func stateByte(of door: RunningDoor, _ boot: BootInstant) -> DoorStateByte {
    // What the lock failed to do it isn't; how it stands instead nobody knows.
    let state = door.lockHasFailed ? .unknown : AirProtocol.DoorState(door.mode.state(now: boot.sinceBoot))
    return DoorStateByte(
      state, clockTrusted: takesTime(door), doorOpen: door.watch?.monitor.contact == .open)
  }

  /// Whether a time frame of now would be judged at that door.
  private func takesTime(_ door: RunningDoor) -> Bool {
    isClockTrusted && door.policy.freshness != .challenge
      && guardian.floor(ofDoor: door.number).map { slot > $0 } ?? true
  }
}

/// What is on the air, and the beacons that needn't be sealed anew.
struct AirState {
  fileprivate(set) var plan: AdvertisingPlan?
  private var sealed: [Beacon: AdvertisingData] = [:]

  fileprivate mutating func data(of beacon: Beacon, key: BeaconKey, _ markers: CarrierMarkers) -> AdvertisingData? {
    if let data = sealed[beacon] { return data }
    // A door has one beacon at a time: what is older than a few changes of all doors isn't needed.
    if sealed.count >= 256 { sealed = [:] }
    let frame: Frame?
    do throws(CryptoError) { frame = try key.seal(beacon) } catch { frame = nil }
    let data = frame.flatMap { Self.data(of: $0, markers) }
    sealed[beacon] = data
    return data
  }

  fileprivate static func data(of frame: Frame, _ markers: CarrierMarkers) -> AdvertisingData? {
    // One UUID of 128 bits and the flags always fit.
    try? AdvertisingData(frame: frame, carrier: .uuid128, markers: markers)
  }
}

/// An answer that waits until the lock stands where the command wants it.
struct PendingAnswer {
  let context: CommandContext
  let content: Command
  let position: LockPosition
  /// The id of its record.
  let event: Int64
}

/// What the lock did of a command.
struct Actuation {
  /// The id of the command's record.
  let event: Int64
  let position: LockPosition
  let result: AnswerResult

  init(of pending: PendingAnswer, _ result: AnswerResult) {
    event = pending.event
    position = pending.position
    self.result = result
  }
}

/// Answers.
extension DoorPipeline {
  /// Answers a command, where its holder asked for it; state and detail are those of now.
  func answer(_ context: CommandContext, result: AnswerResult) {
    guard context.command.plaintext.wantsAnswer, environment.air != nil else { return }
    let now = environment.clocks.boot()
    answers.open(context.command.frame, heard: context.heard)
    let answer = Answer(
      result: result, state: stateByte(of: context.door, now),
      detail: context.door.lockHasFailed ? 0 : context.door.mode.secondsUntilLocked(now: now.sinceBoot))
    do throws(CryptoError) {
      // The key of now: a reload may have given it another number.
      guard let key = rulebook.key(ofCredential: context.rule.id, atDoor: context.door.number),
        let exchange = try rulebook.table.exchange(ofKey: key, freshness: context.command.freshness)
      else { return }
      answers.answer(context.command.frame, with: try exchange.seal(answer, to: context.command.frame), now: now)
      counters.answered &+= 1
    } catch {
      counters.cryptoFailures &+= 1
    }
  }

  /// A granted command: answered once the lock stands where it wants it, or at once where nothing moves.
  func answerWhenMoved(_ context: CommandContext, _ content: Command, _ change: DoorMode.Change, event: Int64) {
    let door = context.door
    let position: LockPosition
    switch change {
    case .nothing: return answer(context, result: .done)
    case .open: position = .open
    case .close:
      position = .closed
      // Whoever was being opened for has been overtaken: it was done, and the state says how it stands now.
      let overtaken = door.pendingAnswers.filter { $0.position == .open }
      door.pendingAnswers.removeAll { $0.position == .open }
      for pending in overtaken {
        answer(pending.context, result: .done)
        record(Actuation(of: pending, .done), at: door, detail: "open, or on its way there, when #\(event) closed it")
      }
    }
    // Whoever asks for no answer waits too, so that a lock that fails is remembered with its press.
    awaitLock(PendingAnswer(context: context, content: content, position: position, event: event))
  }

  private func awaitLock(_ pending: PendingAnswer) {
    let door = pending.context.door
    door.pendingAnswers.append(pending)
    if door.pendingAnswers.count > AnswerBook.limit { door.pendingAnswers.removeFirst() }
  }

  /// Another frame of an intent that was handled: its result is the first one's, which may still wait for the lock.
  func answerRepeatedPress(_ context: CommandContext, result: UInt8) {
    if let first = pendingAnswer(context) {
      awaitLock(PendingAnswer(context: context, content: first.content, position: first.position, event: first.event))
    } else {
      answer(context, result: AnswerResult(rawValue: result))
    }
  }

  /// The answer to the same intent that still waits for the lock.
  func pendingAnswer(_ context: CommandContext) -> PendingAnswer? {
    context.door.pendingAnswers.first {
      $0.context.rule.id == context.rule.id && $0.context.command.plaintext.press == context.command.plaintext.press
    }
  }

  /// The lock has spoken: what waited for that is answered.
  ///
  /// - Returns: what became of whose command.
  func lockAnswers(_ door: RunningDoor, _ event: LockReport.Event) -> [Actuation] {
    let settled: [Actuation]
    switch event {
    case .moved(let position), .stands(let position): settled = settle(door, position, .done)
    case .failed(let position, _): settled = settle(door, position, .lockFailed)
    case .battery, .output, .seen: return []
    }
    // A lock that closes while an opening is still waited for has not managed to open in its time.
    guard case .moved(.closed) = event, door.mode.pulseUntil == nil, door.mode.hold == .none, door.mode.exitUntil == nil
    else { return settled }
    return settled + settle(door, .open, .lockFailed)
  }

  private func settle(_ door: RunningDoor, _ position: LockPosition, _ result: AnswerResult) -> [Actuation] {
    let settled = door.pendingAnswers.filter { $0.position == position }
    guard !settled.isEmpty else { return [] }
    door.pendingAnswers.removeAll { $0.position == position }
    for pending in settled {
      if result == .lockFailed { remember(pending, result) }
      answer(pending.context, result: result)
    }
    return settled.map { Actuation(of: $0, result) }
  }

  /// The press is known with what really became of it.
  private func remember(_ pending: PendingAnswer, _ result: AnswerResult) {
    let command = pending.context.command
    guard let key = rulebook.key(ofCredential: pending.context.rule.id, atDoor: pending.context.door.number) else {
      return
    }
    let current = VerifiedCommand(
      frame: command.frame, key: key, doorIndex: command.doorIndex, door: command.door, freshness: command.freshness,
      plaintext: command.plaintext)
    guardian.decided(current, pending.content, result: result.rawValue, at: pending.context.heard.sinceBoot)
  }
}
