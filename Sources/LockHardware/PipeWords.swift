internal import Wording

/// Cuts what comes from a named pipe into words, one a line; any bytes are taken.
struct PipeWords {
  /// Longer lines are nonsense, and not kept.
  static let longest = 32

  private let meanings: [String: [InputReading]]
  private var line: [UInt8] = []
  private var isTooLong = false

  init(_ role: InputRole) {
    meanings =
      switch role {
      case .sensor: ["open": [.contact(isOpen: true)], "closed": [.contact(isOpen: false)]]
      case .exit: ["exit": [.exitAsked, .exitOver]]
      }
  }

  /// Takes bytes in; what they say.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [InputReading] {
    var readings: [InputReading] = []
    for byte in bytes {
      if byte != UInt8(ascii: "\n") {
        if line.count < Self.longest { line.append(byte) } else { isTooLong = true }
        continue
      }
      readings += meaning
      line.removeAll(keepingCapacity: true)
      isTooLong = false
    }
    return readings
  }

  /// Takes in bytes that came at once; of what they say, what counts.
  ///
  /// - Returns: the last opening and the last closing in their order, or one exit; and the first line that is nonsense.
  mutating func takeNewest(_ bytes: some Sequence<UInt8>) -> (meant: [InputReading], nonsense: InputReading?) {
    var meant: [InputReading] = []
    var nonsense: InputReading?
    for reading in take(bytes) {
      if case .nonsense = reading {
        nonsense = nonsense ?? reading
      } else if reading != meant.last {
        meant.append(reading)
      }
    }
    return (meant.suffix(2), nonsense)
  }

  /// What the line says; nothing where it is empty.
  private var meaning: [InputReading] {
    if line.isEmpty { return [] }
    let text = String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...], as: UTF8.self)
    if !isTooLong, let meaning = meanings[text] { return meaning }
    let expected = meanings.keys.sorted(by: >).joined(separator: " or ")
    return [.nonsense("expected \(expected), found “\(text.printable)\(isTooLong ? "…" : "")”")]
  }
}
