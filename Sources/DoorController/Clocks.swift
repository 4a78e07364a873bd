internal import AirProtocol
public import POSIX

/// Where a door's time comes from: the machine's clocks, or those of a recording.
public struct Clocks: Sendable {
  /// CLOCK_BOOTTIME: every duration.
  public let boot: @Sendable () -> BootInstant
  /// CLOCK_REALTIME: slots, validity, records.
  public let wall: @Sendable () -> WallTime
  /// What the kernel says of its clock: whether it is synchronised, and its greatest error.
  public let synchronisation: @Sendable () -> (synchronised: Bool, maximumError: Duration)

  public init(
    boot: @escaping @Sendable () -> BootInstant, wall: @escaping @Sendable () -> WallTime,
    synchronisation: @escaping @Sendable () -> (synchronised: Bool, maximumError: Duration)
  ) {
    self.boot = boot
    self.wall = wall
    self.synchronisation = synchronisation
  }

  /// The machine's own.
  static let machine = Clocks(
    boot: { .now() }, wall: { .now() },
    synchronisation: {
      // A kernel that doesn't say so isn't synchronised.
      guard let state = try? SystemClockState.current() else { return (false, .seconds(16)) }
      return (state.isSynchronized, state.maximumError)
    })

  /// One look at all of them.
  func reading() -> ClockTrust.Reading {
    let state = synchronisation()
    return ClockTrust.Reading(
      wall: wall().sinceEpoch, boot: boot().sinceBoot, synchronised: state.synchronised,
      maximumError: state.maximumError)
  }
}

extension BootInstant {
  /// The time since the machine's start, as the core of the protocol counts it.
  var sinceBoot: Duration { self - BootInstant(nanoseconds: 0) }

  /// The moment that much after the machine's start.
  init(sinceBoot: Duration) { self = BootInstant(nanoseconds: 0) + sinceBoot }
}

extension WallTime {
  /// The time since 1970-01-01T00:00:00Z.
  var sinceEpoch: Duration { .seconds(seconds) + .nanoseconds(Int64(nanoseconds)) }
}
