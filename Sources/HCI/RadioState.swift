/// What a radio is doing, as its supervisor sees it.
public enum RadioState: Hashable, Sendable {
  /// Never started.
  case off
  /// The transport is being opened.
  case opening
  /// The controller is being reset and asked what it is.
  case preparing
  /// The controller does what is wanted.
  case on(ControllerInfo)
  /// It does what is wanted, as it says, but has heard nothing for longer than is likely (`Timings.silence`).
  case deaf(ControllerInfo)
  /// It failed; the next attempt comes after the delay.
  case waiting(RadioError, retryAfter: Duration)
  /// It is being taken off the air.
  case stopping
  /// It is closed. Nil: stopped as told; else what ended it for good.
  case ended(RadioError?)
}

/// What a controller says of itself (Core Specification, Vol 4, Part E, 7.4.1, 7.4.3 and 7.8.3).
public struct ControllerInfo: Hashable, Sendable {
  /// HCI_Version: 6 is Bluetooth 4.0, 9 is 5.0; 0 where unknown.
  public var hciVersion: UInt8 = 0
  /// Company_Identifier of the maker.
  public var manufacturer: UInt16 = 0
  /// LMP_Features; bit 38 says LE.
  public var features: UInt64 = 0
  /// LE_Features; bit 12 says extended advertising.
  public var leFeatures: UInt64 = 0
  /// Its public address (BD_ADDR); nil where it told none.
  public var address: DeviceAddress?
  /// The commands that it is told what to do with.
  public var family = CommandFamily.legacy
  /// Whether it was found not to advertise while it scans.
  public var onlyScans = false

  public init() {}

  /// Whether the controller knows Bluetooth Low Energy (Vol 2, Part C, 3.3).
  var hasLowEnergy: Bool { features >> 38 & 1 == 1 }

  /// Whether the controller knows extended advertising (Vol 6, Part B, 4.6.13).
  var hasExtendedAdvertising: Bool { leFeatures >> 12 & 1 == 1 }

  /// Whether the controller may send non-connectable advertisements every 20 ms: from 5.0 on (Vol 6, Part B, 4.4.2.2).
  var mayAdvertiseFast: Bool { hciVersion >= 9 }
}
