internal import AirProtocol
internal import HCI
internal import POSIX
internal import Provisioning

/// By time.
extension Sending {
  func sendByTime(
    _ ongoing: inout Ongoing, _ air: some Air, _ report: (Event) -> Void
  ) throws(SendingError) -> Outcome {
    guard try begin(&ongoing, air, report) else { return .cancelled }
    var sentAt = (boot: bootNow(), wall: wallNow())
    let deadline = sentAt.boot + duration
    var due = ongoing.intent.nextFrameDue(sentAt: sentAt)
    var doubtful: BootInstant?
    while true {
      // Whoever says another time may not be the door, which is heard within a moment.
      doubtful = slotsOff(ongoing) == nil ? nil : doubtful ?? bootNow()
      let doubtEnd = doubtful.map { $0 + Self.clockPatience }
      if let doubtEnd, bootNow() >= doubtEnd { try requireClock(ongoing) }
      switch try listen(&ongoing, air, until: min(deadline, doubtEnd ?? due ?? deadline)) {
      case .cancelled: return .cancelled
      case .enough:
        if let answer = ongoing.ear.answer { return .answered(answer) }
        continue
      case .over: break
      }
      if bootNow() >= deadline { return .over }
      if doubtful != nil || due.map({ bootNow() < $0 }) ?? true { continue }
      if case .transmit(let transmission) = try next(&ongoing) {
        try advertise(transmission, &ongoing, air, report)
        sentAt = (bootNow(), wallNow())
        due = ongoing.intent.nextFrameDue(sentAt: sentAt)
      } else {
        // The clock was set back meanwhile: nothing new until it gets there.
        due = bootNow() + Intent.frameLife
      }
    }
  }

  /// Listens for a moment to what time the door says it is.
  ///
  /// Where no beacon agrees no time frame is sent. Most doors are heard within a tenth of a second. Who asks for no answer
  /// doesn't listen.
  func awaitClock(_ ongoing: inout Ongoing, _ air: some Air) throws(SendingError) -> Listening {
    guard ongoing.intent.wantsAnswer else { return .over }
    // The frame is made, and noted on the disk, meanwhile; one that isn't sent in the end does no harm.
    if case .transmit(let transmission) = try next(&ongoing) { ongoing.ready = transmission }
    let end = bootNow() + Self.clockPatience
    while ongoing.ear.beacons.isEmpty || slotsOff(ongoing) != nil, bootNow() < end {
      if try listen(&ongoing, air, until: end) == .cancelled { return .cancelled }
    }
    return .over
  }

  /// Waits for a free slot and sends the first frame; false where it was cancelled.
  private func begin(
    _ ongoing: inout Ongoing, _ air: some Air, _ report: (Event) -> Void
  ) throws(SendingError) -> Bool {
    let clock = ongoing.clock
    // A new state, or 256 frames in one slot while the clock is behind by what a door accepts, explain so much.
    let patience = Duration.seconds(clock.slotSeconds * (clock.skewSlots + 1))
    while true {
      try requireClock(ongoing)
      switch try next(&ongoing) {
      case .transmit(let transmission):
        try advertise(transmission, slotsBehind: ongoing.intent.slotsBehind, &ongoing, air, report)
        return true
      case .goOn:
        if let ready = ongoing.ready {
          try advertise(ready, slotsBehind: ongoing.intent.slotsBehind, &ongoing, air, report)
        }
        return true
      case .wait(let slot):
        let start = WallTime(seconds: clock.start(ofSlot: slot))
        let left = start - wallNow()
        guard left <= patience else { throw .usedUp(until: start) }
        report(.waiting(until: start))
        let deadline = bootNow() + left
        while bootNow() < deadline {
          if try listen(&ongoing, air, until: deadline) == .cancelled { return false }
        }
      }
    }
  }

  /// No time frame is sent to a door whose beacons all say another time.
  private func requireClock(_ ongoing: Ongoing) throws(SendingError) {
    if let off = slotsOff(ongoing) { throw .clockOff(slots: off) }
  }

  private func slotsOff(_ ongoing: Ongoing) -> Int? {
    let clock = ongoing.clock
    return ongoing.ear.beacons.slotsOff(
      slot: clock.slot(at: wallNow().seconds), skewSlots: clock.skewSlots, at: bootNow())
  }

  private func next(_ ongoing: inout Ongoing) throws(SendingError) -> Intent.Step {
    do throws(TransmissionError) { return try ongoing.intent.next(now: wallNow()) } catch { throw .transmission(error) }
  }
}

extension WallTime {
  /// How long from the second to the first; negative where the first is earlier.
  fileprivate static func - (later: WallTime, earlier: WallTime) -> Duration {
    let (seconds, overflow) = later.seconds.subtractingReportingOverflow(earlier.seconds)
    if overflow { return .seconds(later.seconds < 0 ? Int64.min : Int64.max) }
    return .seconds(seconds) + .nanoseconds(Int64(later.nanoseconds) - Int64(earlier.nanoseconds))
  }
}
