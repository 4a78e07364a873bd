public import AccessControl
public import POSIX

/// One line of the log: what happened, when, and who had to do with it.
///
/// Names and ids are those of the moment, so that the log tells the truth after a change of them.
public struct LedgerEvent: Hashable, Sendable {
  /// What happened, in the word of docs/cli.md, for example `granted`.
  public var kind: String
  /// The wall clock's time, kept to the millisecond.
  public var time: WallTime
  public var door: Identifier?
  public var credential: Identifier?
  public var holder: DisplayName?
  public var command: Permission?
  public var argument: UInt8?
  /// Whether the frame's freshness was a challenge; nil where no frame is behind it.
  public var byChallenge: Bool?
  public var sequence: UInt8?
  public var press: UInt8?
  public var reason: Reason?
  /// The result byte that the holder was answered, or would be; nil where it isn't known until the lock's own event.
  public var result: UInt8?
  /// The id of the event that this one belongs to, for example of the grant behind a lock that failed.
  public var follows: Int64?
  /// Anything else, for people.
  public var detail: String?

  public init(_ kind: String, at time: WallTime) {
    self.kind = kind
    self.time = time
  }
}

/// An event with its number in the log.
public struct StoredEvent: Hashable, Sendable {
  /// Rises by one from event to event, from 1.
  public let id: Int64
  public let event: LedgerEvent

  public init(id: Int64, event: LedgerEvent) {
    self.id = id
    self.event = event
  }
}

extension WallTime {
  /// Milliseconds of Unix time, rounded down; saturates.
  var milliseconds: Int64 {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, overflowed) = product.addingReportingOverflow(Int64(nanoseconds / 1_000_000))
    return overflowed ? .max : sum
  }

  init(milliseconds: Int64) {
    let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    let borrow: Int64 = remainder < 0 ? 1 : 0
    self.init(seconds: quotient - borrow, nanoseconds: Int32((remainder + borrow * 1_000) * 1_000_000))
  }
}
