internal import Advertising
internal import AirProtocol
internal import JSON
internal import LatchkeyCrypto
internal import POSIX
internal import Provisioning

/// A site with one door and some holders, made by `latchkey-keys`, and the door's configuration.
///
/// Slots are short: what a new state of a holder has to wait for is soon over.
struct RoundTripSite {
  /// So many that none comes again while a challenge of its last command is shown, nor faster than a door takes.
  static let holders = 5
  let folder: ScratchDirectory
  private let site: ScratchDirectory
  /// Stands for /run/latchkey, which is in memory, too.
  private let volatile: ScratchDirectory
  let configurationPath: String
  let metricsPath: String
  private let beaconKey: BeaconKey

  /// - Parameters:
  ///   - programs: the directory of `latchkey-keys`.
  ///   - radio: the port of the door's controller.
  init(programs: String, radio: UInt16) throws {
    folder = try ScratchDirectory(prefix: "latchkey-bench")
    site = try ScratchDirectory(prefix: "latchkey-bench")
    volatile = try ScratchDirectory(prefix: "latchkey-bench", in: "/dev/shm")
    configurationPath = folder.path + "/latchkeyd.yaml"
    metricsPath = folder.path + "/metrics.prom"
    let path = site.path
    let keys = { (words: [String]) throws -> String in
      let process = try StartedProcess([programs + "/latchkey-keys"] + words + ["--site", path])
      _ = try process.read(until: "")
      let end = process.end(0)
      guard end == 0 else { throw BenchmarkError("latchkey-keys \(words) ended with \(end): \(process.output)") }
      return process.output
    }
    _ = try keys(["init", "--name", "Benchmark", "--timezone", "Etc/UTC", "--slot-seconds", "1"])
    _ = try keys(["door", "add", "front", "--name", "Front door"])
    for series in RoundTripSeries.allCases {
      for holder in 0..<Self.holders {
        _ = try keys([
          "issue", Self.holder(holder, series), "--holder", "Holder", "--doors", "front", "--commands", "unlock",
          "--freshness", series == .challenge ? "challenge" : "either", "--out",
          Self.credentialPath(folder, holder, series),
        ])
      }
    }
    _ = try keys(["export", "front", "--out", folder.path + "/front.bundle"])
    let key = try keys(["public-key"])
    let lines = [
      "radio: tcp:127.0.0.1:\(radio)", "site-key: \(key.prefix { !$0.isWhitespace })", "state: state.db",
      "volatile: \(volatile.path)", "clock: battery", "metrics: metrics.prom", "doors:", "  front:",
      "    bundle: front.bundle", "    lock: { dry-run: {} }", "    pulse: 300ms", "    freshness: either",
    ]
    try createFile(configurationPath, contents: Array((lines.joined(separator: "\n") + "\n").utf8))
    beaconKey = try CredentialFile.load(Self.credentialPath(folder, 0, .challenge)).siteKey.beaconKey()
  }

  /// What a holder is called; `DaemonEvents` knows it by the number at the end.
  private static func holder(_ number: Int, _ series: RoundTripSeries) -> String {
    "\(series.rawValue)-\("\(10_000_000 + number)".dropFirst())"
  }

  private static func credentialPath(_ folder: ScratchDirectory, _ number: Int, _ series: RoundTripSeries) -> String {
    "\(folder.path)/\(holder(number, series)).json"
  }

  func credentialPath(_ number: Int, _ series: RoundTripSeries) -> String {
    Self.credentialPath(folder, number, series)
  }

  /// Whether advertising data are a beacon of the site.
  func isBeacon(_ data: [UInt8]) -> Bool {
    var found = false
    FrameSearch.forEachFrame(in: data.span, markers: .standard) { frame, _ in
      if case .some(.some) = try? beaconKey.open(frame) { found = true }
    }
    return found
  }

  /// The mean of a histogram of the daemon's metrics, in seconds, as of its end.
  func mean(ofMetric name: String) throws -> Double {
    let text = String(decoding: try readFile(metricsPath, limit: 1 << 20), as: UTF8.self)
    let value = { (name: String) in
      text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        .flatMap { $0.split(separator: " ").last }.flatMap { Double($0) }
    }
    guard let sum = value(name + "_sum"), let count = value(name + "_count"), count > 0 else {
      throw BenchmarkError("the metrics have no \(name)")
    }
    return sum / count
  }
}

/// Under which freshness commands are sent.
enum RoundTripSeries: String, CaseIterable {
  case challenge
  case time
}
