extension RelayLine {
  /// Why no chip or line is meant, or more than one, in words.
  public struct NotFound: Error, Hashable, Sendable {
    public let reason: String
  }

  /// The name of the chip with a label.
  ///
  /// - Parameter chips: all that there are; the label is nil of one that this process may not open: it isn't its own.
  public static func chip(
    labelled text: String, among chips: [(name: String, label: String?)]
  ) throws(NotFound) -> String {
    let found = chips.filter { $0.label == text }
    guard let chip = found.first else {
      let known = chips.isEmpty ? "there is none" : "there are \(chips.map(\.name).joined(separator: ", "))"
      throw NotFound(reason: "no GPIO chip with the name or label “\(text)”; \(known)")
    }
    guard found.count == 1 else {
      throw NotFound(reason: "more than one GPIO chip has the label “\(text)”: name it (gpiochip0)")
    }
    return chip.name
  }

  /// The number of the line with a name.
  ///
  /// - Parameters:
  ///   - names: those of a chip's lines, by number; nil: it has none.
  ///   - chip: how the chip was named.
  public static func line(named name: String, among names: [String?], of chip: String) throws(NotFound) -> UInt32 {
    let found = names.indices.filter { names[$0] == name }
    guard let number = found.first else { throw NotFound(reason: "\(chip) has no line with the name \(name)") }
    guard found.count == 1 else {
      throw NotFound(reason: "\(chip) has more than one line with the name \(name)")
    }
    return UInt32(number)
  }
}
