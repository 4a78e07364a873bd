/// How often the radio did what, one counter for each kind of broken input (radio.md, "what a correct host does", 9).
///
/// A plain value: each thread counts into its own, and `+=` joins them.
public struct RadioCounters: Hashable, Sendable {
  // Advertising reports
  /// Advertising reports handed on.
  public var reports: UInt64 = 0
  /// Report events with no report in them.
  public var emptyEvents: UInt64 = 0
  /// Reports cut off by the end of their event; those before them in it were handed on.
  public var truncatedReports: UInt64 = 0
  /// Reports dropped for more data than the format allows: 31 bytes (legacy), 1650 bytes (put together).
  public var overlongReports: UInt64 = 0
  /// Report events with bytes behind the last report.
  public var trailingBytes: UInt64 = 0
  /// Reports whose data the controller itself cut short; handed on as they are.
  public var incompleteReports: UInt64 = 0
  /// Fragmented reports whose last fragment never came.
  public var unfinishedReports: UInt64 = 0
  /// LE events that are no advertising reports.
  public var otherLEEvents: UInt64 = 0
  /// Events dropped because the consumer was too slow.
  public var droppedEvents: UInt64 = 0

  // Packets
  /// Events too short for what they claim to be.
  public var malformedEvents: UInt64 = 0
  /// Events of no use here.
  public var otherEvents: UInt64 = 0
  /// Packets that aren't events: data, or commands from a controller.
  public var unexpectedPackets: UInt64 = 0
  /// Replies to no command that is waited for: late or invented.
  public var unmatchedReplies: UInt64 = 0
  /// Bytes of a serial line before its first packet: noise, or the rest of what was sent to another.
  public var skippedBytes: UInt64 = 0

  // Supervision
  /// Commands without a reply in time.
  public var commandTimeouts: UInt64 = 0
  /// Commands that the controller refused.
  public var refusedCommands: UInt64 = 0
  /// Hardware Error events.
  public var hardwareErrors: UInt64 = 0
  /// Streams that held something that begins no packet.
  public var framingErrors: UInt64 = 0
  /// Resets after a fault.
  public var resets: UInt64 = 0
  /// Times that nothing was heard for so long that something was done about it.
  public var silences: UInt64 = 0
  /// Streams lost or given up, each followed by another attempt.
  public var reconnects: UInt64 = 0

  /// All counters at 0.
  public init() {}

  /// Adds the counts of another thread.
  public static func += (left: inout RadioCounters, right: RadioCounters) {
    for path in all { left[keyPath: path.field] &+= right[keyPath: path.field] }
  }

  /// Every counter with its name in summaries, in a fixed order.
  public var entries: [(name: String, value: UInt64)] { Self.all.map { ($0.name, self[keyPath: $0.field]) } }

  // Key paths of stored properties carry nothing that could be shared by mistake.
  private typealias Field = any WritableKeyPath<RadioCounters, UInt64> & Sendable

  private static let all: [(name: String, field: Field)] = [
    ("reports", \.reports), ("emptyEvents", \.emptyEvents), ("truncatedReports", \.truncatedReports),
    ("overlongReports", \.overlongReports), ("trailingBytes", \.trailingBytes),
    ("incompleteReports", \.incompleteReports), ("unfinishedReports", \.unfinishedReports),
    ("otherLEEvents", \.otherLEEvents), ("droppedEvents", \.droppedEvents), ("malformedEvents", \.malformedEvents),
    ("otherEvents", \.otherEvents), ("unexpectedPackets", \.unexpectedPackets),
    ("unmatchedReplies", \.unmatchedReplies), ("skippedBytes", \.skippedBytes),
    ("commandTimeouts", \.commandTimeouts), ("refusedCommands", \.refusedCommands),
    ("hardwareErrors", \.hardwareErrors), ("framingErrors", \.framingErrors), ("resets", \.resets),
    ("silences", \.silences), ("reconnects", \.reconnects),
  ]
}
