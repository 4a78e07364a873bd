public import AirProtocol

/// A frame as the values that an app hands to its system's advertiser.
extension Frame {
  /// The 128-bit service UUID in upper case: the frame's first byte is the text's first.
  public var uuid128Text: String {
    let digits = description.uppercased()
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text.append("-") }
      text.append(digit)
    }
    return text
  }

  /// The local name: marker and 22 characters.
  public func nameText(markers: CarrierMarkers) -> String {
    String(decoding: markers.name + Base64URLFrame.encode(self), as: UTF8.self)
  }

  /// The nine 16-bit service UUIDs, the marker first.
  ///
  /// - Throws: `wordsRepeat` where two are the same, since some stacks drop repeats.
  public func uuid16Words(markers: CarrierMarkers) throws(AdvertisingDataError) -> [UInt16] {
    let bytes = bytes
    let words = [markers.uuid16] + (0..<8).map { UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]) }
    for (first, word) in words.enumerated() {
      if let second = words.indices.first(where: { $0 > first && words[$0] == word }) {
        throw .wordsRepeat(word: word, first: first, second: second)
      }
    }
    return words
  }
}

/// The four upper-case hex digits of a word.
func hexadecimal(_ word: UInt16) -> String {
  let digits = String(word, radix: 16, uppercase: true)
  return String(repeating: "0", count: 4 - digits.count) + digits
}
