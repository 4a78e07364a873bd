internal import AccessControl
internal import AirProtocol
internal import LatchkeyCrypto
internal import POSIX
internal import Provisioning

/// The programs as whole processes, as they lie beside this one.
struct ProcessBenchmarks {
  private static let terminate: Int32 = 15

  /// All measurements of this file.
  ///
  /// - Parameters:
  ///   - programs: the directory of `latchkeyd` and `latchkey`.
  ///   - credentials: how many the daemon's bundle has.
  static func run(programs: String, credentials: Int) throws -> [Measurement] {
    // The least that a process can cost.
    let nothing = try median(rounds: 21, ["/bin/true"])
    let baseline = Baseline(key: "emptyProcessMs", value: nothing / 1e6, unit: "ms")
    return [
      try daemonStart(programs + "/latchkeyd", credentials, baseline), try payload(programs + "/latchkey", baseline),
    ]
  }

  /// `daemonStartMs`: from exec to the event that says that it scans, which its controller was told by then.
  ///
  /// The first start, which makes the ledger, isn't counted.
  private static func daemonStart(_ program: String, _ credentials: Int, _ baseline: Baseline) throws -> Measurement {
    let door = try LargeDoor(credentials: credentials)
    let controller = try ScriptedController(path: door.folder.path + "/radio")
    let once = { () throws -> Duration in
      let scans = controller.scanCount
      let start = BootInstant.now()
      let process = try StartedProcess([program, "run", "--config", door.configurationPath, "--json"])
      let isOn = try process.read(until: #""event":"radio","state":"on""#)
      let duration = BootInstant.now() - start
      guard isOn, controller.scanCount == scans + 1 else {
        throw BenchmarkError("\(program) ended with \(process.end(terminate)): \(process.output)")
      }
      guard process.end(terminate) == 0 else { throw BenchmarkError("\(program) didn't end well: \(process.output)") }
      return duration
    }
    _ = try once()
    return Measurement(
      key: "daemonStartMs", value: try Meter.medianDuration(rounds: 7, once) / 1e6, unit: "ms",
      credentials: credentials, target: 1_000, baseline: baseline)
  }

  /// `payloadProcessMs`: a frame for one door, from a credential file to JSON, and the process's end.
  private static func payload(_ program: String, _ baseline: Baseline) throws -> Measurement {
    let door = try LargeDoor.door()
    guard let siteKey = SiteKey(try SystemRandom.bytes(SiteKey.size)), let id = Identifier("holder"),
      let secret = CredentialSecret(try SystemRandom.bytes(CredentialSecret.size))
    else { throw BenchmarkError("no credential") }
    let folder = try ScratchDirectory(prefix: "latchkey-bench")
    let path = folder.path + "/holder.json"
    let file = CredentialFile(
      site: try LargeDoor.site(), siteKey: siteKey, id: id, secret: secret,
      doors: [
        CredentialFile.Door(
          id: door.id, name: try DisplayName("Front door"), number: door.number, freshness: .time, commands: [.unlock])
      ])
    try createFile(path, contents: file.encoded())
    let arguments = [
      program, "payload", "front", "--credential", path, "--command", "unlock", "--at", "2026-01-01T00:00:00Z",
      "--sequence", "0", "--press", "00",
    ]
    let time = try median(rounds: 21, arguments, expecting: "uuid128")
    withExtendedLifetime(folder) {}
    return Measurement(
      key: "payloadProcessMs", value: time / 1e6, unit: "ms", credentials: 1, target: 25, baseline: baseline)
  }

  /// The median of whole processes, from exec to exit, in nanoseconds.
  private static func median(rounds: Int, _ arguments: [String], expecting text: String = "") throws -> Double {
    try Meter.median(rounds: rounds) {
      let process = try StartedProcess(arguments)
      let isThere = try process.read(until: text) || text.isEmpty
      let end = process.end(0)
      guard end == 0, isThere else { throw BenchmarkError("\(arguments[0]) ended with \(end): \(process.output)") }
    }
  }
}
