internal import CBluetooth

/// The first byte of an event (Core Specification, Vol 4, Part E, 7.7).
struct EventCode: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt8

  static let commandComplete = EventCode(rawValue: UInt8(EVT_CMD_COMPLETE))
  static let commandStatus = EventCode(rawValue: UInt8(EVT_CMD_STATUS))
  static let hardwareError = EventCode(rawValue: UInt8(EVT_HARDWARE_ERROR))
  static let leMeta = EventCode(rawValue: UInt8(EVT_LE_META_EVENT))
}

/// The third byte of an LE Meta event (Vol 4, Part E, 7.7.65).
enum LESubevent {
  static let advertisingReport: UInt8 = 0x02
  static let extendedAdvertisingReport: UInt8 = 0x0D
}
