internal import POSIX

/// The control socket: a thread of its own that hands requests to the door's thread and answers to clients.
///
/// It never waits for a client or for the door's thread. Where the socket can't be made, it goes on trying.
final class ControlServer: Sendable {
  /// Hands a request to the door's thread, with the id of the user who asks.
  typealias Ask = @Sendable (ControlRequest, UInt32, @escaping ControlReply) -> Void

  private struct Shared {
    var answers: [(ticket: UInt64, answer: ControlAnswer)] = []
    var isStopped = false
    var hasEnded = false
  }

  private let shared = Monitor(Shared())
  private let wakeUp: WakeUp

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - path: where the socket is.
  ///   - report: told on the server's thread why it can't listen there, once for each reason; nil: it does again.
  init(path: String, ask: @escaping Ask, report: @escaping @Sendable (FileError?) -> Void) throws(Errno) {
    wakeUp = try WakeUp()
    let (shared, wakeUp) = (shared, wakeUp)
    _ = try POSIX.Thread(name: "control") {
      defer { shared.withLock { $0.hasEnded = true } }
      var loop = ControlLoop(path: path, wakeUp: wakeUp, report: report) { ticket, request, user in
        ask(request, user) { answer in
          shared.withLock { $0.answers.append((ticket, answer)) }
          wakeUp.signal()
        }
      }
      while true {
        wakeUp.clear()
        let (answers, isStopped) = shared.withLock { shared in
          defer { shared.answers = [] }
          return (shared.answers, shared.isStopped)
        }
        // What was answered before the end goes out still: the test that a restart waited for, say.
        loop.serve(answers)
        if isStopped { return }
        loop.wait()
      }
    }
  }

  /// Closes the socket and every connection, and waits for it, at most so long: microseconds unless a disk hangs.
  func stop(within limit: Duration) {
    shared.withLock { $0.isStopped = true }
    wakeUp.signal()
    _ = shared.wait(until: .now() + limit) { $0.hasEnded ? true : nil }
  }
}

/// Who may ask: the daemon's own user, and root.
func mayControl(peer: UInt32, own: UInt32) -> Bool { peer == 0 || peer == own }
