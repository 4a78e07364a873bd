internal import CBenchmark
internal import POSIX

/// Takes several rounds of everything and reports the median, which a busy machine moves least.
enum Meter {
  /// The median of the rounds' durations, in nanoseconds.
  static func median(rounds: Int, _ body: () throws -> Void) rethrows -> Double {
    try medianDuration(rounds: rounds) {
      let start = BootInstant.now()
      try body()
      return BootInstant.now() - start
    }
  }

  /// The median of the durations that the rounds report, in nanoseconds.
  static func medianDuration(rounds: Int, _ body: () throws -> Duration) rethrows -> Double {
    var times: [Double] = []
    for _ in 0..<max(1, rounds) { times.append(Double(try body().wholeNanoseconds)) }
    return times.sorted()[times.count / 2]
  }

  /// How often this thread allocates while `body` runs.
  static func allocations(_ body: () throws -> Void) rethrows -> Int {
    let before = cbenchmark_allocations()
    try body()
    return Int(cbenchmark_allocations() - before)
  }

  /// Bytes of this process in memory.
  static var residentBytes: Int { Int(cbenchmark_resident()) }
}
