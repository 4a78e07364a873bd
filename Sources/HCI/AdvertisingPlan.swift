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

    public init(_ data: AdvertisingData, every period: Duration) {
      self.data = data
      self.period = period
    }

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

/// Whose turn it is on the air: the item whose next showing is due first, for as long as one is sure to be sent.
///
/// What was never shown comes at once. What is wanted seldom, a beacon, has its turn when it is due: many answers, each of
/// which wants all of the air, share what is left.
struct AdvertisingRotation: Sendable {
  private struct Showing {
    let data: AdvertisingData
    var last: BootInstant
  }

  private var showings: [Showing] = []
  private(set) var current: AdvertisingData?
  private var until: BootInstant?

  /// When to look again; nil where nothing changes by itself.
  var deadline: BootInstant? { until }

  /// Looks whose turn it is.
  ///
  /// - Parameter dwell: how long the controller needs to send an item once for certain.
  mutating func turn(_ plan: AdvertisingPlan?, dwell: Duration, now: BootInstant) {
    guard let plan else {
      self = AdvertisingRotation()
      return
    }
    showings.removeAll { showing in !plan.items.contains { $0.data == showing.data } }
    let isShared = plan.items.count > 1
    if let current, plan.items.contains(where: { $0.data == current }), !isUrgent(plan) {
      if !isShared { until = nil }
      if until.map({ now < $0 }) ?? !isShared { return }
    }
    let patient = plan.items.filter { !$0.isUrgent && isDue($0, now) }
    let next = (patient.isEmpty ? plan.items : patient).min { due($0) < due($1) } ?? plan.items[0]
    current = next.data
    if let place = showings.firstIndex(where: { $0.data == next.data }) {
      showings[place].last = now
    } else {
      showings.append(Showing(data: next.data, last: now))
    }
    until = isShared ? now + dwell : nil
  }

  /// Whether something new can't wait for the end of a turn: an answer can't, a beacon can.
  private func isUrgent(_ plan: AdvertisingPlan) -> Bool {
    plan.items.contains { item in item.isUrgent && !showings.contains { $0.data == item.data } }
  }

  /// Whether an item that was shown before is to be shown again.
  private func isDue(_ item: AdvertisingPlan.Item, _ now: BootInstant) -> Bool {
    showings.contains { $0.data == item.data && $0.last + item.period <= now }
  }

  /// When an item is due; what was never shown, the most often wanted first, before all others.
  private func due(_ item: AdvertisingPlan.Item) -> BootInstant {
    guard let showing = showings.first(where: { $0.data == item.data }) else {
      return BootInstant(nanoseconds: UInt64(clamping: item.period.wholeNanoseconds))
    }
    return showing.last + item.period
  }
}
