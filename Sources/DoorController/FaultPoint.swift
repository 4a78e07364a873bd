#if FAULT_POINTS
  internal import POSIX
#endif

/// A step at which the crash tests can end the process, as a power cut would.
///
/// `LATCHKEY_FAULT=after-record` kills the daemon with SIGKILL when it first comes by that step. Release builds contain
/// none of it.
enum FaultPoint: String {
  /// A frame was decided; nothing of it is on disk yet.
  case afterDecision = "after-decision"
  /// The decision is durable; the lock doesn't know yet.
  case afterRecord = "after-record"
  /// The last moment before the lock is told.
  case beforeLock = "before-lock"

  #if FAULT_POINTS
    private static let chosen = ProcessEnvironment["LATCHKEY_FAULT"]
  #endif

  /// Dies here if this is the step chosen.
  func reach() {
    #if FAULT_POINTS
      if Self.chosen == rawValue { Signal.kill.raise() }
    #endif
  }
}
