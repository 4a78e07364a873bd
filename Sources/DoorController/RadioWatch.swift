internal import HCI
internal import POSIX

/// What the door knows of its radio, and what of it is worth a line: one for each change of condition or error.
struct RadioWatch {
  private struct Told: Hashable {
    let condition: RadioCondition
    /// Which kind of error, whatever its particulars: those differ from attempt to attempt.
    let error: String?
    /// Whether it gave up sending.
    let onlyScans: Bool
  }

  private(set) var condition = RadioCondition.unknown
  /// Since when it is in this condition.
  private(set) var since: (boot: BootInstant, wall: WallTime)
  /// What went wrong last; nil since it is on.
  private var error: RadioError?
  /// Whether it is given up for good.
  private var hasEnded = false
  /// What the controller said of itself when it was last on.
  private(set) var controller: ControllerInfo?
  private var told: Told?
  /// When it was lost, of late; bounded, since a radio may be lost again and again.
  private var losses: [BootInstant] = []
  private static let mostLosses = 100
  /// For how long a loss counts.
  static let memory = Duration.seconds(600)

  init(boot: BootInstant, wall: WallTime) { since = (boot, wall) }

  /// What is wrong and what to do; nil where nothing is.
  var problem: String? { error.map { hasEnded ? "\($0); given up until a restart" : "\($0)" } }

  /// Takes a state in, and answers whether to tell it.
  mutating func observe(_ state: RadioState, boot: BootInstant, wall: WallTime) -> Bool {
    switch state {
    // Between two others: what was known of it stays, so that a radio that is tried again and again has one condition.
    case .off, .opening: return false
    case .on(let info), .deaf(let info):
      controller = info
      error = nil
    case .waiting(let problem, _): error = problem
    case .ended(let problem):
      error = problem
      hasEnded = true
    // The stream stands: what kept it from that is over.
    case .preparing: error = nil
    case .stopping: break
    }
    if state.condition != condition {
      if condition.obeys, !state.condition.obeys, state.condition != .stopped {
        losses = losses.filter { boot - $0 < Self.memory }.suffix(Self.mostLosses - 1) + [boot]
      }
      condition = state.condition
      since = (boot, wall)
    }
    return isNews(state)
  }

  /// How often it was on and then wasn't, of late.
  func lossesLately(at boot: BootInstant) -> Int { losses.count { boot - $0 < Self.memory } }

  private mutating func isNews(_ state: RadioState) -> Bool {
    switch state {
    // On the way to its first use, or back from an error that was told, the next state says more.
    case .preparing where told?.condition != .on && told?.condition != .deaf: return false
    case .stopping: return false
    default: break
    }
    let news = Told(
      condition: condition, error: error?.kind, onlyScans: condition.obeys && controller?.onlyScans == true)
    if news == told { return false }
    told = news
    return true
  }
}
