internal import POSIX

/// How much foreign air the whole daemon takes, from the controller's socket to the lock's order.
enum HallBenchmarks {
  /// Commands of each step, and how long one lasts.
  private static let commands = 1_000
  private static let step = Duration.seconds(5)
  /// Rates closer than this are the same.
  private static let precision = 1.05

  private static let searches = 3

  /// The figures of a hall; of several searches the one in the middle.
  static func run(programs: String, soakMinutes: Int) throws -> [Measurement] {
    let hall = try Hall(programs: programs)
    var best: [Hall.Outcome] = []
    for _ in 0..<searches { best.append(try search(hall)) }
    best.sort { $0.rate < $1.rate }
    let middle = best[best.count / 2]
    let memory = soakMinutes > 0 ? try soak(hall, rate: middle.rate / 2, minutes: soakMinutes) : []
    try hall.end()
    let p99 = best.map { $0.latency(percentile: 99) }
    return [
      Measurement(
        key: "hallAdvertsPerSecond", value: middle.rate, unit: "1/s", credentials: Hall.credentials, atLeast: 100_000,
        range: best[0].rate...best[best.count - 1].rate),
      Measurement(
        key: "hallAdvertsPerProcessorSecond", value: middle.advertsPerProcessorSecond, unit: "1/s",
        credentials: Hall.credentials),
      Measurement(
        key: "hallDecisionP50Ms", value: middle.latency(percentile: 50), unit: "ms", credentials: Hall.credentials),
      Measurement(
        key: "hallDecisionP99Ms", value: middle.latency(percentile: 99), unit: "ms", credentials: Hall.credentials,
        target: 5, range: (p99.min() ?? 0)...(p99.max() ?? 0)),
    ] + memory
  }

  /// The highest rate that is taken without a loss: doubled until it isn't, then halved in between.
  private static func search(_ hall: Hall) throws -> Hall.Outcome {
    var good: Hall.Outcome?
    var bad = Double.infinity
    var rate = 50_000.0
    while true {
      let outcome = try attempt(hall, rate)
      if outcome.isGood {
        good = outcome
        if bad / rate < precision { return outcome }
        rate = bad.isFinite ? (rate * bad).squareRoot() : rate * 2
      } else {
        bad = rate
        guard let good else {
          guard rate > 1_000 else { throw BenchmarkError("commands are lost whatever the rate") }
          rate /= 2
          continue
        }
        if bad / good.rate < precision { return good }
        rate = (good.rate * bad).squareRoot()
      }
    }
  }

  /// The daemon's memory after the first and the last minute, and how it rises from then on, by the least squares.
  private static func soak(_ hall: Hall, rate: Double, minutes: Int) throws -> [Measurement] {
    var kibibytes: [Double] = []
    for minute in 1...minutes {
      let outcome = try hall.play(rate: rate, for: .seconds(60), commands: commands)
      kibibytes.append(Double(hall.residentBytes) / 1_024)
      note("minute \(minute): \(Int(kibibytes[minute - 1])) KiB", outcome)
    }
    let middle = Double(minutes + 1) / 2
    let mean = kibibytes.reduce(0, +) / Double(minutes)
    let offsets = (1...minutes).map { Double($0) - middle }
    let square = offsets.reduce(0) { $0 + $1 * $1 }
    let slope = zip(offsets, kibibytes).reduce(0) { $0 + $1.0 * ($1.1 - mean) } / max(1, square)
    return [
      Measurement(
        key: "hallFirstMinuteKiB", value: kibibytes[0], unit: "KiB", credentials: Hall.credentials),
      Measurement(
        key: "hallLastMinuteKiB", value: kibibytes[minutes - 1], unit: "KiB", credentials: Hall.credentials,
        range: (kibibytes.min() ?? 0)...(kibibytes.max() ?? 0)),
      Measurement(key: "hallKiBPerMinute", value: slope, unit: "KiB/min", credentials: Hall.credentials),
    ]
  }

  /// Says on the error stream how it goes.
  private static func note(_ what: String, _ outcome: Hall.Outcome) {
    let text =
      "hall: \(what): \(Int(outcome.achievedRate)) adverts/s, \(Int(outcome.advertsPerProcessorSecond)) per processor second, "
      + "\(outcome.lost) commands lost, \(outcome.dropped) events dropped, p50 \(outcome.latency(percentile: 50)) ms, "
      + "p99 \(outcome.latency(percentile: 99)) ms\n"
    try? StandardStream.error.writeAll(Array(text.utf8))
  }

  /// A second chance: another program may have had the daemon's processor for a moment.
  private static func attempt(_ hall: Hall, _ rate: Double) throws -> Hall.Outcome {
    var outcome = try hall.play(rate: rate, for: step, commands: commands)
    note("wanted \(Int(rate))", outcome)
    if outcome.isGood { return outcome }
    outcome = try hall.play(rate: rate, for: step, commands: commands)
    note("wanted \(Int(rate)) again", outcome)
    return outcome
  }
}
