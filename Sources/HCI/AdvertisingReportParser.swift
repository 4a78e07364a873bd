/// Takes advertising reports out of HCI events: legacy ones (subevent 0x02) and extended ones (0x0D).
///
/// Total: any bytes are taken, nothing traps, and each oddity is one counter. Nothing is allocated per report; only the
/// first fragment of an extended report that comes in pieces makes room for putting them together.
public struct AdvertisingReportParser: Sendable {
  private var assembler = FragmentAssembler()

  public init() {}

  /// Hands on every good report of an event, in the order in which they stand.
  ///
  /// A report that is cut off or overruns ends the event, and keeps those before it (radio.md, "what a correct host
  /// does", 9).
  ///
  /// - Parameters:
  ///   - event: a whole HCI event: its code, its length, its parameters; without the H4 type byte.
  ///   - counters: where oddities are counted.
  ///   - body: gets the report and its advertising data, which is valid during the call only.
  public mutating func forEachReport(
    in event: Span<UInt8>, counters: inout RadioCounters, _ body: (AdvertisingReport, Span<UInt8>) -> Void
  ) {
    guard event.count >= 2, event[0] == EventCode.leMeta.rawValue else {
      if event.count < 2 { counters.malformedEvents &+= 1 } else { counters.otherEvents &+= 1 }
      return
    }
    // The shorter of what the event claims and what is there.
    let end = min(event.count, 2 + Int(event[1]))
    guard end >= 4 else {
      counters.malformedEvents &+= 1
      return
    }
    switch event[2] {
    case LESubevent.advertisingReport: legacyReports(event, end, &counters, body)
    case LESubevent.extendedAdvertisingReport: extendedReports(event, end, &counters, body)
    default: counters.otherLEEvents &+= 1
    }
  }

  /// Whether an event holds a report with data: those without are no sign of a receiver that works (radio.md, 11).
  static func hasData(_ event: Span<UInt8>) -> Bool {
    var parser = AdvertisingReportParser()
    var counters = RadioCounters()
    var found = false
    parser.forEachReport(in: event, counters: &counters) { _, data in found = found || !data.isEmpty }
    return found
  }

  /// Each report: type, address type, address (6), data length, data, RSSI.
  private func legacyReports(
    _ event: Span<UInt8>, _ end: Int, _ counters: inout RadioCounters, _ body: (AdvertisingReport, Span<UInt8>) -> Void
  ) {
    var position = 4
    if event[3] == 0 { counters.emptyEvents &+= 1 }
    for _ in 0..<event[3] {
      guard end - position >= 10, end - position >= 10 + Int(event[position + 8]) else {
        counters.truncatedReports &+= 1
        return
      }
      let data = (position + 9)..<(position + 9 + Int(event[position + 8]))
      if data.count <= 31 {
        counters.reports &+= 1
        body(
          AdvertisingReport(
            eventType: UInt16(event[position]), isExtended: false, addressType: event[position + 1],
            address: event.address(at: position + 2), rssi: event[data.upperBound]),
          event.extracting(data))
      } else {
        counters.overlongReports &+= 1
      }
      position = data.upperBound + 1
    }
    if position < end { counters.trailingBytes &+= 1 }
  }

  /// Each report: type (2), address type, address (6), PHYs (2), set, power, RSSI, interval (2), peer (7), length, data.
  private mutating func extendedReports(
    _ event: Span<UInt8>, _ end: Int, _ counters: inout RadioCounters, _ body: (AdvertisingReport, Span<UInt8>) -> Void
  ) {
    var position = 4
    if event[3] == 0 { counters.emptyEvents &+= 1 }
    for _ in 0..<event[3] {
      guard end - position >= 24, end - position >= 24 + Int(event[position + 23]) else {
        counters.truncatedReports &+= 1
        return
      }
      let data = (position + 24)..<(position + 24 + Int(event[position + 23]))
      let report = AdvertisingReport(
        eventType: UInt16(event[position]) | UInt16(event[position + 1]) << 8, isExtended: true,
        addressType: event[position + 2], address: event.address(at: position + 3), rssi: event[position + 13])
      assembler.take(
        report, set: event[position + 11], data: event.extracting(data), counters: &counters, body)
      position = data.upperBound
    }
    if position < end { counters.trailingBytes &+= 1 }
  }
}

extension Span<UInt8> {
  /// The device address whose lowest byte stands at `position`; the caller has made sure that six bytes are there.
  fileprivate func address(at position: Int) -> DeviceAddress {
    var value: UInt64 = 0
    for index in 0..<6 { value |= UInt64(self[position + index]) << UInt64(8 * index) }
    return DeviceAddress(value: value)
  }
}
