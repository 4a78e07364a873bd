internal import LatchkeyCrypto

extension HintIndex {
  /// An index of exactly the wanted epochs.
  ///
  /// What `previous` has of them is kept, so that a new slot costs the hints of that slot and one pass over the rest.
  /// Meant for a thread in the background; nothing of `previous` changes.
  ///
  /// - Parameters:
  ///   - previous: an index of the same table object; one of another table is ignored.
  ///   - epochs: at most 16; twice the same is once.
  public static func build(
    _ table: KeyTable, from previous: HintIndex?, epochs: [Epoch]
  ) throws(HintIndexError) -> HintIndex {
    for epoch in epochs where epoch.freshness.count != table.doors.count {
      throw .wrongDoorCount(expected: table.doors.count, found: epoch.freshness.count)
    }
    let wanted = Set(epochs)
    guard wanted.count <= epochLimit else { throw .tooManyEpochs(wanted.count) }
    let layout = IndexLayout(keys: table.count, epochs: max(wanted.count, 1))
    var index = empty(table, layout)
    if let previous, previous.table === table { index = previous }
    var kept = index.slots.map { $0.flatMap { wanted.contains($0) ? $0 : nil } }
    let missing = epochs.filter { !kept.contains($0) }
    if missing.isEmpty, kept == index.slots, index.layout == layout { return index }
    if missing.isEmpty { return index.merged(with: nil, slots: kept, layout: layout) }
    for epoch in missing where !kept.contains(epoch) {
      // There is room: at most 16 epochs are wanted, and only wanted ones stay.
      guard let number = kept.firstIndex(of: nil) else { throw .tooManyEpochs(wanted.count) }
      kept[number] = epoch
      do {
        let run = try HintRun(table, layout, epoch: epoch, number: number)
        index = index.merged(with: run, slots: kept, layout: layout)
      } catch { throw .crypto(error) }
    }
    return index
  }

  private static func empty(_ table: KeyTable, _ layout: IndexLayout) -> HintIndex {
    HintIndex(
      table: table, slots: Array(repeating: nil, count: epochLimit), layout: layout,
      filter: [UInt64](repeating: 0, count: layout.filterWords),
      offsets: [UInt32](repeating: 0, count: layout.buckets + 1), entries: [])
  }

  /// The entries whose epochs stay in `slots`, and those of a run, bucket by bucket.
  private func merged(with run: HintRun?, slots: [Epoch?], layout: IndexLayout) -> HintIndex {
    let number = run?.number ?? -1
    var keptEpochs: UInt32 = 0
    for epoch in slots.indices where epoch != number && slots[epoch] != nil { keptEpochs |= 1 << UInt32(epoch) }
    var filter = [UInt64](repeating: 0, count: layout.filterWords)
    var offsets = [UInt32](repeating: 0, count: layout.buckets + 1)
    let capacity = slots.reduce(0) { $0 + ($1.map(expectedEntries) ?? 0) }
    let entries = [UInt32](capacity: capacity) { output in
      var filterSpan = filter.mutableSpan
      var offsetSpan = offsets.mutableSpan
      copy(keeping: keptEpochs, run, layout, &output, &offsetSpan, &filterSpan)
    }
    return HintIndex(
      table: table, slots: slots, layout: layout, filter: filter, offsets: offsets, entries: entries)
  }

  /// The inner loop of `merged`: old entries that stay, then new ones, for every bucket.
  private func copy(
    keeping keptEpochs: UInt32, _ run: HintRun?, _ layout: IndexLayout, _ output: inout OutputSpan<UInt32>,
    _ offsets: inout MutableSpan<UInt32>, _ filter: inout MutableSpan<UInt64>
  ) {
    // Spans of local copies: a span of a property can't be kept.
    let (oldEntries, oldStarts) = (entries, self.offsets)
    let (newEntries, newBuckets) = (run?.entries ?? [], run?.ends ?? [])
    let (old, oldOffsets, new, newEnds) = (oldEntries.span, oldStarts.span, newEntries.span, newBuckets.span)
    var newStart = 0
    for bucket in 0..<layout.buckets {
      for place in Int(oldOffsets[bucket])..<Int(oldOffsets[bucket + 1]) {
        let entry = old[place]
        guard keptEpochs >> UInt32(layout.epoch(of: entry)) & 1 == 1 else { continue }
        output.append(entry)
        filter.mark(layout.filterBit(of: layout.hint(of: entry, bucket: bucket)))
      }
      if bucket < newEnds.count {
        let newEnd = Int(newEnds[bucket])
        for place in newStart..<newEnd {
          output.append(new[place])
          filter.mark(layout.filterBit(of: layout.hint(of: new[place], bucket: bucket)))
        }
        newStart = newEnd
      }
      offsets[bucket + 1] = UInt32(output.count)
    }
  }

  /// How many entries an epoch has: the keys of all doors that have a freshness in it.
  private func expectedEntries(_ epoch: Epoch) -> Int {
    table.doors.indices.reduce(0) { $0 + (epoch.freshness[$1] == nil ? 0 : table.doors[$1].count) }
  }
}

extension MutableSpan<UInt64> {
  fileprivate mutating func mark(_ bit: Int) { self[bit >> 6] |= 1 << UInt64(bit & 63) }
}
