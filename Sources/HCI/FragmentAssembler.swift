/// Puts extended advertising reports together that come in pieces (Core Specification, Vol 4, Part E, 7.7.65.13).
///
/// At most four advertisers' pieces are held at a time: a fifth takes the place of the oldest. Nothing is allocated
/// before the first piece.
struct FragmentAssembler: Sendable {
  /// The longest data that an advertiser may have in extended advertising.
  static let longestData = 1650
  static let slotCount = 4

  private struct Slot {
    var report: AdvertisingReport
    var set: UInt8
    /// Where over-long data was seen, the remaining pieces are swallowed.
    var overflowed = false
    var data: [UInt8]
  }

  private var slots: [Slot] = []

  /// Hands the report on once it is whole.
  mutating func take(
    _ report: AdvertisingReport, set: UInt8, data: Span<UInt8>, counters: inout RadioCounters,
    _ body: (AdvertisingReport, Span<UInt8>) -> Void
  ) {
    // Bits 5 and 6, Data_Status: 0 complete, 1 more to come, 2 cut short by the controller (no more to come), 3 reserved.
    let status = report.eventType >> 5 & 3
    let known = slots.isEmpty ? nil : index(of: report, set)
    if status == 1 {
      append(report, set, data, known, &counters)
    } else if let known {
      finish(report, data, known, status, &counters, body)
    } else if report.eventType & 0x10 != 0 && data.count > 31 {
      // Bit 4: a legacy PDU, which has no room for more than 31 bytes.
      counters.overlongReports &+= 1
    } else {
      deliver(report, data, status, &counters, body)
    }
  }

  private func index(of report: AdvertisingReport, _ set: UInt8) -> Int? {
    slots.firstIndex {
      $0.report.address == report.address && $0.report.addressType == report.addressType && $0.set == set
        && $0.report.isScanResponse == report.isScanResponse
    }
  }

  private mutating func append(
    _ report: AdvertisingReport, _ set: UInt8, _ data: Span<UInt8>, _ known: Int?, _ counters: inout RadioCounters
  ) {
    if let known {
      if slots[known].data.count + data.count <= Self.longestData {
        slots[known].data.append(contentsOf: data)
      } else {
        slots[known].overflowed = true
      }
      return
    }
    if slots.count == Self.slotCount {
      slots.removeFirst()
      counters.unfinishedReports &+= 1
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.longestData)
    bytes.append(contentsOf: data)
    slots.append(Slot(report: report, set: set, data: bytes))
  }

  private mutating func finish(
    _ report: AdvertisingReport, _ data: Span<UInt8>, _ known: Int, _ status: UInt16,
    _ counters: inout RadioCounters, _ body: (AdvertisingReport, Span<UInt8>) -> Void
  ) {
    var slot = slots.remove(at: known)
    guard !slot.overflowed, slot.data.count + data.count <= Self.longestData else {
      counters.overlongReports &+= 1
      return
    }
    slot.data.append(contentsOf: data)
    deliver(report, slot.data.span, status, &counters, body)
  }

  private func deliver(
    _ report: AdvertisingReport, _ data: Span<UInt8>, _ status: UInt16, _ counters: inout RadioCounters,
    _ body: (AdvertisingReport, Span<UInt8>) -> Void
  ) {
    counters.reports &+= 1
    if status != 0 { counters.incompleteReports &+= 1 }
    body(report, data)
  }
}

extension [UInt8] {
  /// Appends the bytes of a span.
  mutating func append(contentsOf span: Span<UInt8>) {
    for index in span.indices { append(span[index]) }
  }
}
