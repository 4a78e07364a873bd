/// The type of an advertising structure (Bluetooth Assigned Numbers, section 2.3, "Common Data Types").
public struct ADType: RawRepresentable, Hashable, Sendable {
  /// The number on the air.
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let flags = ADType(rawValue: 0x01)
  public static let incomplete16BitUUIDs = ADType(rawValue: 0x02)
  public static let complete16BitUUIDs = ADType(rawValue: 0x03)
  public static let incomplete128BitUUIDs = ADType(rawValue: 0x06)
  public static let complete128BitUUIDs = ADType(rawValue: 0x07)
  public static let shortenedLocalName = ADType(rawValue: 0x08)
  public static let completeLocalName = ADType(rawValue: 0x09)
}

extension ADType: CustomStringConvertible {
  /// Its name in words; an unknown one as `type 0xFF`.
  public var description: String {
    switch self {
    case .flags: "flags"
    case .incomplete16BitUUIDs: "incomplete list of 16-bit UUIDs"
    case .complete16BitUUIDs: "list of 16-bit UUIDs"
    case .incomplete128BitUUIDs: "incomplete list of 128-bit UUIDs"
    case .complete128BitUUIDs: "list of 128-bit UUIDs"
    case .shortenedLocalName: "shortened name"
    case .completeLocalName: "name"
    default: "type 0x\(String(rawValue, radix: 16, uppercase: true))"
    }
  }
}

/// The structures of advertising or scan-response data (Core Specification volume 3, part C, section 11).
public enum ADStructures {
  /// Hands every structure's type and content to `body`, in the order in which they stand; allocates nothing.
  ///
  /// A zero length byte ends the data, and so does a structure that overruns it; those before count ("Carriers").
  public static func forEach(in data: Span<UInt8>, _ body: (ADType, Span<UInt8>) -> Void) {
    var start = 0
    while start < data.count {
      let length = Int(data[start])
      let end = start + 1 + length
      guard length > 0, end <= data.count else { return }
      body(ADType(rawValue: data[start + 1]), data.extracting((start + 2)..<end))
      start = end
    }
  }
}
