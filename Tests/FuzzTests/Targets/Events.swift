@testable import HCI

/// HCI events in a row, so that fragments of extended reports meet; each stands behind a byte with its length.
func checkEvents(_ input: [UInt8]) throws {
  var source = ByteSource(input)
  var parser = AdvertisingReportParser()
  var counters = RadioCounters()
  var sums = Sums()
  while !source.isEmpty {
    let event = source.bytes(Int(source.byte()))
    try checkReports(event, &parser, &counters, &sums)
    try checkEvent(event)
  }
}

private struct Sums {
  /// What all events claimed by Num_Reports.
  var claimed: UInt64 = 0
  var bytes = 0
  var heardBytes = 0
}

private func checkReports(
  _ event: [UInt8], _ parser: inout AdvertisingReportParser, _ counters: inout RadioCounters, _ sums: inout Sums
) throws {
  let before = counters
  let heard = reports(in: event, &parser, &counters)
  let other = counters.malformedEvents + counters.otherEvents + counters.otherLEEvents
  let otherBefore = before.malformedEvents + before.otherEvents + before.otherLEEvents
  try require(other - otherBefore <= 1, "an event is counted once")
  if other == otherBefore, event.count >= 4 { sums.claimed += UInt64(event[3]) }
  try require(other == otherBefore || heard.isEmpty, "what isn't a report event has no reports")
  try require(counters.reports - before.reports == UInt64(heard.count), "each report is counted")
  for report in heard {
    try require(report.data.count <= (report.report.isExtended ? 1650 : 31), "no report exceeds its format")
  }
  let accounted = counters.reports + counters.overlongReports + counters.unfinishedReports
  try require(accounted <= sums.claimed, "no more reports are handed on or dropped than were claimed")
  sums.bytes += event.count
  sums.heardBytes += heard.reduce(0) { $0 + $1.data.count }
  try require(sums.heardBytes <= sums.bytes, "no byte is handed on twice")

  let all = reportsAlone(in: event)
  for end in [event.count / 2, max(0, event.count - 1)] {
    let some = reportsAlone(in: Array(event[..<end]))
    try require(all.starts(with: some), "a truncated event gives the first of the reports")
  }
}

/// What the host controller makes of an event says all that the event said.
private func checkEvent(_ event: [UInt8]) throws {
  let parsed = HCIEvent(parsing: event.span)
  guard event.count >= 2, event.count - 2 >= Int(event[1]) else {
    return try require(parsed == .malformed, "an event shorter than it claims is malformed")
  }
  let parameters = Array(event[2..<(2 + Int(event[1]))])
  switch parsed {
  case .complete(let opcode, let credits, let status, let rest):
    let made = [credits] + littleEndian(opcode) + (status.map { [$0.rawValue] } ?? []) + rest
    try require(event[0] == 0x0E && made == parameters, "Command Complete reads as it was written")
  case .status(let opcode, let credits, let status):
    let made = [status.rawValue, credits] + littleEndian(opcode)
    try require(event[0] == 0x0F && parameters.starts(with: made), "Command Status reads as it was written")
  case .hardwareError(let code):
    try require(event[0] == 0x10 && parameters.first == code, "Hardware Error reads as it was written")
  case .malformed:
    let least: [UInt8: Int] = [0x0E: 3, 0x0F: 4, 0x10: 1]
    try require(parameters.count < least[event[0]] ?? 0, "only what is too short is malformed")
  case .other:
    try require(![0x0E, 0x0F, 0x10].contains(event[0]), "replies and errors are read")
  }
}

private struct Heard: Equatable {
  let report: AdvertisingReport
  let data: [UInt8]
}

private func reports(
  in event: [UInt8], _ parser: inout AdvertisingReportParser, _ counters: inout RadioCounters
) -> [Heard] {
  var heard: [Heard] = []
  parser.forEachReport(in: event.span, counters: &counters) { heard.append(Heard(report: $0, data: bytes($1))) }
  return heard
}

private func reportsAlone(in event: [UInt8]) -> [Heard] {
  var parser = AdvertisingReportParser()
  var counters = RadioCounters()
  return reports(in: event, &parser, &counters)
}

private func littleEndian(_ opcode: Opcode) -> [UInt8] {
  [UInt8(truncatingIfNeeded: opcode.rawValue), UInt8(opcode.rawValue >> 8)]
}
