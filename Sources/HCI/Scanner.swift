/// What the controller has been told about scanning, and the next step towards what is wanted.
///
/// Pure: a step is sent by the supervisor, which brings the reply back. 100 % duty cycle, duplicate filter off.
struct Scanner: Sendable {
  enum Step: Hashable, Sendable {
    case setParameters(ScanMode)
    case enable
    case disable
  }

  /// 60 ms, the window likewise: long enough that switching channels costs little.
  static let interval: UInt16 = 0x60

  private var parameters: ScanMode?
  /// Nil: not known, for example after a predecessor was killed.
  private(set) var isEnabled: Bool?

  /// The next step, nil where all is as wanted.
  func nextStep(towards wanted: ScanMode?) -> Step? {
    guard let wanted else { return isEnabled == false ? nil : .disable }
    guard let isEnabled else { return .disable }
    // Parameters may change only while scanning is off (Vol 4, Part E, 7.8.10).
    if parameters != wanted { return isEnabled ? .disable : .setParameters(wanted) }
    return isEnabled ? nil : .enable
  }

  /// Notes what came of a step.
  ///
  /// - Returns: whether going on makes sense; false where the controller refused what it must be able to.
  mutating func finished(_ step: Step, _ status: ControllerStatus) -> Bool {
    switch step {
    // What isn't known to be on may be disallowed to go off, and is off; a refusal of what is on is one.
    case .disable where status == .success || status == .commandDisallowed && isEnabled != true: isEnabled = false
    case .setParameters(let mode) where status == .success: parameters = mode
    case .enable where status == .success: isEnabled = true
    default: return false
    }
    return true
  }

  /// Doubts that scanning is on, so that it is switched off and on again.
  mutating func doubt() { isEnabled = nil }

  /// What a Reset leaves (Vol 4, Part E, 7.3.2).
  mutating func forget() { self = Scanner() }

  static func command(_ step: Step, _ family: CommandFamily) -> HCICommand {
    switch (family, step) {
    case (.legacy, .setParameters(let mode)): .leSetScanParameters(mode, interval: interval)
    case (.legacy, .enable): .leSetScanEnable(true)
    case (.legacy, .disable): .leSetScanEnable(false)
    case (.extended, .setParameters(let mode)): .leSetExtendedScanParameters(mode, interval: interval)
    case (.extended, .enable): .leSetExtendedScanEnable(true)
    case (.extended, .disable): .leSetExtendedScanEnable(false)
    }
  }
}
