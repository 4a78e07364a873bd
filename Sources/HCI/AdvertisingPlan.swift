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
/// An answer that is new comes at once. What is wanted seldom, a beacon, has its turn when it is due, never shown ones first;
/// but where there are answers, every other turn is theirs. A turn is counted from when the controller shows the item: one
/// that is slow to be told shows each of them all the same.
struct AdvertisingRotation: Sendable {
  private struct Showing {
    let data: AdvertisingData
    var last: BootInstant
  }

  private var showings: [Showing] = []
  private(set) var current: AdvertisingData?
  /// Whether the controller has shown it in this turn.
  private var wasShown = false
  private var wasBeacon = false
  private var until: BootInstant?

  /// When to look again; nil where nothing changes by itself.
  var deadline: BootInstant? { until }

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
    showings.removeAll { showing in !plan.items.contains { $0.data == showing.data } }
    let isShared = plan.items.count > 1
    let answers = plan.items.filter(\.isUrgent)
    let newAnswers = answers.filter { !wasShown($0) }
    if let current, plan.items.contains(where: { $0.data == current }), newAnswers.isEmpty {
      if isShown, !wasShown {
        wasShown = true
        until = now + dwell
      }
      if !isShared { until = nil }
      guard isShared, let until, now >= until else { return }
    }
    let beacons = plan.items.filter { !$0.isUrgent && isDue($0, now) }
    let isAnswersTurn = !newAnswers.isEmpty || wasBeacon && !answers.isEmpty
    let candidates = !newAnswers.isEmpty ? newAnswers : isAnswersTurn ? answers : beacons.isEmpty ? plan.items : beacons
    let next = candidates.min { due($0) < due($1) } ?? plan.items[0]
    show(next, isShown: isShown && next.data == current, isShared ? now + dwell : nil, now)
  }

  private mutating func show(_ item: AdvertisingPlan.Item, isShown: Bool, _ end: BootInstant?, _ now: BootInstant) {
    current = item.data
    wasBeacon = !item.isUrgent
    wasShown = isShown
    until = isShown ? end : nil
    if let place = showings.firstIndex(where: { $0.data == item.data }) {
      showings[place].last = now
    } else {
      showings.append(Showing(data: item.data, last: now))
    }
  }

  private func wasShown(_ item: AdvertisingPlan.Item) -> Bool { showings.contains { $0.data == item.data } }

  /// Whether an item is to be shown, again or at all.
  private func isDue(_ item: AdvertisingPlan.Item, _ now: BootInstant) -> Bool { due(item) <= now }

  /// When an item is due; what was never shown, the most often wanted first, before all others.
  private func due(_ item: AdvertisingPlan.Item) -> BootInstant {
    guard let showing = showings.first(where: { $0.data == item.data }) else {
      return BootInstant(nanoseconds: UInt64(clamping: item.period.wholeNanoseconds))
    }
    return showing.last + item.period
  }
}
