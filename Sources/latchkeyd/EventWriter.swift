internal import CommandLineTool
internal import DoorController
internal import POSIX

/// Tells events on a thread of its own: a reader of the log that stalls must hold up neither a lock nor a signal.
///
/// A bounded number of lines waits; those beyond are dropped and counted, and the count is told when there is room again.
/// What must not be lost is in the ledger.
final class EventWriter: Sendable {
  private struct State {
    var waiting: [DoorEvent] = []
    var dropped = 0
    var isWriting = false
    var isClosed = false
  }

  /// The most events that wait.
  static let limit = 10_000

  private let state = Monitor(State())

  /// Starts the thread that writes to `output`.
  init(_ output: Output) throws(Errno) {
    let state = state
    _ = try Thread(name: "events") {
      while let (events, dropped) = state.wait(until: nil, Self.take) {
        if events.isEmpty { return }
        for event in events { tell(event, output) }
        if dropped > 0 { output.note("\(dropped) events weren't told: the reader was too slow") }
        state.withLock { $0.isWriting = false }
      }
    }
  }

  /// Takes an event to be told; never waits.
  func add(_ event: DoorEvent) {
    state.withLock { state in
      if state.waiting.count < Self.limit { state.waiting.append(event) } else { state.dropped += 1 }
    }
  }

  /// Waits until everything is told, at most so long.
  func finish(within limit: Duration) {
    state.withLock { $0.isClosed = true }
    _ = state.wait(until: .now() + limit) { $0.waiting.isEmpty && !$0.isWriting ? true : nil }
  }

  /// What there is to tell; nothing once closed and empty; nil while there is nothing yet.
  private static func take(_ state: inout State) -> ([DoorEvent], Int)? {
    guard !state.waiting.isEmpty else { return state.isClosed ? ([], 0) : nil }
    defer {
      state.waiting = []
      state.dropped = 0
      state.isWriting = true
    }
    return (state.waiting, state.dropped)
  }
}
