public import Advertising
internal import POSIX

/// What is to be advertised: one thing, or several that share the air.
///
/// A controller sends one advertisement at a time from one set; several take turns, each as often as it asks for and as
/// the others leave room for.
public struct AdvertisingPlan: Hashable, Sendable {
  /// One of the things to be sent.
  public struct Item: Hashable, Sendable {
    public var data: AdvertisingData
    /// How often it should be on the air; below 100 ms the controller's shortest interval is used.
    public var period: Duration
    /// The number by which it is known again when its data change, as those of a beacon do; nil: other data are another
    /// thing.
    public var series: UInt64?

    public init(_ data: AdvertisingData, every period: Duration, series: UInt64? = nil) {
      self.data = data
      self.period = period
      self.series = series
    }

    fileprivate var identity: Identity { series.map { .series($0) } ?? .data(data) }

    /// Whether it wants the controller's shortest interval, as an answer does and a beacon doesn't.
    var isUrgent: Bool { period < .milliseconds(100) }
  }

  /// At least one.
  public let items: [Item]

  /// Nil where there is nothing to send.
  public init?(_ items: [Item]) {
    if items.isEmpty { return nil }
    self.items = items
  }

  /// One thing, as often as the controller can.
  public init(_ data: AdvertisingData) { items = [Item(data, every: .milliseconds(20))] }

  /// The interval that the controller is told.
  var interval: Advertiser.Interval {
    items.count > 1 || items[0].isUrgent ? .fast20ms : .slow100ms
  }
}

/// By what an item is known again.
private enum Identity: Hashable {
  case series(UInt64)
  case data(AdvertisingData)
}

/// Whose turn it is on the air: the item whose next showing is due first, for as long as one is sure to be sent.
///
/// An answer that is new comes at once. What is wanted seldom, a beacon, has its turn when it is due, never shown ones first;
/// but where there are answers, every other turn is theirs. A turn is counted from when the controller shows the item: one
/// that is slow to be told shows each of them all the same.
struct AdvertisingRotation: Sendable {
  private struct Turn {
    var item: AdvertisingPlan.Item
    /// Whether no turn of the item has come to its end yet.
    let isFirst: Bool
    /// From when the controller has shown the data; until then, when it was told to.
    var start: BootInstant
    /// Nil: the controller doesn't show the data yet, or nobody waits.
    var end: BootInstant?
    /// Whether the data have changed in this turn.
    var hasChanged = false
  }

  private var present: Turn?
  /// When each item had its last turn, of those that came to their end.
  ///
  /// By identity and not by data: all beacons change at once. Forgotten then, they would begin anew with the first, and the
  /// last of many would never have a turn.
  private var shown: [Identity: BootInstant] = [:]

  /// What is to be on the air.
  var current: AdvertisingData? { present?.item.data }

  /// When to look again; nil where nothing changes by itself.
  var deadline: BootInstant? { present?.end }

  /// Looks whose turn it is.
  ///
  /// - Parameters:
  ///   - isShown: whether the controller sends `current` now.
  ///   - dwell: how long the controller needs to send an item once for certain.
  mutating func turn(_ plan: AdvertisingPlan?, isShown: Bool, dwell: Duration, now: BootInstant) {
    guard let plan else {
      self = AdvertisingRotation()
      return
    }
    // Asked whenever something was heard: until here nothing is allocated.
    if goesOn(plan, isShown: isShown, dwell: dwell, now) { return }
    let identities = Set(plan.items.map(\.identity))
    shown = shown.filter { identities.contains($0.key) }
    let answers = plan.items.filter(\.isUrgent)
    let newAnswers = answers.filter(isAwaited)
    let wasBeacon = present.map { !$0.item.isUrgent } ?? false
    let beacons = plan.items.filter { !$0.isUrgent && due($0) <= now }
    let candidates =
      if !newAnswers.isEmpty { newAnswers } else if wasBeacon, !answers.isEmpty { answers } else {
        beacons.isEmpty ? plan.items : beacons
      }
    let next = candidates.min { due($0) < due($1) } ?? plan.items[0]
    let isShownAlready = isShown && next.data == current
    present = Turn(
      item: next, isFirst: shown[next.identity] == nil, start: now,
      end: isShownAlready && plan.items.count > 1 ? now + dwell : nil)
  }

  /// Whether it is an answer that was never shown, nor is now.
  private func isAwaited(_ item: AdvertisingPlan.Item) -> Bool {
    item.isUrgent && shown[item.identity] == nil && item.identity != present?.item.identity
  }

  /// Whether the present turn goes on, maybe with other data; one that has come to its end is noted.
  private mutating func goesOn(
    _ plan: AdvertisingPlan, isShown: Bool, dwell: Duration, _ now: BootInstant
  ) -> Bool {
    guard var turn = present, let item = plan.items.first(where: { $0.identity == turn.item.identity }) else {
      return false
    }
    let isShared = plan.items.count > 1
    let hasOtherData = item.data != turn.item.data
    // What is cut short doesn't count: it comes before the others of its kind again. An answer that was never shown isn't
    // cut short by the next one: of many at once none would be heard.
    if plan.items.contains(where: isAwaited), !(turn.item.isUrgent && turn.isFirst) { return false }
    if isShared, turn.end.map({ now >= $0 }) ?? false || hasOtherData && turn.hasChanged {
      shown[item.identity] = turn.start
      return false
    }
    turn.item = item
    if !isShared {
      turn.end = nil
    } else if hasOtherData {
      // Sent once for certain too; but only once anew, else what changes all the time would keep the others waiting.
      turn.hasChanged = true
      turn.end = nil
    } else if isShown, turn.end == nil {
      turn.start = now
      turn.end = now + dwell
    }
    present = turn
    return true
  }

  /// When an item is due; what was never shown, the most often wanted first, before all others.
  private func due(_ item: AdvertisingPlan.Item) -> BootInstant {
    guard let last = shown[item.identity] else {
      return BootInstant(nanoseconds: UInt64(clamping: item.period.wholeNanoseconds))
    }
    return last + item.period
  }
}
