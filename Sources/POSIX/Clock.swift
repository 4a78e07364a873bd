internal import CPOSIX
internal import Glibc

/// A moment of CLOCK_BOOTTIME: it never goes back, is never set, and goes on while the machine sleeps.
///
/// Every duration of the product is a difference of two of these; the wall clock only decides what time of day it is.
public struct BootInstant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the machine's start.
  public let nanoseconds: UInt64

  public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// This moment (clock_gettime(2), CLOCK_BOOTTIME).
  public static func now() -> BootInstant { BootInstant(nanoseconds: nanosecondsOf(CLOCK_BOOTTIME)) }

  public static func < (left: BootInstant, right: BootInstant) -> Bool { left.nanoseconds < right.nanoseconds }

  /// The moment that much later; saturates at both ends.
  public static func + (instant: BootInstant, duration: Duration) -> BootInstant {
    let step = duration.wholeNanoseconds
    let (sum, overflow) =
      step >= 0
      ? instant.nanoseconds.addingReportingOverflow(UInt64(step))
      : instant.nanoseconds.subtractingReportingOverflow(step.magnitude)
    return BootInstant(nanoseconds: overflow ? (step >= 0 ? .max : 0) : sum)
  }

  /// How long from the second to the first; negative where the first is earlier.
  public static func - (later: BootInstant, earlier: BootInstant) -> Duration {
    later >= earlier
      ? .nanoseconds(Int64(clamping: later.nanoseconds - earlier.nanoseconds))
      : .zero - .nanoseconds(Int64(clamping: earlier.nanoseconds - later.nanoseconds))
  }
}

extension Duration {
  /// The whole of it in nanoseconds, saturating at ±292 years.
  public var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, overflowed) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflowed ? (seconds < 0 ? .min : .max) : sum
  }

  /// The whole of it in milliseconds, rounded down towards zero.
  public var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }
}

/// Microseconds of CLOCK_MONOTONIC, which a service manager counts by (sd_notify(3)); ours is `BootInstant`.
public func monotonicMicroseconds() -> UInt64 { nanosecondsOf(CLOCK_MONOTONIC) / 1_000 }

/// A moment of the wall clock (CLOCK_REALTIME): seconds of Unix time and the nanoseconds beyond.
public struct WallTime: Hashable, Comparable, Sendable {
  /// Whole seconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  public let seconds: Int64
  /// 0 ..< 1,000,000,000.
  public let nanoseconds: Int32

  public init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// This moment (clock_gettime(2), CLOCK_REALTIME).
  public static func now() -> WallTime {
    let value = nanosecondsOf(CLOCK_REALTIME)
    return WallTime(seconds: Int64(value / 1_000_000_000), nanoseconds: Int32(value % 1_000_000_000))
  }

  public static func < (left: WallTime, right: WallTime) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}

/// Nanoseconds of one of the kernel's clocks; these clocks always exist, so the call can't fail.
private func nanosecondsOf(_ clock: clockid_t) -> UInt64 {
  var time = timespec()
  _ = unsafe clock_gettime(clock, &time)
  return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
}
