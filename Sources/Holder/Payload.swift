internal import Advertising
public import AirProtocol
public import JSON
public import LatchkeyCrypto
internal import Provisioning
internal import Wording

/// A command frame in every form in which it can be sent, without radio and state (docs/cli.md, "payload").
public struct Payload: Hashable, Sendable {
  public let frame: Frame
  private let markers: CarrierMarkers

  /// The frame of a plaintext that the caller chose, sequence and press included.
  public init(_ plaintext: CommandPlaintext, to door: HeldDoor, under freshness: Freshness) throws(CryptoError) {
    frame = try door.exchange(freshness).seal(plaintext)
    markers = door.credential.site.markers
  }

  /// The object that `payload` prints: the UUID's text in upper case as systems show it, all other digits lower.
  ///
  /// `uuid16` is null where its nine words aren't all different.
  public var json: JSONValue {
    let words = try? frame.uuid16Words(markers: markers)
    return [
      "frame": .string("\(frame)"),
      "uuid128": .string(frame.uuid128Text),
      "name": .string(frame.nameText(markers: markers)),
      "uuid16": words.map { words in
        .array(
          words.map { .string(Hexadecimal.text([UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)])) })
      } ?? .null,
      "advertisingData": [
        "uuid128": advertisingData(.uuid128), "name": advertisingData(.name), "uuid16": advertisingData(.uuid16),
      ],
    ]
  }

  private func advertisingData(_ carrier: Carrier) -> JSONValue {
    guard let data = try? AdvertisingData(frame: frame, carrier: carrier, markers: markers) else { return .null }
    return .string(Hexadecimal.text(data.bytes))
  }
}
