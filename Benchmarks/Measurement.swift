internal import JSON

/// One line of the table.
struct Measurement {
  /// The key in the JSON output; its ending is the unit.
  let key: String
  let value: Double
  let unit: String
  /// At how many credentials it was taken.
  let credentials: Int
  /// No more than this is good; nil where it is only shown.
  var target: Double?
  /// No less than this is good.
  var atLeast: Double?
  /// The least and the most of several runs, where the value is the one in the middle.
  var range: ClosedRange<Double>?
  /// What nine of ten runs don't exceed, where the value is their median.
  var ninetieth: Double?
  /// What the value is compared with.
  var baseline: Baseline?

  var meetsTarget: Bool { (target.map { value <= $0 } ?? true) && (atLeast.map { value >= $0 } ?? true) }

  /// How many times the baseline it is.
  var ratio: Double? { baseline.flatMap { $0.value > 0 ? value / $0.value : nil } }
}

/// Something simple, measured in the same run, by which numbers of different machines can be compared.
struct Baseline {
  let key: String
  let value: Double
  let unit: String
}

/// Why a benchmark would have measured something else than it was meant to.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension [Measurement] {
  /// For people.
  var table: String {
    let rows = map { measurement in
      [
        measurement.key, measurement.value.short, measurement.unit, measurement.credentials.grouped,
        measurement.limit, measurement.verdict, measurement.comparison,
      ]
    }
    let head = ["key", "value", "unit", "credentials", "target", "", "against"]
    let lines = [head] + rows
    let widths = head.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    let right: Set = [1, 3, 4]
    return lines.map { line in
      let cells = zip(line, widths).enumerated().map { index, cell in
        let padding = String(repeating: " ", count: cell.1 - cell.0.count)
        return right.contains(index) ? padding + cell.0 : cell.0 + padding
      }
      return cells.joined(separator: "  ").trimmingEnd
    }.joined(separator: "\n")
  }

  /// For programs: every key with its number, then the baselines and the ratios to them.
  var json: JSONValue {
    var object: JSONObject = [:]
    var baselines: JSONObject = [:]
    var ratios: JSONObject = [:]
    var targets: JSONObject = [:]
    var ranges: JSONObject = [:]
    var ninetieths: JSONObject = [:]
    for measurement in self {
      object[measurement.key] = .real(measurement.value.rounded(to: 3))
      if let baseline = measurement.baseline { baselines[baseline.key] = .real(baseline.value.rounded(to: 3)) }
      if let ratio = measurement.ratio { ratios[measurement.key] = .real(ratio.rounded(to: 3)) }
      if let most = measurement.target { targets[measurement.key] = ["atMost": .real(most)] }
      if let least = measurement.atLeast { targets[measurement.key] = ["atLeast": .real(least)] }
      if let range = measurement.range {
        ranges[measurement.key] = [.real(range.lowerBound.rounded(to: 3)), .real(range.upperBound.rounded(to: 3))]
      }
      if let ninetieth = measurement.ninetieth { ninetieths[measurement.key] = .real(ninetieth.rounded(to: 3)) }
    }
    object["baselines"] = .object(baselines)
    object["ratios"] = .object(ratios)
    object["targets"] = .object(targets)
    object["ranges"] = .object(ranges)
    object["p90"] = .object(ninetieths)
    return .object(object)
  }
}

extension Measurement {
  fileprivate var limit: String { target.map { "≤ \($0.short)" } ?? atLeast.map { "≥ \($0.short)" } ?? "" }

  fileprivate var verdict: String { limit.isEmpty ? "" : meetsTarget ? "met" : "MISSED" }

  /// What it is measured against, or how it spread.
  fileprivate var comparison: String {
    if let baseline, let ratio { return "\(ratio.short) × \(baseline.key) (\(baseline.value.short) \(baseline.unit))" }
    if let ninetieth { return "p90 \(ninetieth.short)" }
    return range.map { "\($0.lowerBound.short) … \($0.upperBound.short) of several runs" } ?? ""
  }
}

extension Double {
  /// Three digits that count, or all before the point.
  fileprivate var short: String {
    if self == rounded() { return "\(Int(clamping: Int64(self)))" }
    let places = magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : magnitude >= 1 ? 2 : 3
    return places == 0 ? "\(Int64(rounded()))" : "\(rounded(to: places))"
  }

  fileprivate func rounded(to places: Int) -> Double {
    let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
    return (self * scale).rounded() / scale
  }
}

extension Int {
  /// With commas between groups of three digits.
  fileprivate var grouped: String {
    self < 1_000 ? "\(self)" : (self / 1_000).grouped + "," + "\(self % 1_000 + 1_000)".dropFirst()
  }
}

extension String {
  fileprivate var trimmingEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
