internal import CBluetooth

/// A command's number: its group in the upper six bits, its place in the group below (Vol 4, Part E, 5.4.1).
public struct Opcode: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  private init(_ group: Int32, _ place: Int32) { self.init(rawValue: UInt16(group << 10 | place)) }

  /// The "no operation" of events that only carry credits.
  public static let none = Opcode(rawValue: 0)
  public static let setEventMask = Opcode(OGF_HOST_CTL, OCF_SET_EVENT_MASK)
  public static let reset = Opcode(OGF_HOST_CTL, OCF_RESET)
  public static let readLocalVersion = Opcode(OGF_INFO_PARAM, OCF_READ_LOCAL_VERSION)
  public static let readAddress = Opcode(OGF_INFO_PARAM, OCF_READ_BD_ADDR)
  public static let readLocalFeatures = Opcode(OGF_INFO_PARAM, OCF_READ_LOCAL_FEATURES)
  public static let leSetEventMask = Opcode(OGF_LE_CTL, OCF_LE_SET_EVENT_MASK)
  public static let leReadLocalFeatures = Opcode(OGF_LE_CTL, OCF_LE_READ_LOCAL_SUPPORTED_FEATURES)
  public static let leSetRandomAddress = Opcode(OGF_LE_CTL, OCF_LE_SET_RANDOM_ADDRESS)
  public static let leSetAdvertisingParameters = Opcode(OGF_LE_CTL, OCF_LE_SET_ADVERTISING_PARAMETERS)
  public static let leSetAdvertisingData = Opcode(OGF_LE_CTL, OCF_LE_SET_ADVERTISING_DATA)
  public static let leSetScanResponseData = Opcode(OGF_LE_CTL, OCF_LE_SET_SCAN_RESPONSE_DATA)
  public static let leSetAdvertisingEnable = Opcode(OGF_LE_CTL, OCF_LE_SET_ADVERTISE_ENABLE)
  public static let leSetScanParameters = Opcode(OGF_LE_CTL, OCF_LE_SET_SCAN_PARAMETERS)
  public static let leSetScanEnable = Opcode(OGF_LE_CTL, OCF_LE_SET_SCAN_ENABLE)
  public static let leClearFilterAcceptList = Opcode(OGF_LE_CTL, OCF_LE_CLEAR_WHITE_LIST)
}

// Bluetooth 5.0 (Vol 4, Part E, 7.8.52 to 7.8.65); BlueZ's header has no names for them.
extension Opcode {
  public static let leSetAdvertisingSetRandomAddress = Opcode(OGF_LE_CTL, 0x0035)
  public static let leSetExtendedAdvertisingParameters = Opcode(OGF_LE_CTL, 0x0036)
  public static let leSetExtendedAdvertisingData = Opcode(OGF_LE_CTL, 0x0037)
  public static let leSetExtendedAdvertisingEnable = Opcode(OGF_LE_CTL, 0x0039)
  public static let leSetExtendedScanParameters = Opcode(OGF_LE_CTL, 0x0041)
  public static let leSetExtendedScanEnable = Opcode(OGF_LE_CTL, 0x0042)
}

extension Opcode {
  /// Whether it is of the group of LE commands.
  var isLowEnergy: Bool { rawValue >> 10 == UInt16(OGF_LE_CTL) }
}

extension Opcode: CustomStringConvertible {
  /// The specification's name and the number, for example `LE Set Scan Enable (0x200C)`.
  public var description: String {
    let number = "0x" + hexadecimal(UInt8(rawValue >> 8)) + hexadecimal(UInt8(rawValue & 0xFF))
    return name.map { "\($0) (\(number))" } ?? "command \(number)"
  }

  private var name: String? {
    switch self {
    case .setEventMask: "Set Event Mask"
    case .reset: "Reset"
    case .readLocalVersion: "Read Local Version Information"
    case .readAddress: "Read BD_ADDR"
    case .readLocalFeatures: "Read Local Supported Features"
    case .leSetEventMask: "LE Set Event Mask"
    case .leReadLocalFeatures: "LE Read Local Supported Features"
    case .leSetRandomAddress: "LE Set Random Address"
    case .leSetAdvertisingParameters: "LE Set Advertising Parameters"
    case .leSetAdvertisingData: "LE Set Advertising Data"
    case .leSetScanResponseData: "LE Set Scan Response Data"
    case .leSetAdvertisingEnable: "LE Set Advertising Enable"
    case .leSetScanParameters: "LE Set Scan Parameters"
    case .leSetScanEnable: "LE Set Scan Enable"
    case .leClearFilterAcceptList: "LE Clear Filter Accept List"
    case .leSetAdvertisingSetRandomAddress: "LE Set Advertising Set Random Address"
    case .leSetExtendedAdvertisingParameters: "LE Set Extended Advertising Parameters"
    case .leSetExtendedAdvertisingData: "LE Set Extended Advertising Data"
    case .leSetExtendedAdvertisingEnable: "LE Set Extended Advertising Enable"
    case .leSetExtendedScanParameters: "LE Set Extended Scan Parameters"
    case .leSetExtendedScanEnable: "LE Set Extended Scan Enable"
    default: nil
    }
  }
}

/// A controller's answer to a command; 0 is success (Vol 1, Part F, 1.3).
public struct ControllerStatus: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let success = ControllerStatus(rawValue: 0)
  public static let unknownCommand = ControllerStatus(rawValue: UInt8(HCI_UNKNOWN_COMMAND))
  public static let commandDisallowed = ControllerStatus(rawValue: UInt8(HCI_COMMAND_DISALLOWED))
  public static let unsupported = ControllerStatus(rawValue: UInt8(HCI_UNSUPPORTED_FEATURE))
  public static let unknownAdvertisingIdentifier = ControllerStatus(rawValue: 0x42)
  public static let invalidParameters = ControllerStatus(rawValue: UInt8(HCI_INVALID_PARAMETERS))
}

extension ControllerStatus: CustomStringConvertible {
  /// The number with its meaning where known, for example `command disallowed (0x0C)`.
  public var description: String {
    let number = "0x" + hexadecimal(rawValue)
    return switch self {
    case .success: "success (\(number))"
    case .unknownCommand: "unknown command (\(number))"
    case .commandDisallowed: "command disallowed (\(number))"
    case .unsupported: "unsupported feature or parameter value (\(number))"
    case .invalidParameters: "invalid command parameters (\(number))"
    default: "status \(number)"
    }
  }
}
