internal import Advertising

/// The number of an advertising set: 0x00 to 0xEF (Core Specification, Vol 4, Part E, 7.8.53).
struct AdvertisingHandle: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt8

  /// The only set of a controller of our own: some know no other number.
  static let own = AdvertisingHandle(rawValue: 0x00)
  /// Our set in a controller that others use too: the kernel's sets begin at 0.
  static let shared = AdvertisingHandle(rawValue: 0xEF)
}

// Core Specification, Vol 4, Part E, 7.8.52 to 7.8.65. One set, the 1M PHY, no periodic advertising.
extension HCICommand {
  static func leSetAdvertisingSetRandomAddress(
    _ address: DeviceAddress, of set: AdvertisingHandle
  ) -> HCICommand {
    HCICommand(.leSetAdvertisingSetRandomAddress, [set.rawValue] + address.littleEndianBytes)
  }

  /// Non-connectable, non-scannable, undirected advertising from the set's random address, on all three channels
  /// (7.8.53).
  ///
  /// - Parameter interval: in units of 0.625 ms, for the shortest and the longest.
  static func leSetExtendedAdvertisingParameters(
    interval: UInt16, pdu: AdvertisingPDU, of set: AdvertisingHandle
  ) -> HCICommand {
    // Bit 4 of the properties: legacy PDUs. Intervals here have three bytes.
    let properties: UInt16 = pdu == .legacy ? 0x0010 : 0x0000
    let period = littleEndian(interval) + [0]
    let noPeer: [UInt8] = [0, 0, 0, 0, 0, 0, 0]
    // No preference of power; both PHYs 1M; no skipped events; no notice of scan requests. The SID is used by extended
    // PDUs alone.
    let rest: [UInt8] = [PHY.oneMegabit, 0, PHY.oneMegabit, 0, 0]
    return HCICommand(
      .leSetExtendedAdvertisingParameters,
      [set.rawValue] + littleEndian(properties) + period + period + [0x07, OwnAddress.random] + noPeer + [
        FilterPolicy.anyone, 0x7F,
      ] + rest)
  }

  /// Complete advertising data in one piece, not to be fragmented (7.8.54).
  static func leSetExtendedAdvertisingData(_ data: AdvertisingData, of set: AdvertisingHandle) -> HCICommand {
    HCICommand(
      .leSetExtendedAdvertisingData, [set.rawValue, 3, 1, UInt8(clamping: data.bytes.count)] + data.bytes)
  }

  /// Advertising on without end, or off (7.8.56).
  static func leSetExtendedAdvertisingEnable(_ on: Bool, of set: AdvertisingHandle) -> HCICommand {
    HCICommand(.leSetExtendedAdvertisingEnable, [on ? 1 : 0, 1, set.rawValue, 0, 0, 0])
  }

  /// All sets off (7.8.56).
  static let leStopAllAdvertisingSets = HCICommand(.leSetExtendedAdvertisingEnable, [0, 0])

  /// Scanning from the random address on the 1M PHY, for everything (7.8.64).
  ///
  /// - Parameter interval: in units of 0.625 ms; the window is as long, which makes a duty cycle of 100 %.
  static func leSetExtendedScanParameters(_ mode: ScanMode, interval: UInt16) -> HCICommand {
    HCICommand(
      .leSetExtendedScanParameters,
      [OwnAddress.random, FilterPolicy.anyone, PHY.oneMegabit, mode == .active ? 1 : 0] + littleEndian(interval)
        + littleEndian(interval))
  }

  /// Scanning on without end, or off; the duplicate filter is off (7.8.65).
  static func leSetExtendedScanEnable(_ on: Bool) -> HCICommand {
    HCICommand(.leSetExtendedScanEnable, [on ? 1 : 0, 0, 0, 0, 0, 0])
  }
}

/// Physical layers: a number of one, and, as a bit field of several, bit 0 (7.8.53 and 7.8.64).
private enum PHY {
  static let oneMegabit: UInt8 = 1
}
