import TestSupport

/// Reads Prometheus's exposition format 0.0.4 strictly: what a collector would let pass with a shrug is an error here.
struct ExpositionValidator {
  /// A sample: its whole name with labels, as it stands.
  private(set) var samples: [String: Double] = [:]
  private(set) var types: [String: String] = [:]
  private var family: String?
  private var helped: Set<String> = []
  private var bounds: [Double] = []
  private var counts: [Double] = []

  init(_ text: String) throws {
    guard text.utf8.last == UInt8(ascii: "\n") else { throw TestError("no line break at the end") }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      do { try take(line) } catch { throw TestError("\(error) in: \(line)") }
    }
    try endFamily()
  }

  func value(_ series: String) -> Double? { samples[series] }

  private mutating func take(_ line: Substring) throws {
    if line.hasPrefix("# HELP ") {
      try endFamily()
      let parts = line.dropFirst(7).split(separator: " ", maxSplits: 1)
      guard parts.count == 2, isName(parts[0]), helped.insert(String(parts[0])).inserted else {
        throw TestError("a HELP that is none, or the second")
      }
      family = String(parts[0])
    } else if line.hasPrefix("# TYPE ") {
      let parts = line.dropFirst(7).split(separator: " ", omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0] == family ?? "", types[String(parts[0])] == nil,
        ["counter", "gauge", "histogram"].contains(parts[1])
      else { throw TestError("a TYPE that doesn't follow its HELP") }
      types[String(parts[0])] = String(parts[1])
    } else {
      try takeSample(line)
    }
  }

  private mutating func takeSample(_ line: Substring) throws {
    guard let space = line.lastIndex(of: " "), let family, let type = types[family] else {
      throw TestError("a sample without a family")
    }
    let series = line[..<space]
    guard let value = number(line[line.index(after: space)...]) else { throw TestError("no number") }
    guard samples.updateValue(value, forKey: String(series)) == nil else { throw TestError("a second sample") }
    let name = series.prefix { $0 != "{" }
    let labels = try labels(series.dropFirst(name.count))
    guard isName(name) else { throw TestError("no name") }
    switch type {
    case "counter":
      guard name == family, name.hasSuffix("_total"), value >= 0, value.isFinite else { throw TestError("no counter") }
    case "gauge":
      guard name == family, !name.hasSuffix("_total") else { throw TestError("no gauge") }
    default:
      switch name.dropFirst(family.count) {
      case "_bucket":
        guard let bound = labels["le"].flatMap({ number($0[...]) }) else { throw TestError("a bucket without a bound") }
        bounds.append(bound)
        counts.append(value)
      case "_sum", "_count": guard labels.isEmpty else { throw TestError("labels of a histogram's total") }
      default: throw TestError("not of this histogram")
      }
    }
  }

  private mutating func endFamily() throws {
    defer { (family, bounds, counts) = (nil, [], []) }
    guard let family else { return }
    guard types[family] != nil, samples.keys.contains(where: { $0.hasPrefix(family) }) else {
      throw TestError("\(family): a family without type or samples")
    }
    guard types[family] == "histogram" else { return }
    guard bounds == bounds.sorted(), Set(bounds).count == bounds.count, bounds.last == .infinity,
      counts == counts.sorted(), samples["\(family)_count"] == counts.last, samples["\(family)_sum"] != nil
    else { throw TestError("\(family): buckets that don't add up") }
  }

  /// `{name="value",…}` or nothing.
  private func labels(_ text: Substring) throws -> [String: String] {
    if text.isEmpty { return [:] }
    var rest = text.dropFirst()
    var result: [String: String] = [:]
    while true {
      let name = rest.prefix { $0 != "=" }
      rest = rest.dropFirst(name.count)
      guard isName(name), !name.contains(":"), rest.hasPrefix("=\"") else { throw TestError("no label") }
      rest = rest.dropFirst(2)
      var value = ""
      while let character = rest.popFirst(), character != "\"" {
        guard character == "\\" else {
          value.append(character)
          continue
        }
        guard let escaped = rest.popFirst().flatMap({ ["\\": "\\", "n": "\n", "\"": "\""][$0] }) else {
          throw TestError("an escape that is none")
        }
        value += escaped
      }
      guard result.updateValue(value, forKey: String(name)) == nil else { throw TestError("a label twice") }
      switch rest.popFirst() {
      case ",": continue
      case "}" where rest.isEmpty: return result
      default: throw TestError("labels without an end")
      }
    }
  }

  private func isName(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case 0x30...0x39, UInt8(ascii: "_"), UInt8(ascii: ":"): true
      default: false
      }
    }
  }

  private func number(_ text: Substring) -> Double? {
    switch text {
    case "+Inf": return .infinity
    case "-Inf": return -.infinity
    case "NaN": return .nan
    default:
      guard let first = text.utf8.first, (0x30...0x39).contains(first) || first == UInt8(ascii: "-") else { return nil }
      return Double(text)
    }
  }
}
