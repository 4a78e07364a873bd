/// What is asked of a controller and told it after each Reset, before the wanted state is laid.
enum Preparation: Int, CaseIterable, Sendable {
  case readVersion
  case readAddress
  case readFeatures
  case readLEFeatures
  case setEventMask
  case setLEEventMask
  /// What a killed predecessor left on, where Reset didn't end it.
  case stopAdvertising
  case stopScanning
  case clearAcceptList

  /// The first one.
  static let first = Preparation.readVersion

  /// The one after it; nil after the last.
  ///
  /// - Parameter isShared: whether others use the controller: what would disturb them is left out.
  func next(isShared: Bool) -> Preparation? {
    var next = self
    while let following = Preparation(rawValue: next.rawValue + 1) {
      if !isShared || !following.disturbsOthers { return following }
      next = following
    }
    return nil
  }

  func command(_ info: ControllerInfo, _ set: AdvertisingHandle) -> HCICommand {
    switch self {
    case .readVersion: .readLocalVersion
    case .readAddress: .readAddress
    case .readFeatures: .readLocalFeatures
    case .readLEFeatures: .leReadLocalFeatures
    // Without bit 61 of the first mask no LE event arrives, whatever the second one says.
    case .setEventMask: .setEventMask(EventMask.hardwareError | EventMask.leMeta)
    case .setLEEventMask:
      .leSetEventMask(
        LEEventMask.advertisingReport | (info.family == .extended ? LEEventMask.extendedAdvertisingReport : 0))
    case .stopAdvertising: Advertiser.command(.disable, info.family, set)
    case .stopScanning: Scanner.command(.disable, info.family)
    case .clearAcceptList: .leClearFilterAcceptList
    }
  }

  /// Whether a refusal is no fault: what is only asked, or was off already ("command disallowed").
  var mayBeRefused: Bool {
    switch self {
    case .setEventMask, .setLEEventMask: false
    default: true
    }
  }

  /// The kernel masks events for all of its users, and the accept list serves others' connections.
  private var disturbsOthers: Bool {
    switch self {
    case .setEventMask, .setLEEventMask, .clearAcceptList: true
    default: false
    }
  }

  /// Reads what the controller said of itself; parameters too short leave what was known.
  func read(_ parameters: [UInt8], into info: inout ControllerInfo) {
    switch self {
    case .readVersion where parameters.count >= 8:
      // HCI version, HCI revision (2), LMP version, company (2), LMP subversion (2).
      info.hciVersion = parameters[0]
      info.manufacturer = UInt16(parameters[4]) | UInt16(parameters[5]) << 8
    case .readAddress where parameters.count >= 6:
      // All zero: none was programmed.
      let value = number(parameters.prefix(6))
      info.address = value == 0 ? nil : DeviceAddress(value: value)
    case .readFeatures where parameters.count >= 8: info.features = number(parameters.prefix(8))
    case .readLEFeatures where parameters.count >= 8: info.leFeatures = number(parameters.prefix(8))
    default: break
    }
  }
}

/// Set Event Mask (Core Specification, Vol 4, Part E, 7.3.1).
private enum EventMask {
  static let hardwareError: UInt64 = 1 << 15
  static let leMeta: UInt64 = 1 << 61
}

/// LE Set Event Mask (7.8.1).
private enum LEEventMask {
  static let advertisingReport: UInt64 = 1 << 1
  static let extendedAdvertisingReport: UInt64 = 1 << 12
}

/// At most eight bytes as a number, lowest first.
private func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
