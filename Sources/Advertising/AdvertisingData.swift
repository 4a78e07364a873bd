public import AirProtocol

/// One structure of advertising data, to be sent.
public struct ADStructure: Hashable, Sendable {
  public let type: ADType
  /// The content without length and type.
  public let content: [UInt8]

  public init(_ type: ADType, _ content: [UInt8]) {
    self.type = type
    self.content = content
  }

  /// How many bytes it takes on the air: length, type, content.
  public var size: Int { content.count + 2 }

  /// LE general discoverable, no BR/EDR: `02 01 06`.
  public static let flags = ADStructure(.flags, [0x06])
}

/// Why advertising data can't be made.
public enum AdvertisingDataError: Error, Hashable, Sendable {
  /// The structures together exceed the limit.
  case structuresTooLong([ADStructure])
  /// Bytes that are to be sent as they are exceed the limit.
  case bytesTooLong(count: Int)
  /// Two of the nine words of `uuid16` are the same; word 0 is the marker.
  case wordsRepeat(word: UInt16, first: Int, second: Int)

  /// Whether the same intent under another sequence may fit ("Carriers"): not where the marker equals the first
  /// word, which comes from the hint.
  public var mayFitUnderAnotherSequence: Bool {
    if case .wordsRepeat(_, let first, let second) = self { (first, second) != (0, 1) } else { false }
  }
}

extension AdvertisingDataError: CustomStringConvertible {
  /// By how many bytes, and of what.
  public var description: String {
    switch self {
    case .structuresTooLong(let structures):
      let size = structures.reduce(0) { $0 + $1.size }
      let parts = structures.map { "\($0.type) \($0.size)" }.joined(separator: " + ")
      return
        "\(size - AdvertisingData.limit) bytes too many: \(parts) = \(size), and advertising data has at most "
        + "\(AdvertisingData.limit)"
    case .bytesTooLong(let count):
      return
        "\(count - AdvertisingData.limit) bytes too many: \(count), and advertising data has at most "
        + "\(AdvertisingData.limit)"
    case .wordsRepeat(let word, let first, let second):
      let name = first == 0 ? "the marker" : "word \(first)"
      return "16-bit UUIDs must differ, and \(name) and word \(second) are both \(hexadecimal(word))"
    }
  }
}

/// Legacy advertising data: at most 31 bytes (Core Specification volume 4, part E, section 7.8.7).
public struct AdvertisingData: Hashable, Sendable {
  /// How many bytes there may be.
  public static let limit = 31

  /// The bytes, without padding.
  public let bytes: [UInt8]

  /// Bytes that are sent as they are; only their number is looked at.
  public init(bytes: [UInt8]) throws(AdvertisingDataError) {
    guard bytes.count <= AdvertisingData.limit else { throw .bytesTooLong(count: bytes.count) }
    self.bytes = bytes
  }

  /// These structures, in this order.
  public init(structures: [ADStructure]) throws(AdvertisingDataError) {
    guard structures.reduce(0, { $0 + $1.size }) <= AdvertisingData.limit else { throw .structuresTooLong(structures) }
    // A structure that fits the limit fits its length byte.
    self.bytes = structures.flatMap { [UInt8($0.content.count + 1), $0.type.rawValue] + $0.content }
  }

  /// A frame in its carrier.
  ///
  /// - Parameter flags: whether the flags structure stands first, "where the sender can set it".
  public init(
    frame: Frame, carrier: Carrier, markers: CarrierMarkers, flags: Bool = true
  ) throws(AdvertisingDataError) {
    let structure = try ADStructure(frame: frame, carrier: carrier, markers: markers)
    try self.init(structures: flags ? [.flags, structure] : [structure])
  }
}

extension ADStructure {
  /// The structure that carries a frame.
  public init(frame: Frame, carrier: Carrier, markers: CarrierMarkers) throws(AdvertisingDataError) {
    switch carrier {
    case .uuid128: self.init(.complete128BitUUIDs, frame.bytes.reversed())
    case .name: self.init(.completeLocalName, markers.name + Base64URLFrame.encode(frame))
    case .uuid16:
      let words = try frame.uuid16Words(markers: markers)
      self.init(.complete16BitUUIDs, words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
    }
  }
}
