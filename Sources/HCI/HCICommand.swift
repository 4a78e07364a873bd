internal import Advertising

/// A command for the controller: its number and its parameters, byte for byte.
///
/// Every length is exact: a virtual controller may end itself at a parameter too short or too long.
struct HCICommand: Hashable, Sendable {
  let opcode: Opcode
  /// At most 255 bytes.
  let parameters: [UInt8]

  init(_ opcode: Opcode, _ parameters: [UInt8] = []) {
    self.opcode = opcode
    self.parameters = parameters
  }

  /// The packet without the H4 type byte.
  var bytes: [UInt8] { littleEndian(opcode.rawValue) + [UInt8(clamping: parameters.count)] + parameters }
}

// Core Specification, Vol 4, Part E, 7.3, 7.4 and 7.8.
extension HCICommand {
  static let reset = HCICommand(.reset)
  static let readLocalVersion = HCICommand(.readLocalVersion)
  static let readAddress = HCICommand(.readAddress)
  static let readLocalFeatures = HCICommand(.readLocalFeatures)
  static let leReadLocalFeatures = HCICommand(.leReadLocalFeatures)
  static let leClearFilterAcceptList = HCICommand(.leClearFilterAcceptList)

  /// Which events come at all; bit 61 is LE Meta, bit 15 Hardware Error (7.3.1).
  static func setEventMask(_ mask: UInt64) -> HCICommand { HCICommand(.setEventMask, littleEndian(mask)) }

  /// Which LE events come; bit 1 is advertising reports, bit 12 extended ones (7.8.1).
  static func leSetEventMask(_ mask: UInt64) -> HCICommand { HCICommand(.leSetEventMask, littleEndian(mask)) }

  static func leSetRandomAddress(_ address: DeviceAddress) -> HCICommand {
    HCICommand(.leSetRandomAddress, address.littleEndianBytes)
  }

  /// Non-connectable undirected advertising from the random address, on all three channels (7.8.5).
  ///
  /// - Parameter interval: in units of 0.625 ms, for the shortest and the longest.
  static func leSetAdvertisingParameters(interval: UInt16) -> HCICommand {
    let noPeer: [UInt8] = [0, 0, 0, 0, 0, 0, 0]
    return HCICommand(
      .leSetAdvertisingParameters,
      littleEndian(interval) + littleEndian(interval) + [0x03, OwnAddress.random] + noPeer + [
        0x07, FilterPolicy.anyone,
      ])
  }

  /// Advertising data, padded to the 31 bytes that the command always has (7.8.7).
  static func leSetAdvertisingData(_ data: AdvertisingData) -> HCICommand {
    HCICommand(.leSetAdvertisingData, paddedData(data))
  }

  /// Scan response data, padded likewise (7.8.8).
  static func leSetScanResponseData(_ data: AdvertisingData) -> HCICommand {
    HCICommand(.leSetScanResponseData, paddedData(data))
  }

  static func leSetAdvertisingEnable(_ on: Bool) -> HCICommand { HCICommand(.leSetAdvertisingEnable, [on ? 1 : 0]) }

  /// Scanning from the random address, for everything (7.8.10).
  ///
  /// - Parameter interval: in units of 0.625 ms; the window is as long, which makes a duty cycle of 100 %.
  static func leSetScanParameters(_ mode: ScanMode, interval: UInt16) -> HCICommand {
    HCICommand(
      .leSetScanParameters,
      [mode == .active ? 1 : 0] + littleEndian(interval) + littleEndian(interval)
        + [OwnAddress.random, FilterPolicy.anyone])
  }

  /// Scanning on or off; the duplicate filter is off, for it knows addresses only and hides changed data (7.8.11).
  static func leSetScanEnable(_ on: Bool) -> HCICommand { HCICommand(.leSetScanEnable, [on ? 1 : 0, 0]) }
}

enum OwnAddress {
  static let random: UInt8 = 1
}

enum FilterPolicy {
  static let anyone: UInt8 = 0
}

private func paddedData(_ data: AdvertisingData) -> [UInt8] {
  let padding = max(0, AdvertisingData.limit - data.bytes.count)
  return [UInt8(clamping: data.bytes.count)] + data.bytes + [UInt8](repeating: 0, count: padding)
}

/// The bytes of a number, lowest first, as all of HCI has them.
func littleEndian(_ value: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
  (0..<(value.bitWidth / 8)).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}
