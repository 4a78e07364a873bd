public import AirProtocol

/// Finds the frames in advertising and scan-response data ("Carriers").
public enum FrameSearch {
  /// At most so many frames of one report are looked at ("What the door does with a frame", step 1).
  public static let limit = 4

  /// Hands every frame in `data` to `body`, in the order in which they stand; allocates nothing, takes any bytes.
  ///
  /// Whatever looks like a frame is one: every 128-bit UUID, and every eight words behind a word that equals the
  /// marker, even where one begins within another.
  ///
  /// - Parameter limit: the search ends behind so many frames.
  public static func forEachFrame(
    in data: Span<UInt8>, markers: CarrierMarkers, limit: Int = FrameSearch.limit, _ body: (Frame, Carrier) -> Void
  ) {
    var left = limit
    ADStructures.forEach(in: data) { type, content in
      guard left > 0 else { return }
      switch type {
      case .complete128BitUUIDs, .incomplete128BitUUIDs: search128(content, &left, body)
      case .complete16BitUUIDs, .incomplete16BitUUIDs: search16(content, markers.uuid16, &left, body)
      case .completeLocalName, .shortenedLocalName:
        guard let frame = frame(inName: content, marker: markers.name) else { return }
        left -= 1
        body(frame, .name)
      default: return
      }
    }
  }

  /// Every UUID is a frame, its bytes reversed; a list that isn't a whole number of UUIDs is ignored.
  private static func search128(_ list: Span<UInt8>, _ left: inout Int, _ body: (Frame, Carrier) -> Void) {
    guard list.count % Frame.size == 0 else { return }
    var start = 0
    while start < list.count, left > 0 {
      left -= 1
      body(
        Frame(high: littleEndian(list, start + 8, count: 8), low: littleEndian(list, start, count: 8)), .uuid128)
      start += Frame.size
    }
  }

  /// The marker and the eight words after it are a frame; a list that isn't a whole number of words is ignored.
  private static func search16(
    _ list: Span<UInt8>, _ marker: UInt16, _ left: inout Int, _ body: (Frame, Carrier) -> Void
  ) {
    guard list.count % 2 == 0 else { return }
    var start = 0
    while start + 2 + Frame.size <= list.count, left > 0 {
      if littleEndian(list, start, count: 2) == UInt64(marker) {
        left -= 1
        body(Frame(high: words(list, start + 2), low: words(list, start + 10)), .uuid16)
      }
      start += 2
    }
  }

  /// The frame behind the marker of a name that holds nothing else; nil where there is none.
  private static func frame(inName name: Span<UInt8>, marker: [UInt8]) -> Frame? {
    guard name.count == marker.count + Base64URLFrame.characters else { return nil }
    for index in marker.indices where name[index] != marker[index] { return nil }
    return Base64URLFrame.decode(name, from: marker.count)
  }

  /// The little-endian number of `count` bytes.
  private static func littleEndian(_ list: Span<UInt8>, _ start: Int, count: Int) -> UInt64 {
    var number: UInt64 = 0
    for index in (0..<count).reversed() { number = number << 8 | UInt64(list[start + index]) }
    return number
  }

  /// Four little-endian words as one big-endian number.
  private static func words(_ list: Span<UInt8>, _ start: Int) -> UInt64 {
    var number: UInt64 = 0
    for index in stride(from: start, to: start + 8, by: 2) {
      number = number << 16 | UInt64(list[index + 1]) << 8 | UInt64(list[index])
    }
    return number
  }
}
