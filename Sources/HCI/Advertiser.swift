internal import Advertising

/// What the controller has been told about advertising, and the next step towards what is wanted.
///
/// Pure: a step is sent by the supervisor, which brings the reply back. Non-connectable, undirected; the steps are the
/// same in both families of commands, but that the extended one has an address for each set.
struct Advertiser: Sendable {
  /// What is to be on the air.
  struct Target: Hashable, Sendable {
    var data: AdvertisingData
    var interval = Interval.fast20ms
    var pdu = AdvertisingPDU.legacy
    /// The address of the set; nil where the family knows one for all (legacy).
    var address: DeviceAddress?
  }

  enum Step: Hashable, Sendable {
    case setParameters(Interval, AdvertisingPDU)
    case setAddress(DeviceAddress)
    case setData(AdvertisingData)
    case enable
    case disable
  }

  /// In units of 0.625 ms (Vol 4, Part E, 7.8.5).
  enum Interval: UInt16, Hashable, Sendable {
    case fast20ms = 0x20
    case slow100ms = 0xA0

    /// How long until an item has been sent once for certain: the interval, and the random delay of at most 10 ms
    /// (Vol 6, Part B, 4.4.2.2).
    var dwell: Duration { .microseconds(Int(rawValue) * 625) + .milliseconds(10) }
  }

  private struct Parameters: Hashable {
    let interval: Interval
    let pdu: AdvertisingPDU
  }

  /// The shortest interval that the controller hasn't refused.
  private var shortest = Interval.fast20ms
  private var parameters: Parameters?
  private var address: DeviceAddress?
  private var data: AdvertisingData?
  /// Nil: not known, for example after a predecessor was killed.
  private(set) var isEnabled: Bool?

  /// Whether these data are on the air, as far as the controller has confirmed.
  func shows(_ data: AdvertisingData?) -> Bool { isEnabled == true && data != nil && data == self.data }

  /// The next step, nil where all is as wanted.
  func nextStep(towards wanted: Target?) -> Step? {
    guard let wanted else { return isEnabled == false ? nil : .disable }
    // Parameters and a set's address may change only while advertising is off; data at any time, and before it is on: else
    // the data of before are on the air for a moment (Vol 4, Part E, 7.8.5, 7.8.7, 7.8.52 to 7.8.54).
    let interval = interval(for: wanted.interval)
    if parameters != Parameters(interval: interval, pdu: wanted.pdu) {
      return isEnabled == false ? .setParameters(interval, wanted.pdu) : .disable
    }
    if let wanted = wanted.address, wanted != address { return isEnabled == false ? .setAddress(wanted) : .disable }
    if data != wanted.data { return .setData(wanted.data) }
    return isEnabled == true ? nil : .enable
  }

  /// Notes what came of a step.
  ///
  /// - Returns: whether going on makes sense; false where the controller refused what it must be able to.
  mutating func finished(_ step: Step, _ status: ControllerStatus) -> Bool {
    switch step {
    case .disable where status == .success || isOff(status): isEnabled = false
    case .setParameters(let interval, let pdu) where status == .success:
      parameters = Parameters(interval: interval, pdu: pdu)
    case .setAddress(let address) where status == .success: self.address = address
    case .setData(let data) where status == .success: self.data = data
    case .enable where status == .success: isEnabled = true
    case .setParameters(.fast20ms, _) where Self.isTooFast(status), .enable where canSlowDown(status):
      shortest = .slow100ms
      isEnabled = isEnabled ?? false
    default: return false
    }
    return true
  }

  /// Notes that the controller is known not to take the shortest interval, so that it isn't asked to.
  mutating func useSlowInterval() { shortest = .slow100ms }

  /// The interval that is used where this one is wanted.
  func interval(for wanted: Interval) -> Interval { shortest == .slow100ms ? shortest : wanted }

  /// What a Reset leaves (Vol 4, Part E, 7.3.2); that an interval was refused stays known.
  mutating func forget() {
    let shortest = shortest
    self = Advertiser()
    self.shortest = shortest
  }

  static func command(_ step: Step, _ family: CommandFamily, _ set: AdvertisingHandle) -> HCICommand {
    switch (family, step) {
    case (.legacy, .setParameters(let interval, _)): .leSetAdvertisingParameters(interval: interval.rawValue)
    case (.legacy, .setAddress(let address)): .leSetRandomAddress(address)
    case (.legacy, .setData(let data)): .leSetAdvertisingData(data)
    case (.legacy, .enable): .leSetAdvertisingEnable(true)
    case (.legacy, .disable): .leSetAdvertisingEnable(false)
    case (.extended, .setParameters(let interval, let pdu)):
      .leSetExtendedAdvertisingParameters(interval: interval.rawValue, pdu: pdu, of: set)
    case (.extended, .setAddress(let address)): .leSetAdvertisingSetRandomAddress(address, of: set)
    case (.extended, .setData(let data)): .leSetExtendedAdvertisingData(data, of: set)
    case (.extended, .enable): .leSetExtendedAdvertisingEnable(true, of: set)
    case (.extended, .disable):
      set == .own ? .leStopAllAdvertisingSets : .leSetExtendedAdvertisingEnable(false, of: set)
    }
  }

  /// What isn't known to be on may be disallowed to go off, or not exist, and is off; a refusal of what is on is one.
  private func isOff(_ status: ControllerStatus) -> Bool {
    isEnabled != true && (status == .commandDisallowed || status == .unknownAdvertisingIdentifier)
  }

  /// Some controllers take the parameters and refuse to begin.
  private func canSlowDown(_ status: ControllerStatus) -> Bool {
    parameters?.interval == .fast20ms && Self.isTooFast(status)
  }

  private static func isTooFast(_ status: ControllerStatus) -> Bool {
    status == .unsupported || status == .invalidParameters
  }
}
