/// Where the candidates for a frame's hint are found: one look-up over all slots and challenges that a door expects.
///
/// Immutable: the index of the next slot is built beside the running one and takes its place. A foreign hint costs one
/// look at the filter in most cases; entries lie by bucket behind it.
public final class HintIndex: Sendable {
  /// Most epochs of an index: an entry has four bits for one.
  public static let epochLimit = 16

  /// The table whose keys these are.
  public let table: KeyTable
  /// What the index expects.
  public var epochs: [Epoch] { slots.compactMap(\.self) }
  /// How many entries there are: one for each key and epoch that has a freshness for the key's door.
  public var count: Int { entries.count }

  /// The epochs by their number in the entries.
  let slots: [Epoch?]
  let layout: IndexLayout
  /// Bit `layout.filterBit(of: hint)` is 1 where there may be an entry.
  let filter: [UInt64]
  /// Where each bucket starts in `entries`, and behind the last one their count.
  let offsets: [UInt32]
  let entries: [UInt32]
  /// The freshness of epoch e at door d: `freshnessBytes[e * doors + d]`.
  private let freshnessBytes: [UInt64]

  init(
    table: KeyTable, slots: [Epoch?], layout: IndexLayout, filter: [UInt64], offsets: [UInt32], entries: [UInt32]
  ) {
    self.table = table
    self.slots = slots
    self.layout = layout
    self.filter = filter
    self.offsets = offsets
    self.entries = entries
    self.freshnessBytes = slots.flatMap { epoch in
      table.doors.indices.map { epoch?.freshness[$0]?.bytes ?? 0 }
    }
  }

  /// Whether frames of that epoch are found.
  public func expects(_ epoch: Epoch) -> Bool { slots.contains(epoch) }

  /// The freshness under which an epoch expects frames at a door.
  func freshness(epoch: Int, door: Int) -> Freshness {
    Freshness(bytes: freshnessBytes[epoch * table.doors.count + door])
  }

  /// Whether there may be a candidate for the hint: the filter's word for it.
  @inline(__always)
  func mayContain(_ hint: UInt32) -> Bool {
    let bit = layout.filterBit(of: hint)
    return filter[bit >> 6] >> UInt64(bit & 63) & 1 == 1
  }

  /// Where the hint's bucket lies in `entries`.
  @inline(__always)
  func bucket(of hint: UInt32) -> Range<Int> {
    let bucket = layout.bucket(of: hint)
    return Int(offsets[bucket])..<Int(offsets[bucket + 1])
  }
}
