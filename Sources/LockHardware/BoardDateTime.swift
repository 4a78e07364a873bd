internal import POSIX

/// Date and time in 32 bits, as the board has them (docs/serial-board.md, "Date and time"): UTC, to the minute.
///
/// From the highest bit: years since 2000 (5 bits), month (4), day (5), hour (5), minute (6), weekday (3, Monday is 1),
/// spare (4, zero). All zero: unknown.
enum BoardDateTime {
  /// From 2000-01-01 to the end of 2031, in Unix seconds: what five bits of years can say.
  private static let range: Range<Int64> = 946_684_800..<1_956_528_000

  /// The bits of a moment; 0 for one that can't be said.
  static func pack(_ time: WallTime) -> UInt32 {
    guard range.contains(time.seconds) else { return 0 }
    let days = time.seconds / 86_400
    let minutes = time.seconds % 86_400 / 60
    let (year, month, day) = civilDate(daysSinceEpoch: days)
    // 1970-01-01 was a Thursday.
    let weekday = (days + 3) % 7 + 1
    let fields = [(year - 2000, 5), (month, 4), (day, 5), (minutes / 60, 5), (minutes % 60, 6), (weekday, 3), (0, 4)]
    return fields.reduce(0) { bits, field in bits << field.1 | UInt32(truncatingIfNeeded: field.0) }
  }

  /// The moment that bits stand for; nil where they stand for none.
  ///
  /// Weekday and spare bits are passed over: the date says which day of the week it is.
  static func unpack(_ bits: UInt32) -> WallTime? {
    func field(_ shift: UInt32, _ width: UInt32) -> Int { Int(bits >> shift & (1 << width - 1)) }
    let (year, month, day) = (2000 + field(27, 5), field(23, 4), field(18, 5))
    let (hour, minute) = (field(13, 5), field(7, 6))
    guard (1...12).contains(month), day >= 1, day <= daysIn(month: month, year: year), hour < 24, minute < 60 else {
      return nil
    }
    let days = daysSinceEpoch(year: year, month: month, day: day)
    return WallTime(seconds: Int64(days * 86_400 + hour * 3_600 + minute * 60))
  }
}
