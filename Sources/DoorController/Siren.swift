internal import LockHardware
internal import POSIX

/// Which of the sirens that this run has made.
struct SirenID: Hashable, Sendable {
  let number: UInt64
}

/// A door's siren at run time.
///
/// It is driven as a lock is, whose guards silence it whatever becomes of this process; but it is none, and what it
/// says has nothing to do with how the door's lock stands.
struct Siren {
  /// What it does, as far as is known.
  enum State: Hashable, Sendable {
    case on
    case off
    case failed(String)

    /// For `status` and events.
    var word: String {
      switch self {
      case .on: "on"
      case .off: "off"
      case .failed: "failed"
      }
    }

    /// Why it failed; nil where it didn't.
    var problem: String? { if case .failed(let reason) = self { reason } else { nil } }
  }

  let id: SirenID
  var settings: MonitorSettings.Siren
  /// Nil where it couldn't be made.
  let lock: (any Lock)?
  /// Nil before its first word.
  private(set) var state: State?
  /// Whether it was to sound last, and couldn't, or not for as long as it should: its silence says nothing of that.
  private var couldNotSound = false

  init(id: SirenID, settings: MonitorSettings.Siren, lock: (any Lock)?) {
    self.id = id
    self.settings = settings
    self.lock = lock
  }

  /// Takes in what it says.
  ///
  /// - Returns: what it does now, where that is worth a word.
  mutating func observe(_ event: LockReport.Event) -> State? {
    let new: State
    switch event {
    case .moved(.open), .stands(.open):
      couldNotSound = false
      new = .on
    case .moved(.closed), .stands(.closed):
      if couldNotSound { return nil }
      new = .off
    case .failed(let position, let reason):
      if position == .open { couldNotSound = true }
      new = .failed(reason)
    case .battery, .output, .seen: return nil
    }
    guard new != state else { return nil }
    // The first silence is that of the start.
    let isNews = state != nil || new != .off
    state = new
    return isNews ? new : nil
  }

  /// Sounds until that moment; nil: until it is silenced.
  func sound(until end: BootInstant?) { lock?.open(until: end) }

  /// Is silent.
  func silence() { lock?.close() }
}
