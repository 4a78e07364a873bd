public import POSIX

/// Report events on their way from the radio's thread to the one that verifies them.
///
/// Bounded, with all its memory taken at the start: nothing is allocated per event, and where the consumer is too slow
/// new events are dropped and counted, so that a reply never waits behind reports (radio.md, "what a correct host
/// does", 3). The event's bytes are kept as they came, with the moment of their arrival.
public final class ReportQueue: Sendable {
  private let state: Monitor<State>

  /// An empty queue.
  ///
  /// - Parameter capacity: the most events that wait; they have 64 bytes each on average, more than a legacy report.
  public init(capacity: Int = 1024) {
    let capacity = max(1, min(capacity, 1 << 20))
    state = Monitor(State(filling: Batch(capacity: capacity), spare: Batch(capacity: capacity)))
  }

  /// Takes a copy of an event; drops it where the queue is full.
  ///
  /// - Parameters:
  ///   - event: a whole HCI event: its code, its length, its parameters.
  ///   - arrival: when it was read.
  /// - Returns: false where it was dropped.
  @discardableResult
  public func push(_ event: Span<UInt8>, arrival: BootInstant) -> Bool {
    state.withLock { state in
      let taken = state.filling.append(event, arrival)
      if !taken { state.dropped &+= 1 }
      return taken
    }
  }

  /// Ends the consumer's wait, or its next one.
  public func wake() { state.withLock { $0.woken = true } }

  /// Waits for events, a `wake()` or the deadline, then hands on what there is, oldest first.
  ///
  /// - Parameters:
  ///   - deadline: nil waits without end; a moment in the past only looks.
  ///   - body: gets an event, valid during the call only, and its arrival. It runs without a lock.
  /// - Returns: how many events there were.
  @discardableResult
  public func drain(until deadline: BootInstant?, _ body: (Span<UInt8>, BootInstant) -> Void) -> Int {
    let taken = state.wait(until: deadline) { state -> Batch? in
      guard state.filling.count > 0 || state.woken else { return nil }
      state.woken = false
      // A second consumer at the same time finds no spare; it costs it an allocation, nothing else.
      var batch = state.spare.take() ?? Batch(capacity: state.filling.capacity)
      swap(&batch, &state.filling)
      return batch
    }
    guard var batch = taken else { return 0 }
    batch.forEach(body)
    let count = batch.count
    batch.removeAll()
    state.withLock(waking: false) { $0.spare = batch }
    return count
  }

  /// How many events were dropped so far.
  public var dropped: UInt64 { state.withLock(waking: false) { $0.dropped } }

  private struct State {
    var filling: Batch
    var spare: Batch?
    var woken = false
    var dropped: UInt64 = 0
  }
}

/// Events one after another in one piece of memory.
private struct Batch {
  private struct Record {
    var end: Int
    var arrival: BootInstant
  }

  private var records: [Record]
  private var bytes: [UInt8]
  private var used = 0
  private(set) var count = 0

  init(capacity: Int) {
    records = Array(repeating: Record(end: 0, arrival: BootInstant(nanoseconds: 0)), count: capacity)
    bytes = Array(repeating: 0, count: max(capacity * 64, 257))
  }

  var capacity: Int { records.count }

  mutating func append(_ event: Span<UInt8>, _ arrival: BootInstant) -> Bool {
    guard count < records.count, event.count <= bytes.count - used else { return false }
    let start = used
    var target = bytes.mutableSpan
    for index in event.indices { target[start + index] = event[index] }
    used = start + event.count
    records[count] = Record(end: used, arrival: arrival)
    count += 1
    return true
  }

  func forEach(_ body: (Span<UInt8>, BootInstant) -> Void) {
    let span = bytes.span
    var start = 0
    for index in 0..<count {
      body(span.extracting(start..<records[index].end), records[index].arrival)
      start = records[index].end
    }
  }

  mutating func removeAll() {
    count = 0
    used = 0
  }
}
