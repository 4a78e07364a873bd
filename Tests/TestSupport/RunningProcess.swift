internal import CPOSIX
internal import Glibc
internal import POSIX

/// A process that goes on while the test looks at what it writes.
///
/// It ends at the latest when this value does, and with the test runner in any case. Keep it in a `Workbench`: an
/// object that nothing mentions any more may end before the end of its scope.
public final class RunningProcess: Sendable {
  /// What complaints call it.
  public let name: String
  /// Its process number; also that of its process group.
  public let identifier: Int32

  struct State: Sendable {
    var output = LineBuffer()
    var errors = LineBuffer()
    /// How many lines of stdout `line(…)` has passed.
    var seen = 0
    var status: ExitStatus?
  }

  let state: Monitor<State>
  private let input: Monitor<Int32?>

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - executable: an absolute path.
  ///   - environment: laid over the tests' own, from which `LATCHKEY_…` and `XDG_…` are taken out.
  ///   - directory: the working directory.
  public init(
    _ executable: String, _ arguments: [String] = [], environment: [String: String] = [:], directory: String = "/",
    name: String? = nil
  ) throws {
    guard isExecutable(executable) else { throw TestError("\(executable) isn't a program") }
    self.name = name ?? String(executable.split(separator: "/").last ?? "process")
    let stdin = try Pipe()
    let stdout = try Pipe()
    let stderr = try Pipe()
    identifier = try Spawner.shared.spawn(
      SpawnRequest(
        executable: executable, arguments: arguments, environment: childEnvironment(environment), directory: directory,
        standard: (stdin.reader.number, stdout.writer.number, stderr.writer.number)))
    let state = Monitor(State())
    self.state = state
    input = Monitor(stdin.writer.release())
    try drain(stdout.reader.release(), into: \.output)
    try drain(stderr.reader.release(), into: \.errors)
    let process = identifier
    _ = try Thread(name: "reaper") {
      // The number stays this process's until it is reaped, which happens under the lock that `signal` takes.
      var information = unsafe siginfo_t()
      while unsafe waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, Errno.current == .interrupted {}
      state.withLock { state in
        var status: Int32 = 0
        unsafe waitpid(process, &status, 0)
        state.status = ExitStatus(waitStatus: status)
      }
    }
  }

  deinit { stop() }

  /// Sends a signal to the process; nothing happens where it has ended already.
  public func signal(_ signal: TestSignal) {
    state.withLock(waking: false) { state in
      if state.status == nil { Glibc.kill(identifier, signal.rawValue) }
    }
  }

  /// Ends the process and its group by SIGKILL, if it still runs, and waits until it is gone.
  public func stop() {
    state.withLock(waking: false) { state in
      if state.status == nil { Glibc.kill(-identifier, SIGKILL) }
    }
    closeInput()
    _ = state.wait(until: .now() + .seconds(10)) { $0.status }
  }

  /// Whether it hasn't ended yet.
  public var isRunning: Bool { state.withLock(waking: false) { $0.status == nil } }

  /// Waits for its end.
  @discardableResult
  public func waitForExit(within limit: Duration = .seconds(20)) throws -> ExitStatus {
    guard let status = state.wait(until: .now() + limit, { $0.status }) else {
      throw TestError("\(name) still runs after \(limit)\n\(report)")
    }
    // What it wrote last may still be in the pipe. A child of its own may hold the pipe open: don't wait for ever.
    _ = state.wait(until: .now() + .seconds(2)) { $0.output.ended && $0.errors.ended ? true : nil }
    return status
  }

  /// Writes to its stdin.
  public func write(_ bytes: some Collection<UInt8>) throws {
    try input.withLock { number throws(Errno) in
      guard let open = number else { return }
      let descriptor = FileDescriptor(takingOwnershipOf: open)
      number = nil
      try descriptor.writeAll(bytes)
      number = descriptor.release()
    }
  }

  /// Closes its stdin.
  public func closeInput() {
    input.withLock { number in
      if let open = number { _ = Glibc.close(open) }
      number = nil
    }
  }

  /// What it wrote, for complaints.
  public var report: String {
    state.withLock(waking: false) { state in
      """
      \(name) (\(state.status.map(\.description) ?? "running"))
      --- stdout
      \(state.output.text)
      --- stderr
      \(state.errors.text)
      ---
      """
    }
  }

  private func drain(_ number: Int32, into buffer: any WritableKeyPath<State, LineBuffer> & Sendable) throws(Errno) {
    let state = state
    _ = try Thread(name: "drain") {
      let descriptor = FileDescriptor(takingOwnershipOf: number)
      while true {
        var bytes: [UInt8] = []
        do throws(Errno) { bytes = try descriptor.read(upTo: 65_536) } catch {}
        state.withLock { $0[keyPath: buffer].append(bytes) }
        if bytes.isEmpty { return }
      }
    }
  }
}

/// The tests' environment without what would steer our programs, and `changes` over it.
private func childEnvironment(_ changes: [String: String]) -> [String: String] {
  var environment: [String: String] = [:]
  var entry = unsafe environ
  while let text = unsafe entry.pointee {
    let parts = unsafe String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2, !parts[0].hasPrefix("LATCHKEY_"), !parts[0].hasPrefix("XDG_") {
      environment[String(parts[0])] = String(parts[1])
    }
    unsafe entry += 1
  }
  return environment.merging(changes) { $1 }
}
