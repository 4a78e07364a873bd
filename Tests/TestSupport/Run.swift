internal import POSIX

/// What a program that ran to its end left.
public struct Outcome: Sendable, CustomStringConvertible {
  /// Exit code, or 128 + signal.
  public let exit: Int32
  public let stdout: String
  public let stderr: String
  /// What was run, for complaints.
  public let command: String

  /// stdout cut into its lines.
  public var lines: [String] { stdout.split(separator: "\n").map(String.init) }

  public var description: String { "\(command)\nexit \(exit)\n--- stdout\n\(stdout)\n--- stderr\n\(stderr)\n---" }

  /// Itself where the exit code is as wanted, an error that shows everything otherwise.
  @discardableResult
  public func expecting(exit wanted: Int32) throws -> Outcome {
    guard exit == wanted else { throw TestError("expected exit \(wanted)\n\(self)") }
    return self
  }
}

/// Runs one of our programs to its end.
///
/// - Parameter limit: after this it is killed and the test fails.
public func run(
  _ program: Program, _ arguments: [String] = [], environment: [String: String] = [:], stdin: String = "",
  directory: String = "/", within limit: Duration = .seconds(60)
) throws -> Outcome {
  try run(
    executable: try program.path, arguments, environment: environment, stdin: stdin, directory: directory,
    within: limit)
}

/// Runs any program to its end.
public func run(
  executable: String, _ arguments: [String] = [], environment: [String: String] = [:], stdin: String = "",
  directory: String = "/", within limit: Duration = .seconds(60)
) throws -> Outcome {
  let process = try RunningProcess(executable, arguments, environment: environment, directory: directory)
  // A program that doesn't read its stdin may be gone by now: that isn't this test's matter.
  if !stdin.isEmpty { do { try process.write(Array(stdin.utf8)) } catch {} }
  process.closeInput()
  let status = try process.waitForExit(within: limit)
  return process.state.withLock(waking: false) { state in
    Outcome(
      exit: status.code, stdout: state.output.text, stderr: state.errors.text,
      command: ([process.name] + arguments).joined(separator: " "))
  }
}
