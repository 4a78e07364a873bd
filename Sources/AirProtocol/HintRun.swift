internal import LatchkeyCrypto

/// The entries of one new epoch, sorted by bucket.
struct HintRun {
  /// The epoch's number in the entries.
  let number: Int
  let entries: [UInt32]
  /// Where each bucket ends in `entries`.
  let ends: [UInt32]

  /// Makes the hints of all keys of doors that have a freshness, by AES in bulk, and sorts them by counting.
  init(_ table: KeyTable, _ layout: IndexLayout, epoch: Epoch, number: Int) throws(CryptoError) {
    let doors = table.doors.indices.filter { epoch.freshness[$0] != nil }
    var words = [UInt32](repeating: 0, count: doors.reduce(0) { $0 + table.doors[$1].count })
    try HintRun.makeHints(table, doors, epoch, &words)
    var ends = [UInt32](repeating: 0, count: layout.buckets)
    HintRun.countStarts(words.span, layout, &ends)
    var entries = [UInt32](repeating: 0, count: words.count)
    var first = 0
    for door in doors {
      HintRun.distribute(words.span, from: first, keys: table.keys(ofDoor: door), number, layout, &ends, &entries)
      first += table.doors[door].count
    }
    self.number = number
    self.entries = entries
    self.ends = ends
  }

  /// The first four bytes of each key's `block`, whose first three are the hint ("Keys").
  private static func makeHints(
    _ table: KeyTable, _ doors: [Int], _ epoch: Epoch, _ words: inout [UInt32]
  ) throws(CryptoError) {
    let encryptor = try AESEncryptor()
    var span = words.mutableSpan
    var first = 0
    for index in doors {
      guard let freshness = epoch.freshness[index] else { continue }
      let door = table.doors[index]
      try encryptor.setKey(try door.hintRoot.hintKey(for: freshness))
      try encryptor.compress(door.hintSecrets, into: &span, at: first)
      first += door.count
    }
  }

  /// Where each bucket starts.
  private static func countStarts(_ words: Span<UInt32>, _ layout: IndexLayout, _ starts: inout [UInt32]) {
    var span = starts.mutableSpan
    for place in words.indices { span[layout.bucket(of: words[place] >> 8)] += 1 }
    var sum: UInt32 = 0
    for bucket in span.indices {
      let count = span[bucket]
      span[bucket] = sum
      sum += count
    }
  }

  /// Puts the entries of one door's keys into their buckets, and moves each bucket's cursor behind them.
  private static func distribute(
    _ words: Span<UInt32>, from first: Int, keys: Range<Int>, _ epoch: Int, _ layout: IndexLayout,
    _ cursors: inout [UInt32], _ entries: inout [UInt32]
  ) {
    var cursorSpan = cursors.mutableSpan
    var entrySpan = entries.mutableSpan
    for offset in 0..<keys.count {
      let hint = words[first + offset] >> 8
      let bucket = layout.bucket(of: hint)
      entrySpan[Int(cursorSpan[bucket])] = layout.entry(hint: hint, epoch: epoch, key: keys.lowerBound + offset)
      cursorSpan[bucket] += 1
    }
  }
}
