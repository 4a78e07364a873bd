public import JSON
public import POSIX
internal import Synchronization
internal import Wording

/// Where bytes go: a standard stream, or a test's buffer.
public struct Sink: Sendable {
  let write: @Sendable ([UInt8]) throws(Errno) -> Void
  /// Whether it is a terminal, which understands movements of the cursor.
  let isTerminal: Bool

  /// - Parameter write: takes all of the bytes or throws.
  public init(isTerminal: Bool = false, _ write: @escaping @Sendable ([UInt8]) throws(Errno) -> Void) {
    self.write = write
    self.isTerminal = isTerminal
  }

  /// The process's standard output.
  public static var standardOutput: Sink {
    Sink(isTerminal: StandardStream.output.terminalRows != nil, StandardStream.output.writeAll)
  }
  /// The process's standard error.
  public static var standardError: Sink { Sink(StandardStream.error.writeAll) }
}

/// What a command tells: text for people, JSON lines for programs; several threads may use it.
///
/// Without `--json` people read standard output; with it standard output holds one JSON object a line and nothing
/// else, and people read standard error.
public final class Output: Sendable {
  /// Whether `--json` was given.
  public let json: Bool
  /// Whether people watch it on a terminal, where text may be drawn anew: standard output is one, without `--json`.
  public var isLive: Bool { !json && standardOutput.isTerminal }
  private let standardOutput: Sink
  private let standardError: Sink
  private let failure = Mutex<Errno?>(nil)

  public init(json: Bool, _ standardOutput: Sink = .standardOutput, _ standardError: Sink = .standardError) {
    self.json = json
    self.standardOutput = standardOutput
    self.standardError = standardError
  }

  /// Text for people, on standard output, or on standard error with `--json`.
  public func say(_ text: String, terminator: String = "\n") {
    write(text + terminator, to: json ? standardError : standardOutput, counts: !json)
  }

  /// A line for people that isn't the result (a warning, progress): always on standard error, made printable.
  public func note(_ text: String) {
    // An argument of a megabyte is quoted by its ends.
    write(text.shortened(to: 2_000).printable + "\n", to: standardError, counts: false)
  }

  /// A line for programs: written where `--json` was given only.
  public func emit(_ value: @autoclosure () -> JSONValue) {
    if json { write(value().text() + "\n", to: standardOutput, counts: true) }
  }

  /// A result that is JSON for people as well: always on standard output.
  public func print(_ value: JSONValue) { write(value.text() + "\n", to: standardOutput, counts: true) }

  /// The exit code, unless standard output couldn't be written; a closed pipe is no failure.
  func finished(_ code: ExitCode) throws(CommandError) -> ExitCode {
    guard let errno = failure.withLock({ $0 }), code == .done else { return code }
    throw CommandError(.cantWrite, "can't write standard output: \(errno)")
  }

  private func write(_ text: String, to sink: Sink, counts: Bool) {
    // One lock for both, so that lines of several threads don't mix on a terminal.
    failure.withLock { failure in
      do throws(Errno) { try sink.write(Array(text.utf8)) } catch {
        if counts, error != .brokenPipe { failure = error }
      }
    }
  }
}
