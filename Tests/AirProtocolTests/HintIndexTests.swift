import LatchkeyCrypto
import Testing

@testable import AirProtocol

struct HintIndexTests {
  /// Sizes around the steps of the layout, where fields change their widths.
  static let sizes = [0, 1, 2, 3, 4, 5, 8, 9, 255, 256, 257, 4_096, 5_000]

  @Test("every key is found in every epoch, and in no other", arguments: sizes)
  func everyKey(size: Int) throws {
    let doors = try TestTable([size])
    let index = try HintIndex.build(doors.table, from: nil, epochs: (100...104).map(doors.slot))
    #expect(index.count == 5 * size && index.epochs.count == 5)
    var verifier = try FrameVerifier()
    for key in Set(stride(from: 0, to: size, by: max(1, size / 200)).map(\.self) + [size - 1]) where key >= 0 {
      for slot in UInt64(99)...105 {
        let frame = try doors.frame(key: key, .time(slot: slot))
        guard case .verified(let command) = try verifier.verify(frame, index: index) else {
          #expect(!(100...104).contains(slot), "key \(key) isn't found in slot \(slot)")
          continue
        }
        #expect((100...104).contains(slot))
        #expect(command.key == key && command.freshness == .time(slot: slot) && command.plaintext == .sample)
      }
    }
  }

  @Test("going on slot by slot makes the index that is built anew", arguments: [[0], [1], [3], [300, 7], [5_000]])
  func merging(counts: [Int]) throws {
    let doors = try TestTable(counts)
    let epochs = { (slot: UInt64) in (slot...(slot + 4)).map(doors.slot) }
    var index = try HintIndex.build(doors.table, from: nil, epochs: epochs(0))
    // More steps than there are numbers of epochs, which are used again.
    for slot in UInt64(1)...20 {
      index = try HintIndex.build(doors.table, from: index, epochs: epochs(slot))
      let anew = try HintIndex.build(doors.table, from: nil, epochs: epochs(slot))
      #expect(Set(index.epochs) == Set(anew.epochs) && index.epochs.count == 5)
      #expect(index.content == anew.content)
      #expect(index.filter == anew.filter && index.offsets == anew.offsets)
    }
  }

  @Test("a jump keeps nothing, an overlap keeps what is shared, fewer epochs drop the others")
  func changes() throws {
    let doors = try TestTable([500, 20])
    let first = try HintIndex.build(doors.table, from: nil, epochs: (0...4).map(doors.slot))
    for slots in [[1_000, 1_001], [3, 4, 5, 6, 7, 8, 9, 10], [2], [4, 0, 4], [0, 1, 2, 3, 4], [UInt64]()] {
      let index = try HintIndex.build(doors.table, from: first, epochs: slots.map(doors.slot))
      let anew = try HintIndex.build(doors.table, from: nil, epochs: slots.map(doors.slot))
      #expect(index.content == anew.content && index.layout == anew.layout && index.filter == anew.filter)
      #expect(index.count == Set(slots).count * 520)
    }
    // What is the same needs no work, and the first index is what it was.
    #expect(try HintIndex.build(doors.table, from: first, epochs: (0...4).map(doors.slot)) === first)
    #expect(first.count == 5 * 520)
  }

  @Test("a dropped epoch's frames are foreign, though its number is another's now")
  func dropped() throws {
    let doors = try TestTable([40])
    let old = try HintIndex.build(doors.table, from: nil, epochs: [doors.slot(1)])
    let new = try HintIndex.build(doors.table, from: old, epochs: [doors.slot(2)])
    for key in 0..<40 {
      let frame = try doors.frame(key: key, .time(slot: 1))
      #expect(try old.command(frame)?.key == key)
      #expect(try new.command(frame) == nil)
      #expect(try new.command(doors.frame(key: key, .time(slot: 2)))?.key == key)
    }
  }

  @Test("each door has its own challenge; one without expects nothing")
  func challenges() throws {
    let doors = try TestTable([5, 6, 7])
    let (first, third) = (Challenge(random: 1), Challenge(random: 3))
    let epochs = [doors.slot(9), .challenges([first, nil, third]), .challenges([nil, nil, nil])]
    let index = try HintIndex.build(doors.table, from: nil, epochs: epochs)
    #expect(index.count == 18 + 12)
    for key in 0..<18 {
      let door = try doors.place(ofKey: key).door
      for challenge in [first, third] {
        let command = try index.command(doors.frame(key: key, .challenge(challenge)))
        let isExpected = door == (challenge == first ? 0 : 2)
        #expect((command != nil) == isExpected)
        if let command {
          #expect(command.key == key && command.doorIndex == door && command.freshness == .challenge(challenge))
        }
      }
      #expect(try index.command(doors.frame(key: key, .time(slot: 9)))?.doorIndex == door)
    }
    // A challenge goes, the slot stays.
    let later = try HintIndex.build(doors.table, from: index, epochs: [doors.slot(9)])
    #expect(try later.command(doors.frame(key: 0, .challenge(first))) == nil)
    #expect(try later.command(doors.frame(key: 0, .time(slot: 9)))?.key == 0)
  }

