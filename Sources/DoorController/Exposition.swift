/// Metrics as text, in Prometheus's exposition format 0.0.4.
///
/// Each family stands once, with its HELP and TYPE before its samples.
struct Exposition {
  /// What a family is.
  enum Kind: String {
    /// Only rises, until a restart; its name ends in `_total`.
    case counter
    case gauge
    case histogram
  }

  /// The text so far; each line ends with a line break.
  private(set) var text = ""

  /// Adds a family with one sample and no labels.
  mutating func add(_ kind: Kind, _ name: String, _ help: String, _ value: String) {
    begin(kind, name, help)
    sample(name, [], value)
  }

  mutating func add(_ kind: Kind, _ name: String, _ help: String, _ value: UInt64) { add(kind, name, help, "\(value)") }

  mutating func add(_ kind: Kind, _ name: String, _ help: String, _ flag: Bool) {
    add(kind, name, help, flag ? "1" : "0")
  }

  /// Adds a family with a sample for each value of a label.
  mutating func add(
    _ kind: Kind, _ name: String, _ help: String, by label: String, _ samples: [(label: String, value: UInt64)]
  ) {
    add(kind, name, help, samples.map { (labels: [(label, $0.label)], value: $0.value) })
  }

  /// Adds a family with a sample for each set of labels.
  mutating func add(
    _ kind: Kind, _ name: String, _ help: String, _ samples: [(labels: [(String, String)], value: UInt64)]
  ) {
    begin(kind, name, help)
    for (labels, value) in samples { sample(name, labels, "\(value)") }
  }

  /// Adds a histogram of seconds.
  mutating func add(_ name: String, _ help: String, _ histogram: LatencyHistogram) {
    begin(.histogram, name, help)
    for (bound, count) in zip(LatencyHistogram.bounds, histogram.cumulative) {
      sample("\(name)_bucket", [("le", bound.text)], "\(count)")
    }
    sample("\(name)_bucket", [("le", "+Inf")], "\(histogram.total)")
    sample("\(name)_sum", [], "\(histogram.seconds)")
    sample("\(name)_count", [], "\(histogram.total)")
  }

  private mutating func begin(_ kind: Kind, _ name: String, _ help: String) {
    text += "# HELP \(name) \(escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
  }

  private mutating func sample(_ name: String, _ labels: [(String, String)], _ value: String) {
    text += name
    if !labels.isEmpty {
      text += "{" + labels.map { "\($0)=\"\(escaped($1, quotes: true))\"" }.joined(separator: ",") + "}"
    }
    text += " \(value)\n"
  }

  private func escaped(_ text: String, quotes: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
