internal import CBenchmark
internal import JSON
internal import POSIX

/// What a daemon tells with `--json`, each line with the moment at which it was read.
final class DaemonEvents: Sendable {
  private struct State {
    /// By the number at the end of the credential's id.
    var granted: [Int: BootInstant] = [:]
    /// By the position that a lock has reached.
    var moved: [String: BootInstant] = [:]
    /// How often the daemon told its counters, and the last ones.
    var counterLines = 0
    var counters: JSONObject = [:]
    var radioIsOn = false
    var hasEnded = false
    /// The last lines, for complaints.
    var lines: [String] = []
  }

  private let state = Monitor(State())
  private let process: Int32

  /// Reads until the daemon ends.
  init(of process: StartedProcess) throws {
    self.process = process.number
    let state = state
    let source = process.source
    _ = try POSIX.Thread(name: "events") {
      var held: [UInt8] = []
      while let bytes = try? source.read(), !bytes.isEmpty {
        let arrival = BootInstant.now()
        held += bytes
        var start = 0
        while let end = held[start...].firstIndex(of: 0x0A) {
          let line = Array(held[start..<end])
          start = end + 1
          state.withLock { Self.take(line, arrival, &$0) }
        }
        held.removeFirst(start)
      }
      state.withLock { $0.hasEnded = true }
    }
  }

  /// Waits until it scans.
  func waitForRadio() throws {
    guard state.wait(until: .now() + .seconds(20), { $0.radioIsOn ? true : nil }) != nil else {
      throw complaint("the radio isn't on")
    }
  }

  /// The grants since they were last forgotten, once there are so many or the moment has come.
  func grants(_ count: Int, until deadline: BootInstant) -> [Int: BootInstant] {
    state.wait(until: deadline) { $0.granted.count >= count || $0.hasEnded ? $0.granted : nil }
      ?? state.withLock { $0.granted }
  }

  func forgetGrants() { state.withLock { $0.granted = [:] } }

  /// When a lock last got there, since movements were last forgotten; nil: it didn't until the deadline.
  func moved(to position: String, until deadline: BootInstant) -> BootInstant? {
    state.wait(until: deadline) { $0.moved[position] }
  }

  func forgetMovements() { state.withLock { $0.moved = [:] } }

  /// What it has counted by now.
  func counters() throws -> JSONObject {
    let lines = state.withLock { $0.counterLines }
    // SIGUSR1
    cbenchmark_signal(process, 10)
    let counters = state.wait(until: .now() + .seconds(10)) { $0.counterLines > lines ? $0.counters : nil }
    guard let counters else { throw complaint("no counters") }
    return counters
  }

  /// What it told last, for complaints.
  var lastLines: String { state.withLock { $0.lines }.joined(separator: "\n") }

  private func complaint(_ what: String) -> BenchmarkError {
    BenchmarkError("latchkeyd: \(what): \(lastLines)")
  }

  private static func take(_ line: [UInt8], _ arrival: BootInstant, _ state: inout State) {
    state.lines = state.lines.suffix(5) + [String(decoding: line, as: UTF8.self)]
    guard let event = try? JSONValue(parsing: line) else { return }
    switch event["event"]?.string {
    case "granted":
      guard let number = event["credential"]?.string.flatMap({ Int($0.suffix(7)) }) else { return }
      state.granted[number] = arrival
    case "lock":
      if let position = event["state"]?.string { state.moved[position] = arrival }
    case "counters":
      state.counterLines += 1
      state.counters = event["counters"]?.object ?? [:]
    case "radio": state.radioIsOn = state.radioIsOn || event["state"]?.string == "on"
    default: break
    }
  }
}
