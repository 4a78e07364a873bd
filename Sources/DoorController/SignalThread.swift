internal import POSIX

/// Turns signals into messages, on a thread of its own.
///
/// Made on the main thread before any other exists, so that all of them inherit the block.
final class SignalThread: Sendable {
  private let queue: SignalQueue

  init() throws(Errno) { queue = try SignalQueue(blocking: [.hangUp, .terminate, .interrupt, .user1]) }

  /// Begins to listen; the thread ends with the process.
  func start(_ mailbox: Mailbox) throws(Errno) {
    // Nobody joins it: it waits for signals as long as there is a process to end.
    _ = try POSIX.Thread(name: "signals") { [self] in
      while let signal = self.next() {
        switch signal {
        case .hangUp: mailbox.post(.reload)
        case .user1: mailbox.post(.showCounters)
        default: mailbox.post(.stop)
        }
      }
    }
  }

  private func next() -> Signal? {
    // Without a way to hear signals the daemon must not go on unstoppable: it stops.
    do { return try queue.next() } catch { return .terminate }
  }
}
