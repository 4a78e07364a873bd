internal import CPOSIX
internal import Glibc

/// What a descriptor is ready for, or is waited for to be (poll(2)).
public struct Readiness: OptionSet, Sendable {
  public let rawValue: Int16

  public init(rawValue: Int16) { self.rawValue = rawValue }

  /// A read won't block: there are bytes, or the stream has ended.
  public static let readable = Readiness(rawValue: Int16(POLLIN))
  /// A write won't block.
  public static let writable = Readiness(rawValue: Int16(POLLOUT))
  /// The other end is gone, or the descriptor is broken; told whether asked for or not.
  public static let broken = Readiness(rawValue: Int16(POLLERR | POLLHUP | POLLNVAL))
}

/// A list of descriptors to wait for (poll(2)); it can be waited on again and again without allocating.
public struct Poller: Sendable {
  private var entries: [pollfd]

  /// - Parameter interests: open descriptors and what to wait for; the caller keeps them open.
  public init(_ interests: [(descriptor: Int32, readiness: Readiness)]) {
    entries = interests.map { pollfd(fd: $0.descriptor, events: $0.readiness.rawValue, revents: 0) }
  }

  /// Waits until one of them is ready.
  ///
  /// - Parameter deadline: nil waits without end; a moment in the past only looks.
  /// - Returns: false where the deadline passed first.
  public mutating func wait(until deadline: BootInstant?) throws(Errno) -> Bool {
    let count = nfds_t(entries.count)
    return try systemCall { () -> Int32 in
      // Computed within: an interrupted call waits for the rest only.
      let milliseconds = deadline.map { Poller.milliseconds(until: $0) } ?? -1
      return unsafe entries.withUnsafeMutableBufferPointer { buffer in
        unsafe poll(buffer.baseAddress, count, milliseconds)
      }
    } > 0
  }

  /// What the descriptor at `index` of the list was ready for after the last wait.
  public func readiness(at index: Int) -> Readiness {
    entries.indices.contains(index) ? Readiness(rawValue: entries[index].revents) : []
  }

  /// Rounded up, so that a wait never ends before its deadline.
  private static func milliseconds(until deadline: BootInstant) -> Int32 {
    let nanoseconds = (deadline - BootInstant.now()).wholeNanoseconds
    return nanoseconds <= 0 ? 0 : Int32(clamping: (nanoseconds - 1) / 1_000_000 + 1)
  }
}

/// A way to end another thread's wait on descriptors (eventfd(2)).
public final class WakeUp: Sendable {
  private let event: FileDescriptor

  public init() throws(Errno) {
    event = FileDescriptor(
      takingOwnershipOf: try systemCall { cposix_eventfd() })
  }

  /// The descriptor to wait on: readable from `signal` until `clear`.
  public var descriptor: Int32 { event.number }

  /// Ends the wait, or the next one.
  public func signal() {
    // It can't fail but for a counter near 2^64, which is a signal already.
    var one: UInt64 = 1
    _ = unsafe write(event.number, &one, MemoryLayout<UInt64>.size)
  }

  /// Takes the signals so far; the descriptor is quiet again.
  public func clear() {
    var signals: UInt64 = 0
    _ = unsafe read(event.number, &signals, MemoryLayout<UInt64>.size)
  }
}
