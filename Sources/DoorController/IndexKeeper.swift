internal import AirProtocol
internal import POSIX

/// Keeps the hint index of all slots and challenges that are expected, and those that come next.
///
/// A new one is built on a thread of its own beside the running one, and swapped in when it stands. What is expected early is
/// refused by whoever looks at a frame's freshness, so that no slot and no challenge waits for its index. A recording has
/// no time to wait for: there it is built on the spot.
final class IndexKeeper {
  /// What the builder's thread and the door's share.
  private struct Workshop {
    var wanted: Order?
    var finished: HintIndex?
    /// Why the last one couldn't be built.
    var failure: HintIndexError?
    var stopped = false
  }

  private struct Order {
    let epochs: [Epoch]
    let previous: HintIndex
  }

  private let table: KeyTable
  private let workshop: Monitor<Workshop>?
  private let thread: POSIX.Thread?
  private(set) var index: HintIndex
  /// What was ordered last; nothing is ordered twice.
  private var ordered: [Epoch]
  private var isBuilding = false

  /// Builds the first index at once.
  ///
  /// - Parameters:
  ///   - inBackground: whether later ones are built on a thread of their own.
  ///   - onReady: told on that thread when one stands; it must not block.
  init(
    table: KeyTable, epochs: [Epoch], inBackground: Bool, onReady: @escaping @Sendable () -> Void = {}
  ) throws {
    self.table = table
    ordered = epochs
    index = try HintIndex.build(table, from: nil, epochs: epochs)
    guard inBackground else {
      workshop = nil
      thread = nil
      return
    }
    let workshop = Monitor(Workshop())
    self.workshop = workshop
    thread = try POSIX.Thread(name: "index") {
      while let order = workshop.wait(until: nil, Self.nextOrder) {
        guard let order else { return }
        do throws(HintIndexError) {
          let index = try HintIndex.build(table, from: order.previous, epochs: order.epochs)
          workshop.withLock { $0.finished = index }
        } catch {
          workshop.withLock { $0.failure = error }
        }
        onReady()
      }
    }
  }

  deinit {
    workshop?.withLock { $0.stopped = true }
    thread?.join()
  }

  /// Whether frames of that epoch are found now.
  func expects(_ epoch: Epoch) -> Bool { index.expects(epoch) }

  /// Takes an index that has become ready, and orders another one where other epochs are wanted than before.
  ///
  /// - Throws: once for each index that couldn't be built; the running one goes on.
  func want(_ epochs: [Epoch]) throws(HintIndexError) {
    guard let workshop else {
      if epochs != ordered { index = try HintIndex.build(table, from: index, epochs: epochs) }
      ordered = epochs
      return
    }
    let (finished, failure) = workshop.withLock(waking: false) { workshop in
      defer {
        workshop.finished = nil
        workshop.failure = nil
      }
      return (workshop.finished, workshop.failure)
    }
    if let finished { index = finished }
    if finished != nil || failure != nil { isBuilding = false }
    // One at a time: what changes meanwhile is ordered when it stands.
    if epochs != ordered || failure != nil, !isBuilding {
      ordered = epochs
      isBuilding = true
      let previous = index
      workshop.withLock { $0.wanted = Order(epochs: epochs, previous: previous) }
    }
    if let failure { throw failure }
  }

  /// An order to work on; nil inside says that the keeper is gone, nil outside that there is nothing yet.
  private static func nextOrder(_ workshop: inout Workshop) -> Order?? {
    if workshop.stopped { return .some(nil) }
    guard let order = workshop.wanted else { return nil }
    workshop.wanted = nil
    return order
  }
}
