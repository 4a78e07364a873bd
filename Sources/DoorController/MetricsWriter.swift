internal import POSIX

/// How every metrics file of ours begins.
private let signature = Array("# HELP latchkey_".utf8)

/// Refuses to replace what isn't there as an earlier metrics file: a device, a link, a socket, somebody's keys.
private func requireOwn(_ path: String) throws(FileError) {
  guard let status = try fileStatus(path, followsLink: false) else { return }
  guard status.isRegular else { throw FileError(path: path, problem: .foreign) }
  let text: [UInt8]
  do throws(FileError) { text = try readFile(path, limit: 1 << 20) } catch {
    if case .longerThan = error.problem { throw FileError(path: path, problem: .foreign) }
    throw error
  }
  // An empty one is what a collector's package may have put there.
  guard text.isEmpty || text.starts(with: signature) else { throw FileError(path: path, problem: .foreign) }
}

/// Writes the metrics file on a thread of its own: a disk that is slow or full holds up no frame.
///
/// Only the newest status waits; one that comes while the one before is being written replaces what waited.
final class MetricsWriter: Sendable {
  private struct State {
    var waiting: DaemonStatus?
    var isWriting = false
    var isStopped = false
  }

  private let state = Monitor(State())

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - path: where the text goes, readable for everybody: who collects it is another user, and it holds no secret.
  ///   - report: told of each writing, on the writer's thread: why it failed, or nil.
  init(path: String, report: @escaping @Sendable (FileError?) -> Void) throws(Errno) {
    let state = state
    _ = try POSIX.Thread(name: "metrics") {
      while let status = state.wait(until: nil, Self.take) {
        guard let status else { return }
        do throws(FileError) {
          try requireOwn(path)
          try replaceFile(path, contents: Array(status.metrics.utf8), mode: 0o644, durable: false)
          report(nil)
        } catch {
          report(error)
        }
        state.withLock { $0.isWriting = false }
      }
    }
  }

  /// Has a status written; never waits.
  func write(_ status: DaemonStatus) { state.withLock { $0.waiting = status } }

  /// Waits until what was given is written, at most so long, and ends the thread.
  func finish(within limit: Duration) {
    _ = state.wait(until: .now() + limit) { $0.waiting == nil && !$0.isWriting ? true : nil }
    state.withLock { $0.isStopped = true }
  }

  /// A status to write; nil inside: it is over; nil outside: there is nothing yet.
  private static func take(_ state: inout State) -> DaemonStatus?? {
    if let status = state.waiting {
      state.waiting = nil
      state.isWriting = true
      return .some(status)
    }
    return state.isStopped ? .some(nil) : nil
  }
}
