/// How a site counts time on the air: `slot = floor(unixSeconds / slotSeconds)` ("Words").
public struct SlotClock: Hashable, Sendable {
  /// The length of a slot in seconds, fixed for the life of a site.
  public let slotSeconds: Int
  /// How many slots before and after its own a door accepts.
  public let skewSlots: Int

  /// What the protocol allows for `slotSeconds`.
  public static let slotSecondsRange = 1...60
  /// What this implementation allows for `skewSlots`.
  ///
  /// At most 2·5 + 1 accepted slots, the next one and three challenges are 15 epochs; `HintIndex` holds 16.
  public static let skewSlotsRange = 0...5
  /// The last slot of all: the first bit of a freshness is 0 for a slot.
  public static let lastSlot = UInt64(Int64.max)

  /// The clock of a site; nil where a value is outside its range.
  public init?(slotSeconds: Int = 5, skewSlots: Int = 2) {
    guard SlotClock.slotSecondsRange.contains(slotSeconds), SlotClock.skewSlotsRange.contains(skewSlots) else {
      return nil
    }
    self.slotSeconds = slotSeconds
    self.skewSlots = skewSlots
  }

  /// The slot of that moment; times before 1970 are in slot 0.
  public func slot(at unixSeconds: Int64) -> UInt64 {
    UInt64(max(0, unixSeconds)) / UInt64(slotSeconds)
  }

  /// The moment at which a slot begins, in Unix seconds; saturates where Unix time can't tell it.
  public func start(ofSlot slot: UInt64) -> Int64 {
    let (product, overflow) = slot.multipliedReportingOverflow(by: UInt64(slotSeconds))
    return overflow ? Int64.max : Int64(clamping: product)
  }

  /// For how long a door remembers a press: the longer of 10 s and (2·skewSlots + 2) slots ("What the door does with a
  /// frame", 6).
  public var pressWindow: Duration { .seconds(max(10, slotSeconds * (2 * skewSlots + 2))) }

  /// The slots that a door accepts at that moment: its own and `skewSlots` on each side.
  public func acceptedSlots(at unixSeconds: Int64) -> ClosedRange<UInt64> {
    acceptedSlots(around: slot(at: unixSeconds))
  }

  /// The slots that a door accepts while it is in `slot`.
  public func acceptedSlots(around slot: UInt64) -> ClosedRange<UInt64> {
    let own = min(slot, SlotClock.lastSlot)
    let skew = UInt64(skewSlots)
    return (own - min(own, skew))...(own + min(SlotClock.lastSlot - own, skew))
  }
}
