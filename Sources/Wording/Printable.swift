extension StringProtocol {
  /// The text on one line that no terminal acts on: control, format and direction characters become `\u{…}`.
  public var printable: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      // The two joiners change how letters of some scripts connect, and nothing else.
      case .format where scalar == "\u{200C}" || scalar == "\u{200D}": result.unicodeScalars.append(scalar)
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The text, or its beginning and end where it has more characters than `limit`.
  public func shortened(to limit: Int) -> String {
    guard count > limit else { return String(self) }
    return "\(prefix(limit / 2))…\(suffix(limit / 2))"
  }
}
