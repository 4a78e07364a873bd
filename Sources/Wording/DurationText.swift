extension Duration {
  /// Reads a whole number and a unit: `250ms`, `5s`, `30m`, `8h`.
  ///
  /// Nothing else is taken: no sign, no fraction, no space, no bare number, no more than nine digits (about 114,000
  /// years). Answers nil where the text isn't one.
  public init?(text: some StringProtocol) {
    let digits = text.prefix { ("0"..."9").contains($0) }
    guard !digits.isEmpty, digits.utf8.count <= 9, let count = Int64(digits) else { return nil }
    switch text.dropFirst(digits.count) {
    case "ms": self = .milliseconds(count)
    case "s": self = .seconds(count)
    case "m": self = .seconds(count * 60)
    case "h": self = .seconds(count * 3_600)
    default: return nil
    }
  }

  /// The text that `init(text:)` reads, in the largest unit that says it exactly; below a millisecond it is cut.
  ///
  /// Zero is `0s`; a negative duration has a minus sign, which `init(text:)` refuses.
  public var text: String {
    let (seconds, attoseconds) = components
    let milliseconds = attoseconds / 1_000_000_000_000_000
    if milliseconds != 0 {
      let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
      return overflow ? "\(seconds)s" : "\(product + milliseconds)ms"
    }
    if seconds != 0, seconds % 3_600 == 0 { return "\(seconds / 3_600)h" }
    if seconds != 0, seconds % 60 == 0 { return "\(seconds / 60)m" }
    return "\(seconds)s"
  }
}
