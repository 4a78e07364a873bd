internal import AccessControl
internal import AirProtocol
internal import CBenchmark
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
    let folder = try ScratchDirectory(prefix: "latchkey-bench")
    // The least that a process can cost.
    let nothing = try median(rounds: 21, ["/bin/true"], output: folder.path + "/true.log")
    let baseline = Baseline(key: "emptyProcessMs", value: nothing / 1e6, unit: "ms")
    return [
      try daemonStart(programs + "/latchkeyd", credentials, baseline),
      try payload(programs + "/latchkey", folder.path, baseline),
    ]
  }

  /// `daemonStartMs`: from exec to the controller's being told to scan.
  ///
  /// The first start, which makes the ledger, isn't counted.
  private static func daemonStart(_ program: String, _ credentials: Int, _ baseline: Baseline) throws -> Measurement {
    let door = try LargeDoor(credentials: credentials)
    let controller = try ScriptedController(path: door.folder.path + "/radio")
    let log = door.folder.path + "/daemon.log"
    let once = { () throws -> Duration in
      let scans = controller.scanCount
      let start = BootInstant.now()
      let process = try self.start([program, "run", "--config", door.configurationPath], output: log)
      let scan = controller.scan(scans)
      let end = cbenchmark_end(process, terminate)
      guard let scan, end == 0 else { throw BenchmarkError("\(program) ended with \(end): \(try text(log))") }
      return scan - start
    }
    _ = try once()
    return Measurement(
      key: "daemonStartMs", value: try Meter.medianDuration(rounds: 7, once) / 1e6, unit: "ms",
      credentials: credentials,
      target: 1_000, baseline: baseline)
  }

  /// `payloadProcessMs`: a frame for one door, from a credential file to JSON, and the process's end.
  private static func payload(_ program: String, _ folder: String, _ baseline: Baseline) throws -> Measurement {
    let door = try LargeDoor.door()
    guard let siteKey = SiteKey(try SystemRandom.bytes(SiteKey.size)), let id = Identifier("holder"),
      let secret = CredentialSecret(try SystemRandom.bytes(CredentialSecret.size))
    else { throw BenchmarkError("no credential") }
    let path = folder + "/holder.json"
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
    return Measurement(
      key: "payloadProcessMs", value: try median(rounds: 21, arguments, output: folder + "/payload.log") / 1e6,
      unit: "ms", credentials: 1, target: 25, baseline: baseline)
  }

  /// The median of whole processes, from exec to exit, in nanoseconds.
  private static func median(rounds: Int, _ arguments: [String], output: String) throws -> Double {
    try Meter.median(rounds: rounds) {
      let end = cbenchmark_end(try start(arguments, output: output), 0)
      guard end == 0 else { throw BenchmarkError("\(arguments[0]) ended with \(end): \(try text(output))") }
    }
  }

  private static func start(_ arguments: [String], output: String) throws -> Int32 {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { text in
      let bytes = Array(text.utf8CString)
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
      unsafe copy.initialize(from: bytes, count: bytes.count)
      return unsafe copy
    }
    unsafe pointers.append(nil)
    defer { for index in arguments.indices { unsafe pointers[index]?.deallocate() } }
    let process = unsafe cbenchmark_start(&pointers, output)
    guard process >= 0 else { throw BenchmarkError("\(arguments[0]): \(Errno.current)") }
    return process
  }

  private static func text(_ path: String) throws -> String {
    String(decoding: try readFile(path, limit: 1 << 20), as: UTF8.self)
  }
}
