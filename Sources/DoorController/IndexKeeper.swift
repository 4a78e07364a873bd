internal import AirProtocol
internal import POSIX

/// Keeps the hint index of the slots that are accepted now, and has the next one ready before it is needed.
///
/// The next slot's index is built on a thread of its own beside the running one and swapped in when the slot begins.
/// A recording has no time to wait for: there it is built on the spot.
final class IndexKeeper {
  /// What the builder's thread and the door's share.
  private struct Workshop {
    var wanted: Order?
    var finished: (slot: UInt64, index: HintIndex)?
    /// Why the last one couldn't be built.
    var failure: HintIndexError?
    var stopped = false
  }

  private struct Order {
    let slot: UInt64
    let previous: HintIndex?
  }

  private let table: KeyTable
  private let clock: SlotClock
  private let workshop: Monitor<Workshop>?
  private let thread: POSIX.Thread?
  private var current: (slot: UInt64, index: HintIndex)
  /// The slot whose index was ordered last; nothing is ordered twice.
  private var ordered: UInt64?

  /// Builds the index of `slot` at once.
  ///
  /// - Parameters:
  ///   - inBackground: whether later ones are built on a thread of their own.
  ///   - onReady: told on that thread when one stands; it must not block.
  init(
    table: KeyTable, clock: SlotClock, slot: UInt64, inBackground: Bool,
    onReady: @escaping @Sendable () -> Void = {}
  ) throws {
    self.table = table
    self.clock = clock
    current = (slot, try Self.build(table, clock, slot, from: nil))
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
          let index = try Self.build(table, clock, order.slot, from: order.previous)
          workshop.withLock { $0.finished = (order.slot, index) }
        } catch {
          workshop.withLock { $0.failure = error }
        }
        onReady()
      }
    }
    order(slot &+ 1)
  }

  deinit {
    workshop?.withLock { $0.stopped = true }
    thread?.join()
  }

  /// The index for frames that arrive in that slot.
  ///
  /// After a jump of the clock it is the one of the slot before for as long as the new one is being built; a frame of a
  /// slot that isn't accepted now is refused by whoever looks at its freshness.
  ///
  /// - Throws: once for each index that couldn't be built; the running one goes on.
  func index(forSlot slot: UInt64) throws(HintIndexError) -> HintIndex {
    if slot == current.slot { return current.index }
    guard let workshop else {
      current = (slot, try Self.build(table, clock, slot, from: current.index))
      return current.index
    }
    let (finished, failure) = workshop.withLock(waking: false) { workshop in
      defer {
        if workshop.finished?.slot == slot { workshop.finished = nil }
        workshop.failure = nil
      }
      return (workshop.finished, workshop.failure)
    }
    if let failure {
      ordered = nil
      throw failure
    }
    if let finished, finished.slot == slot {
      current = finished
      order(slot &+ 1)
    } else if ordered != slot {
      order(slot)
    }
    return current.index
  }

  private func order(_ slot: UInt64) {
    ordered = slot
    let previous = current.index
    workshop?.withLock { $0.wanted = Order(slot: slot, previous: previous) }
  }

  /// An order to work on; nil inside says that the keeper is gone, nil outside that there is nothing yet.
  private static func nextOrder(_ workshop: inout Workshop) -> Order?? {
    if workshop.stopped { return .some(nil) }
    guard let order = workshop.wanted else { return nil }
    workshop.wanted = nil
    return order
  }

  /// The merged index over all slots that are accepted in `slot`.
  private static func build(
    _ table: KeyTable, _ clock: SlotClock, _ slot: UInt64, from previous: HintIndex?
  ) throws(HintIndexError) -> HintIndex {
    let epochs = clock.acceptedSlots(around: slot).map { Epoch.time(slot: $0, doors: table.doors.count) }
    return try HintIndex.build(table, from: previous, epochs: epochs)
  }
}
