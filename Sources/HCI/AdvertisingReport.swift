/// What one advertising report says besides its data (Core Specification, Vol 4, Part E, 7.7.65.2 and 7.7.65.13).
public struct AdvertisingReport: Hashable, Sendable {
  /// Event_Type as it came: a number 0…4 in a legacy report, a bit field in an extended one; unknown values are kept.
  public let eventType: UInt16
  /// Whether it came in an LE Extended Advertising Report event.
  public let isExtended: Bool
  /// Address_Type as it came: 0 public, 1 random, 2 and 3 resolved identities, 0xFF none.
  public let addressType: UInt8
  /// The advertiser's address.
  public let address: DeviceAddress
  /// Received signal strength in dBm; nil where the controller doesn't know (127).
  public let rssi: Int8?

  /// Whether the data is that of a scan response.
  public var isScanResponse: Bool { isExtended ? eventType & 0x08 != 0 : eventType == 4 }

  /// Whether the advertiser accepts connections.
  public var isConnectable: Bool { isExtended ? eventType & 0x01 != 0 : eventType <= 1 }

  init(eventType: UInt16, isExtended: Bool, addressType: UInt8, address: DeviceAddress, rssi: UInt8) {
    self.eventType = eventType
    self.isExtended = isExtended
    self.addressType = addressType
    self.address = address
    self.rssi = rssi == 127 ? nil : Int8(bitPattern: rssi)
  }
}
