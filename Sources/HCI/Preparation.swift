/// What is asked of a controller and told it after each Reset, before the wanted state is laid.
enum Preparation: Int, CaseIterable, Sendable {
  case readVersion
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
  var next: Preparation? { Preparation(rawValue: rawValue + 1) }

  func command(_ info: ControllerInfo) -> HCICommand {
    switch self {
    case .readVersion: .readLocalVersion
    case .readFeatures: .readLocalFeatures
    case .readLEFeatures: .leReadLocalFeatures
    // Without bit 61 of the first mask no LE event arrives, whatever the second one says.
    case .setEventMask: .setEventMask(EventMask.hardwareError | EventMask.leMeta)
    case .setLEEventMask:
      .leSetEventMask(
        LEEventMask.advertisingReport | (info.hasExtendedAdvertising ? LEEventMask.extendedAdvertisingReport : 0))
    case .stopAdvertising: .leSetAdvertisingEnable(false)
    case .stopScanning: .leSetScanEnable(false)
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

  /// Reads what the controller said of itself; parameters too short leave what was known.
  func read(_ parameters: [UInt8], into info: inout ControllerInfo) {
    switch self {
    case .readVersion where parameters.count >= 8:
      // HCI version, HCI revision (2), LMP version, company (2), LMP subversion (2).
      info.hciVersion = parameters[0]
      info.manufacturer = UInt16(parameters[4]) | UInt16(parameters[5]) << 8
    case .readFeatures where parameters.count >= 8: info.features = bitField(parameters)
    case .readLEFeatures where parameters.count >= 8: info.leFeatures = bitField(parameters)
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

/// The first eight bytes as a number, lowest first; the caller has made sure that they are there.
private func bitField(_ bytes: [UInt8]) -> UInt64 {
  bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
}
