internal import POSIX

/// All that one test holds: a folder, processes, an air.
///
/// Everything ends with `withWorkbench`, in reverse order.
public final class Workbench: Sendable {
  /// A folder of its own.
  public let directory: TemporaryDirectory

  private struct Held {
    var processes: [RunningProcess] = []
    var airs: [any VirtualAir] = []
    var noisy: [NoisyRadio] = []
  }

  private let held = Monitor(Held())

  fileprivate init() throws { directory = try TemporaryDirectory() }

  /// Starts RootCanal, for what needs this very program.
  public func rootCanal() throws -> RootCanal {
    let radio = try RootCanal()
    held.withLock { $0.airs.append(radio) }
    return radio
  }

  /// Starts the air that the environment names.
  public func air() throws -> any VirtualAir {
    let air = try AirKind.current.make(in: directory)
    held.withLock { $0.airs.append(air) }
    return air
  }

  /// A radio on an air that can add noise.
  public func noise(on air: any VirtualAir) throws -> any NoiseSource {
    if let noise = air as? any NoiseSource { return noise }
    guard let radio = air as? RootCanal else { throw TestError("no way to be noisy there") }
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
    for air in all.airs.reversed() { air.kill() }
  }
}

/// Runs a test with a workbench that is cleared afterwards, whatever happened.
public func withWorkbench<Result>(_ body: (Workbench) throws -> Result) throws -> Result {
  let workbench = try Workbench()
  defer { workbench.end() }
  return try body(workbench)
}
