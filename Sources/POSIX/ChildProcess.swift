internal import CPOSIX
internal import Glibc

/// How a process ended.
public enum ProcessEnd: Hashable, Sendable {
  /// By itself, with this exit code (0…255).
  case exited(Int32)
  /// By a signal.
  case signalled(Signal)
}

extension ProcessEnd: CustomStringConvertible {
  /// For example `exit code 1`, `SIGKILL`.
  public var description: String {
    switch self {
    case .exited(let code): "exit code \(code)"
    case .signalled(let signal): "\(signal)"
    }
  }
}

/// A program that this one started, in a process group of its own.
///
/// It reads nothing, and what it writes goes to this process's standard error, unless it is given descriptors. It ends at the
/// latest with this value: then the whole group is killed.
public struct ChildProcess: ~Copyable, Sendable {
  /// The number of the process and of its group; nobody else's until its end was seen.
  public let number: Int32
  /// How it ended, once that was seen.
  public private(set) var end: ProcessEnd?
  private let file: FileDescriptor

  /// The descriptor to wait on together with others: readable when the process has ended (pidfd_open(2)).
  public var descriptor: Int32 { file.number }

  /// Starts a program, looked up as execvpe(3) does, with default signal handling, nothing blocked, and no descriptors but the three.
  ///
  /// - Parameters:
  ///   - arguments: the program, looked up in this process's PATH where it has no slash, and what it is given.
  ///   - environment: all of the new process's environment, `NAME=value` each.
  ///   - directory: where it begins; nil: where this process is.
  ///   - endsWithParent: whether the kernel kills it when the calling thread ends, a `kill -9` of this process included
  ///     (PR_SET_PDEATHSIG of prctl(2)). What it starts itself isn't meant.
  ///   - input, output, errors: open descriptors for its standard streams.
  /// - Throws: `Errno.noEntry`, `.permissionDenied` and the like where it can't be started; `.invalidArgument` where
  ///   `arguments` is empty or a text holds a NUL.
  public init(
    _ arguments: [String], environment: [String], directory: String? = nil, endsWithParent: Bool = false,
    input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil
  ) throws(Errno) {
    let texts = arguments + environment + (directory.map { [$0] } ?? [])
    guard !arguments.isEmpty, !texts.contains(where: { $0.utf8.contains(0) }) else { throw .invalidArgument }
    let process = try systemCall {
      unsafe withCStrings(arguments) { argv in
        unsafe withCStrings(environment) { envp in
          unsafe withCStrings(directory.map { [$0] } ?? []) { directory in
            var program = unsafe cposix_program(
              arguments: argv, environment: envp, directory: directory[0], input: input ?? -1,
              output: output ?? STDERR_FILENO, errors: errors ?? STDERR_FILENO, ends_with_parent: endsWithParent ? 1 : 0
            )
            return unsafe cposix_start(&program)
          }
        }
      }
    }
    let watch: FileDescriptor
    do throws(Errno) {
      watch = FileDescriptor(takingOwnershipOf: try systemCall { cposix_pidfd_open(process) })
    } catch {
      _ = killGroup(process)
      throw error
    }
    file = watch
    number = process
  }

  deinit { if end == nil { _ = killGroup(number) } }

  /// Waits for the end of the process; what it started itself may go on after it.
  ///
  /// - Returns: how it ended; nil when the deadline passes first, and then it goes on.
  public mutating func wait(until deadline: BootInstant) throws(Errno) -> ProcessEnd? {
    if let end { return end }
    var poller = Poller([(file.number, .readable)])
    guard try poller.wait(until: deadline) else { return nil }
    end = try reap(number)
    return end
  }

  /// Ends the process and all of its group by SIGKILL, and waits for it; what it started is ended even where it has
  /// ended itself, as long as nobody saw that.
  @discardableResult
  public mutating func kill() -> ProcessEnd {
    if let end { return end }
    let end = killGroup(number)
    self.end = end
    return end
  }
}

/// Kills a group whose first process wasn't waited for yet, so that the number can't be another's.
private func killGroup(_ number: Int32) -> ProcessEnd {
  _ = Glibc.kill(-number, SIGKILL)
  do throws(Errno) { return try reap(number) } catch { return .signalled(.kill) }
}

private func reap(_ number: Int32) throws(Errno) -> ProcessEnd {
  var status: Int32 = 0
  try systemCall { unsafe waitpid(number, &status, 0) }
  return cposix_wifexited(status) != 0
    ? .exited(cposix_wexitstatus(status)) : .signalled(Signal(rawValue: cposix_wtermsig(status)))
}

/// Runs `body` with a null-terminated array of C strings, as exec(3) takes it.
private func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { unsafe strdup($0) }
  unsafe pointers.append(nil)
  defer { for index in strings.indices { unsafe free(pointers[index]) } }
  return unsafe body(&pointers)
}
