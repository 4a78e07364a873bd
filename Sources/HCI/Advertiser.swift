internal import Advertising

/// What the controller has been told about advertising, and the next step towards what is wanted.
///
/// Pure: a step is sent by the supervisor, which brings the reply back. Legacy, non-connectable, undirected.
struct Advertiser: Sendable {
  enum Step: Hashable, Sendable {
    case setParameters(Interval)
    case setData(AdvertisingData)
    case enable
    case disable
  }

  /// In units of 0.625 ms (Vol 4, Part E, 7.8.5).
  enum Interval: UInt16, Hashable, Sendable {
    case fast20ms = 0x20
    case slow100ms = 0xA0
  }

  /// The shortest interval that the controller hasn't refused.
  private var interval = Interval.fast20ms
  private var parameters: Interval?
  private var data: AdvertisingData?
  /// Nil: not known, for example after a predecessor was killed.
  private(set) var isEnabled: Bool?

  /// The next step, nil where all is as wanted.
  func nextStep(towards wanted: AdvertisingData?) -> Step? {
    guard let wanted else { return isEnabled == false ? nil : .disable }
    // Parameters may change only while advertising is off; data at any time (Vol 4, Part E, 7.8.5 and 7.8.7).
    if parameters != interval { return isEnabled == false ? .setParameters(interval) : .disable }
    if data != wanted { return .setData(wanted) }
    return isEnabled == true ? nil : .enable
  }

  /// Notes what came of a step.
  ///
  /// - Returns: whether going on makes sense; false where the controller refused what it must be able to.
  mutating func finished(_ step: Step, _ status: ControllerStatus) -> Bool {
    switch step {
    // What isn't known to be on may be disallowed to go off, and is off; a refusal of what is on is one.
    case .disable where status == .success || status == .commandDisallowed && isEnabled != true: isEnabled = false
    case .setParameters(let interval) where status == .success: parameters = interval
    case .setData(let data) where status == .success: self.data = data
    case .enable where status == .success: isEnabled = true
    case .setParameters(.fast20ms) where Self.isTooFast(status), .enable where canSlowDown(status):
      interval = .slow100ms
      isEnabled = isEnabled ?? false
    default: return false
    }
    return true
  }

  /// Notes that the controller is known not to take the shortest interval, so that it isn't asked to.
  mutating func useSlowInterval() { interval = .slow100ms }

  /// What a Reset leaves (Vol 4, Part E, 7.3.2); that an interval was refused stays known.
  mutating func forget() {
    let interval = interval
    self = Advertiser()
    self.interval = interval
  }

  static func command(_ step: Step) -> HCICommand {
    switch step {
    case .setParameters(let interval): .leSetAdvertisingParameters(interval: interval.rawValue)
    case .setData(let data): .leSetAdvertisingData(data)
    case .enable: .leSetAdvertisingEnable(true)
    case .disable: .leSetAdvertisingEnable(false)
    }
  }

  /// Some controllers take the parameters and refuse to begin.
  private func canSlowDown(_ status: ControllerStatus) -> Bool { interval == .fast20ms && Self.isTooFast(status) }

  private static func isTooFast(_ status: ControllerStatus) -> Bool {
    status == .unsupported || status == .invalidParameters
  }
}
