public import POSIX

/// Lines on a terminal that are drawn anew in place, by movements of the cursor (ECMA-48, CUU, EL, ED).
public struct LiveText: Sendable {
  private let output: Output
  private var drawn = 0

  /// - Parameter output: one that `isLive`.
  public init(_ output: Output) { self.output = output }

  /// Puts these lines in the place of those before; what no longer fits the terminal is left out, with a word about it.
  ///
  /// - Parameters:
  ///   - lines: without control characters.
  ///   - rows: how many rows the terminal has; nil or 0: unknown.
  public mutating func draw(_ lines: [String], rows: Int? = StandardStream.output.terminalRows) {
    // The cursor stands below the last line, and can't go back to what was scrolled away.
    let room = max(2, rows.flatMap { $0 == 0 ? nil : $0 } ?? 24) - 1
    var shown = lines
    if lines.count > room { shown = lines.prefix(room - 1) + ["… and \(lines.count - room + 1) more"] }
    // A line that is too long must be cut, not wrapped: the rows are counted.
    var text = drawn > 0 ? "\r\u{1B}[\(drawn)A\u{1B}[?7l" : "\r\u{1B}[?7l"
    for line in shown { text += "\(line)\u{1B}[K\n" }
    output.say(text + "\u{1B}[J\u{1B}[?7h", terminator: "")
    drawn = shown.count
  }
}
