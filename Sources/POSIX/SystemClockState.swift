internal import CPOSIX

/// What the kernel knows of the wall clock's rightness (adjtimex(2)).
///
/// It forgets at every boot, so what it says was said in this boot: whoever disciplines the clock (NTP, PTP, GPS) tells
/// it that the clock is synchronised, and it withdraws that by itself when nobody confirms it any more.
public struct SystemClockState: Hashable, Sendable {
  /// Whether the clock is disciplined and the kernel has no reason to doubt it.
  public let isSynchronized: Bool
  /// The most that the clock may be off, as its discipline estimates it; grows by 0.5 ms a second without it.
  public let maximumError: Duration

  public init(isSynchronized: Bool, maximumError: Duration) {
    self.isSynchronized = isSynchronized
    self.maximumError = maximumError
  }

  /// What the kernel says now.
  ///
  /// - Throws: `Errno` where a sandbox forbids the call.
  public static func current() throws(Errno) -> SystemClockState {
    var status: Int32 = 0
    var maximumError = 0
    var estimatedError = 0
    let state = try systemCall { unsafe cposix_clock_state(&status, &maximumError, &estimatedError) }
    return SystemClockState(
      isSynchronized: state != TIME_ERROR && status & STA_UNSYNC == 0, maximumError: .microseconds(maximumError))
  }
}
