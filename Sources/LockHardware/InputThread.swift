internal import POSIX

/// Why an input can't be read, in words.
struct InputFailure: Error {
  let reason: String
}

/// The thread of an input: it reads, says what keeps it from reading, and tries again.
final class InputThread: Sendable {
  /// How long it waits before it tries again.
  static let retry = Duration.seconds(2)
  /// The least time between two looks at what it says, once it has said something: the door's thread takes everything
  /// that is reported, so an input without rest mustn't report without end.
  static let pause = Duration.milliseconds(20)

  private let wakeUp: WakeUp
  private let thread: Thread

  /// Starts it.
  ///
  /// - Parameters:
  ///   - name: names the thread.
  ///   - read: reports `found` once it can read (a line: once it has come to rest), and then what it reads, until the
  ///     descriptor is readable.
  /// - Throws: where the system gives no thread.
  init(
    name: String, report: @escaping InputReporter,
    read: @escaping @Sendable (_ end: Int32) throws(InputFailure) -> Void
  ) throws(Errno) {
    let wakeUp = try WakeUp()
    self.wakeUp = wakeUp
    thread = try Thread(name: "input \(name)") { Self.run(wakeUp, report, read) }
  }

  /// Ends it, and waits for that.
  func stop() {
    wakeUp.signal()
    thread.join()
  }

  private static func run(
    _ wakeUp: WakeUp, _ report: InputReporter, _ read: (_ end: Int32) throws(InputFailure) -> Void
  ) {
    var poller = Poller([(wakeUp.descriptor, .readable)])
    while true {
      do throws(InputFailure) {
        // It returns when it was told to end.
        return try read(wakeUp.descriptor)
      } catch {
        report(InputReport(.lost(error.reason), at: .now()))
      }
      do throws(Errno) { if try poller.wait(until: .now() + retry) { return } } catch { return }
    }
  }
}
