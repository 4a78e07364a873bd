/// How a `HintIndex` packs hints, epochs and keys, by the number of keys.
///
/// An entry is `rest of the hint ‖ epoch (4 bits) ‖ key`, in 32 bits. The rest of the hint is what its bucket doesn't
/// tell: there are a quarter as many buckets as keys, so that the sum of the three fields is 30 bits at every size.
struct IndexLayout: Hashable {
  /// Bits of a key's number.
  let keyBits: UInt32
  /// Leading bits of a hint that name its bucket.
  let bucketBits: UInt32
  /// Leading bits of a hint that name its bit of the filter.
  let filterBits: UInt32

  static let hintBits: UInt32 = 24
  static let epochBits: UInt32 = 4

  init(keys: Int, epochs: Int) {
    keyBits = IndexLayout.bits(toCount: keys)
    bucketBits = keyBits > 2 ? keyBits - 2 : 0
    // About eight bits an entry: one foreign hint in eight passes. A hint's own 24 bits are the most there can be.
    let bits = IndexLayout.bits(toCount: keys * epochs) + 3
    filterBits = min(max(bits, 6), IndexLayout.hintBits)
  }

  /// Bits of the hint that stand in the entry.
  var restBits: UInt32 { IndexLayout.hintBits - bucketBits }

  var buckets: Int { 1 << Int(bucketBits) }

  /// Words of 64 bits in the filter.
  var filterWords: Int { 1 << Int(filterBits - 6) }

  func bucket(of hint: UInt32) -> Int { Int(hint >> restBits) }

  /// An entry without its epoch and key: what a hint's entries have in common.
  func prefix(of hint: UInt32) -> UInt32 { (hint & ((1 << restBits) - 1)) << (IndexLayout.epochBits + keyBits) }

  /// Takes epoch and key out of an entry, leaving the prefix.
  var prefixMask: UInt32 { ~((1 << (IndexLayout.epochBits + keyBits)) - 1) }

  func entry(hint: UInt32, epoch: Int, key: Int) -> UInt32 { prefix(of: hint) | UInt32(epoch) << keyBits | UInt32(key) }

  func epoch(of entry: UInt32) -> Int { Int(entry >> keyBits & 15) }

  func key(of entry: UInt32) -> Int { Int(entry & ((1 << keyBits) - 1)) }

  /// The hint of an entry in a bucket.
  func hint(of entry: UInt32, bucket: Int) -> UInt32 {
    UInt32(bucket) << restBits | entry >> (IndexLayout.epochBits + keyBits)
  }

  /// The bit of the filter, counted through all words.
  func filterBit(of hint: UInt32) -> Int { Int(hint >> (IndexLayout.hintBits - filterBits)) }

  /// How many bits number that many things.
  private static func bits(toCount count: Int) -> UInt32 {
    count > 1 ? UInt32(Int.bitWidth - (count - 1).leadingZeroBitCount) : 0
  }
}
