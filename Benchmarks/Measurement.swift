internal import CMallocCount
internal import POSIX

/// One line of the table.
struct Measurement {
  /// The key in the JSON output.
  let key: String
  let value: Double
  /// `ns`, `ms`, `bytes`, `count`.
  let unit: String
  /// At how many credentials it was taken.
  let credentials: Int
}

/// Measures and prints; a benchmark takes several rounds and reports the median, which a busy machine moves least.
enum Meter {
  /// The median of the rounds' durations, in nanoseconds.
  static func median(rounds: Int, _ body: () throws -> Void) rethrows -> Double {
    var times: [Double] = []
    for _ in 0..<max(1, rounds) {
      let start = BootInstant.now()
      try body()
      times.append(Double((BootInstant.now() - start).wholeNanoseconds))
    }
    return times.sorted()[times.count / 2]
  }

  /// How often this thread allocates while `body` runs.
  static func allocations(_ body: () throws -> Void) rethrows -> Int {
    let before = cmalloccount_calls()
    try body()
    return Int(cmalloccount_calls() - before)
  }

  /// Bytes of this process in memory.
  static var residentBytes: Int { Int(cmalloccount_resident()) }
}
