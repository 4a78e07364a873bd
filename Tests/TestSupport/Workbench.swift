internal import POSIX

/// All that one test holds: a folder, processes, a radio.
///
/// Everything ends with `withWorkbench`, in reverse order.
public final class Workbench: Sendable {
  /// A folder of its own.
  public let directory: TemporaryDirectory

  private struct Held {
    var processes: [RunningProcess] = []
    var radios: [RootCanal] = []
    var noisy: [NoisyRadio] = []
  }

  private let held = Monitor(Held())

  fileprivate init() throws { directory = try TemporaryDirectory() }

  /// Starts a virtual radio.
  public func radio() throws -> RootCanal {
    let radio = try RootCanal()
    held.withLock { $0.radios.append(radio) }
    return radio
  }

  /// Lays a radio before another that can add noise.
  public func noisyRadio(before radio: RootCanal) throws -> NoisyRadio {
    let noisy = try NoisyRadio(before: radio)
    held.withLock { $0.noisy.append(noisy) }
    return noisy
  }

  /// Starts one of our programs and goes on.
  public func start(
    _ program: Program, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> RunningProcess {
    try start(executable: try program.path, arguments, environment: environment)
  }

  /// Starts any program and goes on.
  public func start(
    executable: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> RunningProcess {
    let process = try RunningProcess(executable, arguments, environment: environment, directory: directory.path)
    held.withLock { $0.processes.append(process) }
    return process
  }

  /// Runs one of our programs to its end, in the folder.
  public func run(
    _ program: Program, _ arguments: [String], environment: [String: String] = [:], stdin: String = "",
    within limit: Duration = .seconds(60)
  ) throws -> Outcome {
    try TestSupport.run(
      program, arguments, environment: environment, stdin: stdin, directory: directory.path, within: limit)
  }

  /// What every process wrote, for complaints.
  public var report: String { held.withLock(waking: false) { $0.processes }.map(\.report).joined(separator: "\n") }

  fileprivate func end() {
    let all = held.withLock { held in
      defer { held = Held() }
      return held
    }
    for process in all.processes.reversed() { process.stop() }
    for radio in all.noisy.reversed() { radio.end() }
    for radio in all.radios.reversed() { radio.kill() }
  }
}

/// Runs a test with a workbench that is cleared afterwards, whatever happened.
public func withWorkbench<Result>(_ body: (Workbench) throws -> Result) throws -> Result {
  let workbench = try Workbench()
  defer { workbench.end() }
  return try body(workbench)
}
