extension WallTime: CustomStringConvertible {
  /// RFC 3339 text in UTC with milliseconds, for example `2026-11-30T04:05:06.789Z`.
  public var description: String { rfc3339(milliseconds: true) }

  /// RFC 3339 text in UTC, with or without milliseconds.
  ///
  /// Outside the years 0000 to 9999, which RFC 3339 can't write, it is the bare number of seconds.
  public func rfc3339(milliseconds: Bool) -> String {
    guard (-62_167_219_200..<253_402_300_800).contains(seconds) else { return "\(seconds)" }
    let days = seconds.floorDiv(86_400)
    let second = seconds - days * 86_400
    let (year, month, day) = civilDate(daysSinceEpoch: days)
    let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    let time = "\(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    let fraction = milliseconds ? ".\(padded(Int64(nanoseconds) / 1_000_000, 3))" : ""
    return "\(date)T\(time)\(fraction)Z"
  }

  /// Reads RFC 3339 text with a zone (RFC 3339 section 5.6): `2026-11-30T05:05:06+01:00`, `2026-11-30T04:05:06.5Z`.
  ///
  /// Strict: a date that doesn't exist (30 February), a missing zone or anything behind the text is refused. A leap
  /// second `:60` is refused as well, because Unix time has none. Answers nil where the text isn't one.
  public init?(rfc3339 text: some StringProtocol) {
    var scanner = DigitScanner(Array(text.utf8))
    guard let year = scanner.digits(4), scanner.skip("-"), let month = scanner.digits(2), scanner.skip("-"),
      let day = scanner.digits(2), scanner.skip("T") || scanner.skip("t"), let hour = scanner.digits(2),
      scanner.skip(":"),
      let minute = scanner.digits(2), scanner.skip(":"), let second = scanner.digits(2)
    else { return nil }
    guard (1...12).contains(month), day >= 1, day <= daysIn(month: month, year: year), hour < 24, minute < 60,
      second < 60
    else { return nil }
    var nanoseconds = 0
    if scanner.skip(".") {
      guard let fraction = scanner.fraction() else { return nil }
      nanoseconds = fraction
    }
    guard let offset = scanner.zone(), scanner.atEnd else { return nil }
    let days = daysSinceEpoch(year: year, month: month, day: day)
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
    self.init(seconds: Int64(seconds), nanoseconds: Int32(nanoseconds))
  }
}

/// The number in decimal with leading zeros up to `width`.
private func padded(_ number: Int64, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// How many days a month of the proleptic Gregorian calendar has; 31 for a month that doesn't exist.
package func daysIn(month: Int, year: Int) -> Int {
  switch month {
  case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
  case 4, 6, 9, 11: 30
  default: 31
  }
}

/// Days from 1970-01-01 to a date of the proleptic Gregorian calendar.
package func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
  // Years are counted from March, so that a leap day is the last day of its year.
  let shifted = month > 2 ? year : year - 1
  let era = (shifted >= 0 ? shifted : shifted - 399) / 400
  let yearOfEra = shifted - era * 400
  let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
  let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/// The date of the proleptic Gregorian calendar that many days after 1970-01-01; the other way of `daysSinceEpoch`.
package func civilDate(daysSinceEpoch days: Int64) -> (year: Int64, month: Int64, day: Int64) {
  let shifted = days + 719_468
  let era = shifted.floorDiv(146_097)
  let dayOfEra = shifted - era * 146_097
  let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let shiftedMonth = (5 * dayOfYear + 2) / 153
  let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
}

extension Int64 {
  /// The quotient rounded towards minus infinity; `divisor` is positive.
  fileprivate func floorDiv(_ divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

/// Reads fixed-width decimal fields from ASCII.
private struct DigitScanner {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var atEnd: Bool { position == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
    position += 1
    return true
  }

  mutating func digits(_ count: Int) -> Int? {
    guard bytes.count - position >= count else { return nil }
    var value = 0
    for byte in bytes[position..<(position + count)] {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    position += count
    return value
  }

  /// One to nine digits behind the point, as nanoseconds.
  mutating func fraction() -> Int? {
    var value = 0
    var count = 0
    while let digit = digits(1) {
      guard count < 9 else { return nil }
      value = value * 10 + digit
      count += 1
    }
    guard count > 0 else { return nil }
    for _ in count..<9 { value *= 10 }
    return value
  }

  /// `Z` or `±HH:MM`, as seconds east of Greenwich.
  mutating func zone() -> Int? {
    if skip("Z") || skip("z") { return 0 }
    let sign: Int
    if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
    guard let hours = digits(2), skip(":"), let minutes = digits(2), hours < 24, minutes < 60 else { return nil }
    return sign * (hours * 3_600 + minutes * 60)
  }
}
