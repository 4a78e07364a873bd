internal import CBenchmark
internal import JSON
internal import POSIX
internal import RoundTrip
internal import Wording

/// From the start of `latchkey unlock` to its end, answered by `latchkeyd`, both on one virtual radio.
///
/// The programs are those that are released, without any hook: what took which time follows from the packets that pass
/// between each and its controller, from what the door tells, and from the process's start and end.
struct RoundTripBenchmarks {
  /// How long a holder that sends by challenge waits for a stronger beacon (docs/protocol.md).
  private static let choice = Duration.milliseconds(150)
  private static let terminate: Int32 = 15

  private let programs: String
  private let site: RoundTripSite
  private let doorTap: HCITap
  private let holderTap: HCITap
  private let daemon: StartedProcess
  private let events: DaemonEvents

  /// All measurements of this file.
  ///
  /// - Parameters:
  ///   - programs: the directory of the programs.
  ///   - air: the port of RootCanal.
  ///   - rounds: how many commands are measured under each kind of freshness.
  static func run(programs: String, air: UInt16, rounds: Int) throws -> [Measurement] {
    let bench = try RoundTripBenchmarks(programs: programs, air: air)
    let challenge = try bench.series(.challenge, rounds)
    let time = try bench.series(.time, rounds)
    let end = bench.daemon.end(terminate)
    guard end == 0 else { throw BenchmarkError("latchkeyd ended with \(end)") }
    let decided = try bench.site.mean(ofMetric: "latchkey_decision_latency_seconds") * 1_000
    let path = bench.site.folder.path + "/page"
    let durable = try Meter.medianDuration(rounds: 21) {
      let seconds = unsafe cbenchmark_durable_write(path)
      guard seconds >= 0 else { throw BenchmarkError("\(path): \(Errno.current)") }
      return .seconds(seconds)
    }
    let disk = Baseline(key: "durableWriteMs", value: durable / 1e6, unit: "ms")
    return challenge.measurements("roundTrip", disk) + [
      Measurement(key: "roundTripDecidedMs", value: decided, unit: "ms", credentials: RoundTripSite.holders)
    ] + time.measurements("roundTripByTime", disk)
  }

  private init(programs: String, air: UInt16) throws {
    self.programs = programs
    doorTap = try HCITap("door tap", to: air)
    holderTap = try HCITap("holder tap", to: air)
    site = try RoundTripSite(programs: programs, radio: doorTap.port)
    daemon = try StartedProcess([programs + "/latchkeyd", "run", "--config", site.configurationPath, "--json"])
    events = try DaemonEvents(of: daemon)
    try events.waitForRadio()
  }

  /// So many rounds behind one of each holder, which makes what only its first command makes.
  private func series(_ series: RoundTripSeries, _ rounds: Int) throws -> Outcome {
    var outcome = Outcome()
    for number in 0..<(RoundTripSite.holders + rounds) {
      do {
        let parts = try round(series, holder: number % RoundTripSite.holders)
        if number >= RoundTripSite.holders { outcome.rounds.append(parts) }
      } catch let error as IncompleteRound {
        outcome.failures += 1
        let counters = try events.counters()
        let note =
          "roundtrip: \(series), \(number): not seen: \(error)\nthe door has counted \(JSONValue.object(counters).text())\n"
          + "and told \(events.lastLines)\n"
        try StandardStream.error.writeAll(Array(note.utf8))
      }
    }
    guard outcome.rounds.count * 10 >= rounds * 9 else {
      throw BenchmarkError("\(rounds - outcome.rounds.count) of \(rounds) round trips failed")
    }
    return outcome
  }

  private func round(_ series: RoundTripSeries, holder: Int) throws -> RoundParts {
    // Anywhere between two beacons.
    cbenchmark_sleep_until((BootInstant.now() + .microseconds(Int.random(in: 0..<100_000))).nanoseconds)
    events.forgetGrants()
    events.forgetMovements()
    _ = holderTap.take()
    _ = doorTap.take()
    let started = BootInstant.now()
    let process = try StartedProcess([
      programs + "/latchkey", "unlock", "front", "--credential", site.credentialPath(holder, series), "--state",
      site.folder.path, "--radio", "tcp:127.0.0.1:\(holderTap.port)", "--freshness", series.rawValue, "--json",
    ])
    let end = process.end(0)
    let ended = BootInstant.now()
    _ = try process.read(until: "")
    let granted = events.grants(1, until: .now() + .milliseconds(100))[holder]
    let moved = events.moved(to: "open", until: .now() + .milliseconds(100))
    if moved != nil { _ = events.moved(to: "closed", until: .now() + .seconds(2)) }
    guard end == 0 else { throw IncompleteRound("the door's yes: exit \(end): \(process.output)") }
    guard let advert = Self.advert(process.output) else { throw IncompleteRound("what was sent") }
    let round = Round(
      started: started, ended: ended, holder: holderTap.take(), door: doorTap.take(), granted: granted, moved: moved,
      advert: advert, choice: series == .challenge ? Self.choice : .zero)
    return try RoundParts(round, isBeacon: site.isBeacon)
  }

  /// The advertising data that a holder tells.
  private static func advert(_ output: String) -> [UInt8]? {
    for line in output.split(separator: "\n") {
      guard let event = try? JSONValue(parsing: Array(line.utf8)), event["event"]?.string == "broadcast" else {
        continue
      }
      return event["advertisingData"]?.string.flatMap { Hexadecimal.bytes($0) }
    }
    return nil
  }

  /// What a series came to.
  private struct Outcome {
    var rounds: [RoundParts] = []
    var failures = 0

    func measurements(_ key: String, _ disk: Baseline) -> [Measurement] {
      var all = [
        measurement(key + "Ms") { $0.whole },
        measurement(key + "OursMs", target: 15) { $0.ours },
      ]
      for part in RoundPart.allCases {
        let name = part.rawValue.prefix(1).uppercased() + part.rawValue.dropFirst()
        var one = measurement(key + name + "Ms") { $0[part] }
        if part == .recorded { one.baseline = disk }
        all.append(one)
      }
      return all + [
        count(key + "SetUpCommands", rounds.map(\.setUpCommands.count).max() ?? 0),
        count(key + "Failures", failures, target: 0),
      ]
    }

    private func measurement(
      _ key: String, target: Double? = nil, _ value: (RoundParts) -> Duration
    ) -> Measurement {
      let values = rounds.map { value($0) / .milliseconds(1) }.sorted()
      return Measurement(
        key: key, value: values[values.count / 2], unit: "ms", credentials: RoundTripSite.holders, target: target,
        ninetieth: values[values.count * 9 / 10])
    }

    private func count(_ key: String, _ number: Int, target: Double? = nil) -> Measurement {
      Measurement(
        key: key, value: Double(number), unit: "", credentials: RoundTripSite.holders, target: target)
    }
  }
}
