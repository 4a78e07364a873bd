#if FAULT_POINTS
  internal import POSIX
#endif

/// A step at which tests can end the process, as a power cut would, or have its thread hang.
///
/// `LATCHKEY_FAULT=after-record` kills the daemon with SIGKILL when it first comes by that step; `hang-after-record` has the
/// thread wait there for good. Release builds contain none of it.
enum FaultPoint: String {
  /// A frame was decided; nothing of it is on disk yet.
  case afterDecision = "after-decision"
  /// The decision is durable; the lock doesn't know yet.
  case afterRecord = "after-record"
  /// The last moment before the lock is told.
  case beforeLock = "before-lock"
  /// The lock is told.
  case afterLock = "after-lock"

  #if FAULT_POINTS
    private static let chosen = ProcessEnvironment["LATCHKEY_FAULT"]
  #endif

  /// Dies or hangs here if this is the step chosen.
  func reach() {
    #if FAULT_POINTS
      if Self.chosen == rawValue { Signal.kill.endProcess() }
      if Self.chosen == "hang-\(rawValue)" { while true { _ = Monitor(0).wait { _ in Int?.none } } }
    #endif
  }
}
