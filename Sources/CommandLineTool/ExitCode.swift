/// How a command ended, as scripts see it (docs/cli.md, "exit").
public enum ExitCode: Int32, Sendable {
  /// Done; for a command with an answer awaited: the door says it is done.
  case done = 0
  /// The check, diff or verification asked for says "no".
  case no = 1
  /// Wrong usage, unknown id, or something that isn't built yet.
  case usage = 2
  /// Denied by the door.
  case denied = 3
  /// No answer from the door in time.
  case noAnswer = 4
  /// The radio isn't usable.
  case radio = 5
  /// A bad input file.
  case badInput = 65
  /// The lock hardware failed.
  case lockFailed = 69
  /// Can't write: disk full, read-only.
  case cantWrite = 73
  /// Busy: another process holds this state, or the clock is wrong; try later.
  case busy = 75
  /// No permission; the message names the capability or the file mode.
  case permission = 77
}

/// Why a command can't go on: one line for the person, one number for the script.
public struct CommandError: Error, Hashable, Sendable {
  /// What the process exits with.
  public let exit: ExitCode
  /// One line that names the file, line, field or option, and what was expected.
  public let message: String

  public init(_ exit: ExitCode, _ message: String) {
    self.exit = exit
    self.message = message
  }

  /// Wrong usage or an unknown id: exit 2.
  public static func usage(_ message: String) -> CommandError { CommandError(.usage, message) }

  /// Something of the contract that this version doesn't do: exit 2, never accepted in silence.
  ///
  /// - Parameter what: the option or command as it was written, for example `--freshness challenge`.
  public static func notBuilt(_ what: String) -> CommandError { CommandError(.usage, "\(what): not built yet") }
}
