internal import Glibc
public import POSIX

/// An input that is a named pipe, into which a program writes a word a line: for contacts that something else reads,
/// and for tests (docs/door-monitor.md, "Pipes").
///
/// The pipe is there already, belongs to root or to this process's user, and nobody else can write to it: an exit opens
/// the door.
public final class PipeInput: DoorInput {
  /// How often it is looked whether the pipe is still the one of that name.
  static let look = Duration.seconds(2)
  /// For how long behind its opening what comes out of a pipe may be from before.
  static let settling = Duration.milliseconds(500)
  /// The least time between two complaints about words.
  static let complaintInterval = Duration.seconds(60)
  /// The most that is read at once: with the thread's pause, whoever writes without end is held up by the pipe.
  private static let mostAtOnce = 4_096

  private let thread: InputThread

  /// - Parameters:
  ///   - name: the door's id.
  ///   - report: called on the input's thread.
  /// - Throws: where the system gives no thread.
  public init(name: String, role: InputRole, path: String, report: @escaping InputReporter) throws(Errno) {
    thread = try InputThread(name: name, report: report) { (end) throws(InputFailure) in
      do throws(FileError) { try Self.read(path, role, end, report) } catch {
        throw InputFailure(reason: error.description)
      }
    }
  }

  deinit { stop() }

  public func stop() { thread.stop() }

  private static func read(
    _ path: String, _ role: InputRole, _ end: Int32, _ report: InputReporter
  ) throws(FileError) {
    let pipe = try open(path)
    // Who asked before has gone: a start lets nobody out. Who waited with that for somebody to read the pipe goes on writing now.
    if role == .exit {
      empty(pipe)
      if try isToEnd(within: settling, path, end) { return }
      empty(pipe)
    }
    report(InputReport(.found, at: .now()))
    var words = PipeWords(role)
    var complaintFrom = BootInstant(nanoseconds: 0)
    while let bytes = try next(pipe, path, end) {
      let now = BootInstant.now()
      let (meant, nonsense) = words.takeNewest(bytes)
      for reading in meant { report(InputReport(reading, at: now)) }
      guard let nonsense, now >= complaintFrom else { continue }
      complaintFrom = now + complaintInterval
      report(InputReport(nonsense, at: now))
    }
  }

  private static func open(_ path: String) throws(FileError) -> FileDescriptor {
    // For writing, too: else it ends whenever the last writer does.
    let pipe = try openDescriptor(path)
    let status = try status(of: pipe, path)
    guard status.isNamedPipe else { throw FileError(path: path, problem: .notNamedPipe) }
    let user = ProcessEnvironment.user
    guard status.owner == 0 || status.owner == user else {
      throw FileError(path: path, problem: .ownedByAnother(owner: status.owner, user: user))
    }
    guard status.permissions & 0o022 == 0 else {
      throw FileError(path: path, problem: .writableByOthers(permissions: status.permissions))
    }
    return pipe
  }

  /// Takes out what somebody else has kept in it, at most as much as a pipe holds.
  private static func empty(_ pipe: borrowing FileDescriptor) {
    for _ in 0..<16 {
      do throws(Errno) { if try pipe.read(upTo: 1 << 16).isEmpty { return } } catch { return }
    }
  }

  private static func isToEnd(within limit: Duration, _ path: String, _ end: Int32) throws(FileError) -> Bool {
    var poller = Poller([(end, .readable)])
    do throws(Errno) { return try poller.wait(until: .now() + limit) } catch {
      throw FileError(path: path, problem: .system(operation: "wait for", error))
    }
  }

  private static func openDescriptor(_ path: String) throws(FileError) -> FileDescriptor {
    do throws(Errno) { return try FileDescriptor.open(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW) } catch {
      throw FileError(path: path, problem: .system(operation: "open", error))
    }
  }

  /// What is written next; nil where it is to end.
  private static func next(
    _ pipe: borrowing FileDescriptor, _ path: String, _ end: Int32
  ) throws(FileError) -> [UInt8]? {
    do throws(Errno) {
      var pacer = Poller([(end, .readable)])
      if try pacer.wait(until: .now() + InputThread.pause) { return nil }
      var poller = Poller([(end, .readable), (pipe.number, .readable)])
      if try poller.wait(until: .now() + look) {
        return poller.readiness(at: 0).isEmpty ? try pipe.read(upTo: mostAtOnce) : nil
      }
    } catch .wouldBlock {
      return []
    } catch {
      throw FileError(path: path, problem: .system(operation: "read", error))
    }
    // Another pipe of the same name has another writer.
    let there = try fileStatus(path, followsLink: false)
    guard there?.identity == (try status(of: pipe, path)).identity else {
      throw FileError(path: path, problem: .changed)
    }
    return []
  }

  private static func status(of pipe: borrowing FileDescriptor, _ path: String) throws(FileError) -> FileStatus {
    do throws(Errno) { return try pipe.status() } catch {
      throw FileError(path: path, problem: .system(operation: "look at", error))
    }
  }
}
