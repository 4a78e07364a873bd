public import AccessControl

/// The rules of a bundle's credentials, sorted by id, as compact as they lie in the file.
///
/// They stay encoded, 32 bytes and the two names each, and are decoded when asked for. All were checked once when the
/// bundle was loaded.
public struct BundleRules: Sendable {
  /// Records, then the heap.
  private let bytes: [UInt8]
  /// How many credentials there are.
  public let count: Int

  /// Takes records and heap of a bundle after looking at all of them.
  ///
  /// - Parameter heapStart: how many bytes of the heap the header's own texts take.
  /// - Throws: `malformed` with the first record that isn't as it must be.
  init(
    checking part: Span<UInt8>, count: Int, heapStart: Int
  ) throws(BundleError) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(part.count)
    for index in part.indices { bytes.append(part[index]) }
    self.bytes = bytes
    self.count = count
    try check(heapStart)
  }

  /// The rule of a credential; nil for an index outside 0 ..< count.
  public subscript(index: Int) -> CredentialRule? {
    guard let record = record(index), let id = id(at: index) else { return nil }
    let holder = String(decoding: heap(record).dropFirst(Int(record.idLength)), as: UTF8.self)
    do throws(DisplayNameError) {
      return record.rule(id: id, holder: try DisplayName(holder))
    } catch {
      return nil
    }
  }

  /// The id of a credential; nil for an index outside 0 ..< count.
  public func id(at index: Int) -> Identifier? {
    guard let record = record(index) else { return nil }
    return Identifier(String(decoding: heap(record).prefix(Int(record.idLength)), as: UTF8.self))
  }

  /// The index of a credential by binary search; nil where the bundle doesn't have it.
  public func index(of id: Identifier) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      guard let found = record(middle) else { return nil }
      let bytes = heap(found).prefix(Int(found.idLength))
      if bytes.elementsEqual(id.text.utf8) { return middle }
      if bytes.lexicographicallyPrecedes(id.text.utf8) { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  /// The active credentials of a freshness: the first one's index, and how many there are.
  ///
  /// Decodes no names: a million take some milliseconds.
  public func active(by policy: FreshnessPolicy) -> (first: Int?, count: Int) {
    let span = bytes.span
    var result: (first: Int?, count: Int) = (nil, 0)
    for index in 0..<count {
      let record = RuleRecord(reading: span, at: index * BundleLayout.recordSize)
      guard record.isActive(by: policy) else { continue }
      result = (result.first ?? index, result.count + 1)
    }
    return result
  }

  private func record(_ index: Int) -> RuleRecord? {
    guard index >= 0, index < count else { return nil }
    return RuleRecord(reading: bytes.span, at: index * BundleLayout.recordSize)
  }

  /// Id and holder of a record that was checked.
  private func heap(_ record: RuleRecord) -> ArraySlice<UInt8> {
    let start = count * BundleLayout.recordSize + Int(record.heapOffset)
    let end = start + record.heapLength
    return end <= bytes.count ? bytes[start..<end] : []
  }

  /// Looks at every record: fields, ids in rising order, the heap without gaps and without rest.
  private func check(_ heapStart: Int) throws(BundleError) {
    let all = bytes.span
    let heap = count * BundleLayout.recordSize
    var next = heapStart
    var previous = 0..<0
    for index in 0..<count {
      let record = RuleRecord(reading: all, at: index * BundleLayout.recordSize)
      if let fault = record.fault { throw .malformed("rule \(index): \(fault)") }
      guard record.heapOffset == next, heap + next + record.heapLength <= all.count else {
        throw .malformed("rule \(index): expected its names at offset \(next) of the heap")
      }
      let id = (heap + next)..<(heap + next + Int(record.idLength))
      guard isIdentifier(all, id) else { throw .malformed("rule \(index): expected an id") }
      guard index == 0 || precedes(all, previous, id) else {
        throw .malformed("rule \(index): expected ids in rising order")
      }
      guard isDisplayName(all, id.upperBound..<(id.upperBound + Int(record.holderLength))) else {
        throw .malformed("rule \(index): expected a holder's name")
      }
      previous = id
      next += record.heapLength
    }
    guard heap + next == all.count else { throw .malformed("expected \(next) bytes of heap") }
  }
}

/// Whether the bytes are an `Identifier`.
func isIdentifier(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
  Identifier(utf8: bytes.extracting(range)) != nil
}

/// Whether the bytes are a `DisplayName` in the form in which it stores them.
func isDisplayName(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
  guard let first = range.first, let last = range.last, range.count <= DisplayName.longest else { return false }
  var isPlain = bytes[first] != 0x20 && bytes[last] != 0x20
  for index in range where !(0x20...0x7E).contains(bytes[index]) { isPlain = false }
  if isPlain { return true }
  let copy = range.map { bytes[$0] }
  do throws(DisplayNameError) {
    return try DisplayName(String(decoding: copy, as: UTF8.self)).text.utf8.elementsEqual(copy)
  } catch {
    return false
  }
}

/// The bytes as text; what isn't UTF-8 becomes U+FFFD.
func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
  String(decoding: range.map { bytes[$0] }, as: UTF8.self)
}

/// Whether the first bytes come before the second in the order of bytes.
private func precedes(_ bytes: Span<UInt8>, _ left: Range<Int>, _ right: Range<Int>) -> Bool {
  for (a, b) in zip(left, right) where bytes[a] != bytes[b] { return bytes[a] < bytes[b] }
  return left.count < right.count
}