  @Test("an index of another table is not built upon")
  func otherTable() throws {
    let (doors, others) = (try TestTable([9], seed: 1), try TestTable([9], seed: 2))
    let old = try HintIndex.build(others.table, from: nil, epochs: [others.slot(1)])
    let index = try HintIndex.build(doors.table, from: old, epochs: [doors.slot(1)])
    for key in 0..<9 {
      #expect(try index.command(doors.frame(key: key, .time(slot: 1)))?.key == key)
      #expect(try index.command(others.frame(key: key, .time(slot: 1))) == nil)
    }
  }

  @Test("no more than sixteen epochs; twice the same is one")
  func epochLimit() throws {
    let doors = try TestTable([3])
    let sixteen = (0..<16).map { doors.slot(UInt64($0)) }
    let index = try HintIndex.build(doors.table, from: nil, epochs: sixteen + sixteen)
    #expect(index.count == 48)
    for slot in UInt64(0)..<16 { #expect(try index.command(doors.frame(key: 2, .time(slot: slot)))?.key == 2) }
    #expect(throws: HintIndexError.tooManyEpochs(17)) {
      try HintIndex.build(doors.table, from: index, epochs: sixteen + [doors.slot(16)])
    }
    // All sixteen can give way to others at once.
    let others = (16..<32).map { doors.slot(UInt64($0)) }
    let next = try HintIndex.build(doors.table, from: index, epochs: others)
    #expect(next.content == (try HintIndex.build(doors.table, from: nil, epochs: others)).content)
  }

  @Test("an epoch of another number of doors is refused", arguments: [0, 1, 3])
  func doorCount(doors count: Int) throws {
    let doors = try TestTable([3, 4])
    #expect(throws: HintIndexError.wrongDoorCount(expected: 2, found: count)) {
      try HintIndex.build(doors.table, from: nil, epochs: [.time(slot: 1, doors: count)])
    }
  }

  @Test("a few credentials cost a few bytes")
  func smallIndexes() throws {
    let doors = try TestTable([3])
    let index = try HintIndex.build(doors.table, from: nil, epochs: (0...4).map(doors.slot))
    #expect(index.filter.count <= 4 && index.offsets.count <= 2 && index.entries.count == 15)
  }

  @Test("fields of an entry come back at every size", arguments: [0, 1, 2, 3, 4, 5, 1_000, 1_000_000, KeyTable.limit])
  func layouts(keys: Int) {
    var random = Pseudorandom(seed: UInt64(keys))
    let layout = IndexLayout(keys: keys, epochs: 16)
    for _ in 0..<200 {
      let hint = UInt32.random(in: 0..<(1 << 24), using: &random)
      let (epoch, key) = (Int.random(in: 0..<16, using: &random), Int.random(in: 0..<max(1, keys), using: &random))
      let entry = layout.entry(hint: hint, epoch: epoch, key: key)
      let bucket = layout.bucket(of: hint)
      #expect((0..<layout.buckets).contains(bucket))
      #expect(layout.epoch(of: entry) == epoch && layout.key(of: entry) == key)
      #expect(layout.hint(of: entry, bucket: bucket) == hint)
      #expect(entry & layout.prefixMask == layout.prefix(of: hint))
      #expect((0..<(layout.filterWords * 64)).contains(layout.filterBit(of: hint)))
    }
  }
}

extension HintIndex {
  /// What it expects, whatever numbers its epochs have and in whatever order a bucket's entries stand.
  fileprivate var content: Set<Expectation> {
    var found: Set<Expectation> = []
    for bucket in 0..<layout.buckets {
      for place in Int(offsets[bucket])..<Int(offsets[bucket + 1]) {
        let entry = entries[place]
        let key = layout.key(of: entry)
        let door = table.doorIndex(ofKey: key) ?? -1
        found.insert(
          Expectation(
            hint: layout.hint(of: entry, bucket: bucket), key: key,
            freshness: freshness(epoch: layout.epoch(of: entry), door: door)))
      }
    }
    return found
  }
}

private struct Expectation: Hashable {
  let hint: UInt32
  let key: Int
  let freshness: Freshness
}
