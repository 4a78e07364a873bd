internal import POSIX

/// How long something took, counted by upper bounds, as Prometheus wants it.
///
/// Its memory is taken at the start; nothing is allocated when it counts.
package struct LatencyHistogram: Hashable, Sendable {
  /// The upper bounds, inclusive, in nanoseconds and as the text of seconds; the last bucket has none.
  static let bounds: [(nanoseconds: Int64, text: String)] = [
    (500_000, "0.0005"), (1_000_000, "0.001"), (2_500_000, "0.0025"), (5_000_000, "0.005"), (10_000_000, "0.01"),
    (25_000_000, "0.025"), (50_000_000, "0.05"), (100_000_000, "0.1"), (250_000_000, "0.25"), (500_000_000, "0.5"),
    (1_000_000_000, "1"), (2_500_000_000, "2.5"), (5_000_000_000, "5"),
  ]

  /// How many fell into each bucket alone, the one without a bound last.
  private var counts = [UInt64](repeating: 0, count: bounds.count + 1)
  /// All durations together, in nanoseconds.
  private var sum: Int64 = 0

  /// Counts one; a negative duration is none.
  mutating func count(_ duration: Duration) {
    let nanoseconds = max(0, duration.wholeNanoseconds)
    let bucket = Self.bounds.firstIndex { nanoseconds <= $0.nanoseconds } ?? Self.bounds.count
    counts[bucket] &+= 1
    let (added, overflow) = sum.addingReportingOverflow(nanoseconds)
    sum = overflow ? .max : added
  }

  /// How many were counted.
  var total: UInt64 { counts.reduce(0, &+) }

  /// All durations together, in seconds.
  var seconds: Double { Double(sum) / 1e9 }

  /// For each bound, how many were at most that long.
  var cumulative: [UInt64] {
    var total: UInt64 = 0
    return counts.dropLast().map { count in
      total &+= count
      return total
    }
  }
}
