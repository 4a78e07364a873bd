/// By what a receiver without keys picks a site's frames out of names and 16-bit UUID lists ("Carriers").
///
/// They are properties of a site; the `uuid128` carrier has none.
public struct CarrierMarkers: Hashable, Sendable {
  /// The ASCII characters that stand before a frame in a local name: 2…4 of `[A-Za-z0-9]`, case matters.
  public let name: [UInt8]
  /// The word that stands before a frame in a list of 16-bit UUIDs.
  public let uuid16: UInt16

  /// `LK` and 0xF5FF, a number that the Bluetooth SIG has given to nobody.
  public static let standard = CarrierMarkers(validName: [0x4C, 0x4B], uuid16: 0xF5FF)

  /// The markers of a site; nil where the name marker isn't 2…4 characters of `[A-Za-z0-9]`.
  public init?(name: some StringProtocol, uuid16: UInt16) {
    let bytes = Array(name.utf8)
    guard (2...4).contains(bytes.count), bytes.allSatisfy(CarrierMarkers.isNameByte) else { return nil }
    self.init(validName: bytes, uuid16: uuid16)
  }

  private init(validName: [UInt8], uuid16: UInt16) {
    self.name = validName
    self.uuid16 = uuid16
  }

  /// The name marker as text.
  public var nameText: String { String(decoding: name, as: UTF8.self) }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }
}
