public import Advertising
internal import AirProtocol
public import HCI
public import POSIX
internal import Provisioning

/// Where advertising data goes on the air: a `Broadcast`, or a test's.
public protocol Air {
  /// Sends these data from now on, in place of those before.
  func advertise(_ data: AdvertisingData) throws(RadioError)
  /// Waits until the deadline; false where it was cancelled.
  func wait(until deadline: BootInstant) throws(RadioError) -> Bool
}

extension Broadcast: Air {}

/// Why an intent couldn't be sent.
public enum SendingError: Error, Hashable, Sendable {
  case radio(RadioError)
  case transmission(TransmissionError)
  /// Every slot until then is used up, and that is longer than a wrong clock or a first start explains.
  case usedUp(until: WallTime)
}

/// Sends an intent for a while: its first frame as soon as a slot is free, and that of a later slot where it lasts so
/// long.
public struct Sending {
  /// What happens meanwhile, for people and programs.
  public enum Event: Hashable, Sendable {
    /// The slots up to this moment are used up: it waits.
    case waiting(until: WallTime)
    /// This is on the air now; with the first frame, by how many slots the clock is behind, where that is more
    /// than a door accepts.
    case onAir(Transmission, slotsBehind: UInt64?)
  }

  private let duration: Duration
  private let wallNow: () -> WallTime
  private let bootNow: () -> BootInstant

  /// - Parameters:
  ///   - duration: how long it stays on the air, counted from its first frame.
  ///   - wallNow: the clock that decides the slot.
  ///   - bootNow: the clock of `Air`.
  public init(
    for duration: Duration, wallNow: @escaping () -> WallTime = WallTime.now,
    bootNow: @escaping () -> BootInstant = BootInstant.now
  ) {
    self.duration = duration
    self.wallNow = wallNow
    self.bootNow = bootNow
  }

  /// Sends the intent; it is still on the air when this returns.
  ///
  /// - Returns: false where it was cancelled.
  public func send(
    _ intent: Intent, over air: some Air, _ report: (Event) -> Void
  ) throws(SendingError) -> Bool {
    var intent = intent
    guard try begin(&intent, air, report) else { return false }
    var sentAt = (boot: bootNow(), wall: wallNow())
    let deadline = sentAt.boot + duration
    var due = intent.nextFrameDue(sentAt: sentAt)
    while true {
      guard try wait(air, until: min(deadline, due ?? deadline)) else { return false }
      if bootNow() >= deadline { return true }
      if case .transmit(let transmission) = try next(&intent) {
        try advertise(transmission, air, report)
        sentAt = (bootNow(), wallNow())
        due = intent.nextFrameDue(sentAt: sentAt)
      } else {
        // The clock was set back meanwhile: nothing new until it gets there.
        due = bootNow() + Intent.frameLife
      }
    }
  }

  /// Waits for a free slot and sends the first frame.
  private func begin(
    _ intent: inout Intent, _ air: some Air, _ report: (Event) -> Void
  ) throws(SendingError) -> Bool {
    let clock = intent.door.credential.site.slotClock
    // A new state, or 256 frames in one slot while the clock is behind by what a door accepts, explain so much.
    let patience = Duration.seconds(clock.slotSeconds * (clock.skewSlots + 1))
    while true {
      switch try next(&intent) {
      case .transmit(let transmission):
        try advertise(transmission, slotsBehind: intent.slotsBehind, air, report)
        return true
      case .goOn: return true
      case .wait(let slot):
        let start = WallTime(seconds: clock.start(ofSlot: slot))
        let left = start - wallNow()
        guard left <= patience else { throw .usedUp(until: start) }
        report(.waiting(until: start))
        guard try wait(air, until: bootNow() + left) else { return false }
      }
    }
  }

  private func next(_ intent: inout Intent) throws(SendingError) -> Intent.Step {
    do throws(TransmissionError) { return try intent.next(now: wallNow()) } catch { throw .transmission(error) }
  }

  private func advertise(
    _ transmission: Transmission, slotsBehind: UInt64? = nil, _ air: some Air, _ report: (Event) -> Void
  ) throws(SendingError) {
    do throws(RadioError) { try air.advertise(transmission.data) } catch { throw .radio(error) }
    report(.onAir(transmission, slotsBehind: slotsBehind))
  }

  private func wait(_ air: some Air, until deadline: BootInstant) throws(SendingError) -> Bool {
    do throws(RadioError) { return try air.wait(until: deadline) } catch { throw .radio(error) }
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
