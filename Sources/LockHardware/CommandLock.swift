public import POSIX

/// The two programs that move a lock.
public struct LockCommands: Hashable, Sendable {
  /// The program and its arguments that open the lock and leave it open.
  public let unlock: [String]
  /// The same for closing it; run at the start, at the end of each opening, and again until it succeeds.
  public let lock: [String]
  /// How long each may take before it is killed.
  public let timeLimit: Duration

  public init(unlock: [String], lock: [String], timeLimit: Duration = .seconds(5)) {
    self.unlock = unlock
    self.lock = lock
    self.timeLimit = timeLimit
  }
}

/// A lock that two programs move; exit code 0 means that it stands where it should.
///
/// Each runs in a process group of its own, which is killed whole when it is late or no longer wanted; the first program
/// ends with this process as well, however that comes about. It reads nothing; what it writes goes to standard error. Its environment is `PATH`, `LATCHKEY_DOOR` (the door's id) and
/// `LATCHKEY_ACTION` (`unlock` or `lock`), and nothing else. No shell is between.
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

  public func open(until: BootInstant?) { driver.open(until: until) }

  public func close() { driver.close() }

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
    let path = ProcessEnvironment["PATH"] ?? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    let environment = ["PATH=\(path)", "LATCHKEY_DOOR=\(door)", "LATCHKEY_ACTION=\(action)"]
    do throws(Errno) {
      // An `unlock` whose daemon was killed would open the door after the next start has closed it.
      var child = try ChildProcess(arguments, environment: environment, endsWithParent: target == .open)
      return try wait(&child, action, watch)
    } catch {
      return .failed("the \(action) command “\(arguments.first ?? "")” can't be run: \(error)")
    }
  }

  private func wait(
    _ child: inout ChildProcess, _ action: String, _ watch: LockDriver.Watch
  ) throws(Errno) -> Movement {
    let limit = BootInstant.now() + commands.timeLimit
    var poller = Poller([(child.descriptor, .readable), (watch.descriptor, .readable)])
    while true {
      guard watch.stillWanted() else {
        child.kill()
        return .interrupted
      }
      _ = try poller.wait(until: min(limit, watch.deadline ?? limit))
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
