public import POSIX

/// The two programs that move a lock.
public struct LockCommands: Hashable, Sendable {
  /// The program and its arguments that open the lock and leave it open.
  public let unlock: [String]
  /// The same for closing it; run at the start, at the end of each opening, and again until it succeeds.
  public let lock: [String]
  /// How long each may take before it is killed.
  public let timeLimit: Duration
  /// Where they begin.
  public let directory: String

  public init(unlock: [String], lock: [String], timeLimit: Duration = .seconds(5), directory: String = "/") {
    self.unlock = unlock
    self.lock = lock
    self.timeLimit = timeLimit
    self.directory = directory
  }
}

/// A lock that two programs move; exit code 0 means that it stands where it should.
///
/// Each runs in a process group of its own, which is killed whole when it is late or no longer wanted; the first program
/// ends with this process as well, however that comes about. It reads nothing; what it writes is reported, line by line.
/// No shell is between. Its environment is this, and nothing else:
/// - `PATH`: the system's folders, whatever this process has;
/// - `LATCHKEY_ACTION`: `unlock` or `lock`;
/// - `LATCHKEY_DOOR`: the door's id;
/// - `LATCHKEY_EVENT`, `LATCHKEY_CREDENTIAL`, `LATCHKEY_HOLDER`: the ledger's event, credential's id and holder's name of the
///   command that the movement belongs to, as far as there are such.
public final class CommandLock: Lock {
  private let driver: LockDriver

  /// - Parameters:
  ///   - name: the door's id.
  ///   - report: called on the lock's thread for each movement and failure, the closing at the start among them.
  /// - Throws: where the system gives no thread.
  public init(name: String, _ commands: LockCommands, report: @escaping LockReporter) throws(Errno) {
    driver = try LockDriver(name: name, Programs(door: name, commands: commands), report)
  }

  /// A lock that nobody holds any more is stopped.
  deinit { driver.stop() }

  public func open(until: BootInstant?, for cause: LockCause?) { driver.open(until: until, for: cause) }

  public func letOut(until: BootInstant) { driver.letOut(until: until) }

  public func close(for cause: LockCause?, endingExitsBy known: BootInstant?) {
    driver.close(for: cause, endingExitsBy: known)
  }

  public var standingOrders: StandingOrders { driver.standingOrders }

  public func refresh() { driver.refresh() }

  public func beginStop() { driver.beginStop() }

  public func stop() { driver.stop() }
}

private struct Programs: Actuator {
  let door: String
  let commands: LockCommands

  func move(_ target: LockPosition, _ watch: LockDriver.Watch) -> Movement {
    let action = target == .open ? "unlock" : "lock"
    let arguments = target == .open ? commands.unlock : commands.lock
    do throws(Errno) {
      let pipe = try Pipe()
      // An `unlock` whose daemon was killed would open the door after the next start has closed it.
      var child = try ChildProcess(
        arguments, environment: environment(action, watch.cause), directory: commands.directory,
        endsWithParent: target == .open, output: pipe.writer.number, errors: pipe.writer.number)
      return try wait(&child, action, pipe.closingWriter(), watch)
    } catch {
      if !isDirectory(commands.directory) { return .failed("the directory \(commands.directory) isn't there") }
      return .failed("the \(action) command “\(arguments.first ?? "")” can't be run: \(error)")
    }
  }

  private func environment(_ action: String, _ cause: LockCause?) -> [String] {
    let fixed = [
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LATCHKEY_ACTION=\(action)",
      "LATCHKEY_DOOR=\(door)",
    ]
    let words = [
      ("EVENT", cause?.event.map { "\($0)" }), ("CREDENTIAL", cause?.credential), ("HOLDER", cause?.holder),
    ]
    return fixed + words.compactMap { name, value in value.map { "LATCHKEY_\(name)=\($0)" } }
  }

  private func wait(
    _ child: inout ChildProcess, _ action: String, _ reader: consuming FileDescriptor, _ watch: LockDriver.Watch
  ) throws(Errno) -> Movement {
    let limit = BootInstant.now() + commands.timeLimit
    var output = ProgramOutput(reader)
    // What it wrote is told before what became of it.
    defer { output.finish(watch.tell) }
    while true {
      guard watch.stillWanted() else {
        child.kill()
        return .interrupted
      }
      var poller = Poller([
        (child.descriptor, .readable), (watch.descriptor, .readable), (output.descriptor, .readable),
      ])
      _ = try poller.wait(until: min(limit, watch.deadline ?? limit))
      if !poller.readiness(at: 2).isEmpty { output.read(watch.tell) }
      // Its end counts before the limit does: it may have come in time while this thread had to wait.
      if let end = try child.wait(until: .now()) {
        return end == .exited(0) ? .done : .failed("the \(action) command ended with \(end)")
      }
      if BootInstant.now() >= limit {
        child.kill()
        return .failed("the \(action) command took longer than \(commands.timeLimit) and was killed")
      }
    }
  }
}

private func isDirectory(_ path: String) -> Bool {
  do throws(FileError) { return try fileStatus(path)?.isDirectory ?? false } catch { return false }
}
