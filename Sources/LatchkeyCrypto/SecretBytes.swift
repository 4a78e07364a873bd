internal import COpenSSL

/// Bytes that are wiped when the last value that shares them ends (OPENSSL_cleanse).
///
/// Immutable once made; copies and parts share the memory. No description shows what it holds.
@safe public struct SecretBytes: Sendable {
  private let region: Region
  private let start: Int
  /// How many bytes.
  public let count: Int

  private init(region: Region, start: Int, count: Int) {
    self.region = region
    self.start = start
    self.count = count
  }

  /// So many zero bytes (none for a negative count) that `fill` then writes over; where it throws, they are wiped.
  public init<Failure: Error>(
    count: Int, filling fill: (inout MutableSpan<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    let region = Region(count: max(0, count))
    try unsafe region.fill { buffer throws(Failure) in
      var span = unsafe MutableSpan(_unsafeElements: buffer)
      try fill(&span)
    }
    self.init(region: region, start: 0, count: region.count)
  }

  /// A copy of these bytes; the original isn't wiped.
  public init(copying bytes: Span<UInt8>) {
    self.init(count: bytes.count) { span in
      for index in span.indices { span[index] = bytes[index] }
    }
  }

  /// A copy of these bytes; the original isn't wiped.
  public init(copying bytes: [UInt8]) { self.init(copying: bytes.span) }

  /// The 16 bytes of a block.
  public init(copying block: Block) { self.init(copying: block.bytes) }

  /// A part that shares the memory of the whole; nil where the range isn't within it.
  public func part(_ range: Range<Int>) -> SecretBytes? {
    guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
    return SecretBytes(region: region, start: start + range.lowerBound, count: range.count)
  }

  /// Lends the bytes to `body`.
  public func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe withBuffer { buffer throws(Failure) in
      try body(unsafe Span(_unsafeElements: buffer))
    }
  }

  /// How many whole blocks of 16 bytes there are.
  public var blockCount: Int { count / Block.size }

  /// The bytes 16·index ..< 16·index + 16; nil where they aren't all there.
  public func block(at index: Int) -> Block? {
    guard index >= 0, index < blockCount else { return nil }
    return withExtendedLifetime(region) {
      let address = unsafe region.base + start + index * Block.size
      return unsafe Block(
        high: UInt64(bigEndian: address.loadUnaligned(as: UInt64.self)),
        low: UInt64(bigEndian: address.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
  }

  /// Lends the bytes to a C call; the buffer's address is never nil.
  func withBuffer<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withExtendedLifetime(region) { () throws(Failure) in
      let address = unsafe (region.base + start).assumingMemoryBound(to: UInt8.self)
      return try unsafe body(UnsafeBufferPointer(start: address, count: count))
    }
  }

  /// The memory itself.
  @safe private final class Region: @unchecked Sendable {
    // Safety: written only by `fill`, before anyone else has it.
    let base: UnsafeMutableRawPointer
    let count: Int

    init(count: Int) {
      self.count = count
      // One byte at least, so that every C call gets an address.
      unsafe base = .allocate(byteCount: max(1, count), alignment: Block.size)
      unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: max(1, count))
    }

    func fill<Failure: Error>(_ body: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Void) throws(Failure) {
      try unsafe body(UnsafeMutableBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: count))
    }

    deinit {
      unsafe OPENSSL_cleanse(base, count)
      unsafe base.deallocate()
    }
  }
}

extension SecretBytes: Equatable {
  /// Compares in a time that depends on the counts only (CRYPTO_memcmp).
  public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withBuffer { leftBytes in
      unsafe right.withBuffer { unsafe CRYPTO_memcmp(leftBytes.baseAddress, $0.baseAddress, leftBytes.count) == 0 }
    }
  }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// How many bytes, and nothing about them.
  public var description: String { "SecretBytes(\(count))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
