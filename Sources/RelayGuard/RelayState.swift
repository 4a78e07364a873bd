internal import POSIX

/// How a guarded relay stands and how long it may; time is an argument, effects are the caller's.
struct RelayState: Sendable {
  /// Whether the lock is to be open now.
  private(set) var isOpen = false
  /// When the opening ends; nil: with the next word.
  private var deadline: BootInstant?
  private var lastWord: BootInstant
  private let heartbeat: Duration

  /// Closed.
  ///
  /// - Parameter heartbeat: an open lock shuts when nothing was heard for that long.
  init(heartbeat: Duration, now: BootInstant) {
    self.heartbeat = heartbeat
    lastWord = now
  }

  /// When `expire` has to look again; nil: not before the next message.
  var wakeUp: BootInstant? {
    guard isOpen else { return nil }
    let silence = lastWord + heartbeat
    return deadline.map { min($0, silence) } ?? silence
  }

  /// Shuts what has been open for its time, or without a word for too long.
  mutating func expire(now: BootInstant) {
    if let wakeUp, wakeUp <= now { isOpen = false }
  }

  /// Takes a message; the newest counts.
  ///
  /// What was over before it came is over: a heartbeat that comes late opens nothing.
  mutating func take(_ message: RelayMessage, now: BootInstant) {
    expire(now: now)
    lastWord = now
    switch message {
    case .open(let until):
      isOpen = until > now
      deadline = until
    case .hold:
      isOpen = true
      deadline = nil
    case .close: isOpen = false
    case .beat: break
    }
  }
}
