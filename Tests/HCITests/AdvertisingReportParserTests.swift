import Testing

@testable import HCI

@Suite struct AdvertisingReportParserTests {
  /// Parses events in turn with one parser.
  private func parse(_ events: [[UInt8]]) -> ([Heard], RadioCounters) {
    var parser = AdvertisingReportParser()
    var counters = RadioCounters()
    var heard: [Heard] = []
    for event in events {
      parser.forEachReport(in: event.span, counters: &counters) { report, data in
        heard.append(Heard(report: report, data: bytes(data)))
      }
    }
    return (heard, counters)
  }

  private static let flags = hex("02 01 06")

  @Test func readsALegacyReport() throws {
    let (heard, counters) = parse([legacyEvent([legacyReport(data: Self.flags)])])
    let only = try #require(heard.first)
    #expect(heard.count == 1)
    #expect(only.data == Self.flags)
    #expect(only.report.address.description == "06:05:04:03:02:01")
    #expect(only.report.addressType == 1)
    #expect(only.report.eventType == 3)
    #expect(only.report.rssi == -56)
    #expect(!only.report.isExtended && !only.report.isConnectable && !only.report.isScanResponse)
    #expect(counters.entries.filter { $0.value > 0 }.map(\.name) == ["reports"])
  }

  @Test func readsAnExtendedReport() throws {
    let data = [UInt8](repeating: 5, count: 200)
    let (heard, counters) = parse([extendedEvent([extendedReport(type: 0x09, data: data)])])
    let only = try #require(heard.first)
    #expect(only.data == data)
    #expect(only.report.address.description == "06:05:04:03:02:01")
    #expect(only.report.rssi == -56)
    #expect(only.report.isExtended && only.report.isConnectable && only.report.isScanResponse)
    #expect(counters.entries.filter { $0.value > 0 }.map(\.name) == ["reports"])
  }

  @Test(arguments: [
    (0 as UInt8, true, false), (1, true, false), (2, false, false), (3, false, false), (4, false, true),
    (0xFE, false, false),
  ])
  func keepsEveryEventType(_ type: UInt8, _ isConnectable: Bool, _ isScanResponse: Bool) throws {
    let (heard, _) = parse([legacyEvent([legacyReport(type: type, data: [])])])
    let report = try #require(heard.first?.report)
    #expect(report.eventType == UInt16(type))
    #expect(report.isConnectable == isConnectable)
    #expect(report.isScanResponse == isScanResponse)
  }

  @Test func anRSSIOf127IsUnknown() {
    let (heard, _) = parse([legacyEvent([legacyReport(data: [], rssi: 127), legacyReport(data: [], rssi: 0x14)])])
    #expect(heard.map(\.report.rssi) == [nil, 20])
  }

  /// An event, what is heard of it (the data's first bytes), and the counter that rises.
  struct Oddity: CustomTestStringConvertible, Sendable {
    let what: String
    let event: [UInt8]
    let heard: [UInt8]
    let counter: String?
    var testDescription: String { what }

    init(_ what: String, _ event: [UInt8], heard: [UInt8] = [], counter: String?) {
      self.what = what
      self.event = event
      self.heard = heard
      self.counter = counter
    }
  }

  private static let one = legacyReport(data: [1])
  private static let two = legacyReport(data: [2, 2])
  private static let long = legacyReport(data: [UInt8](repeating: 3, count: 32))
  private static let bigOne = extendedReport(data: [1])
  private static let bigTwo = extendedReport(data: [2, 2])

  static let oddities: [Oddity] = [
    Oddity("several", legacyEvent([one, two, one]), heard: [1, 2, 1], counter: nil),
    Oddity("none", legacyEvent([], count: 0), counter: "emptyEvents"),
    Oddity("count too high", legacyEvent([one, two], count: 3), heard: [1, 2], counter: "truncatedReports"),
    Oddity("count too low", legacyEvent([one, two], count: 1), heard: [1], counter: "trailingBytes"),
    Oddity("the last one cut", Array(legacyEvent([one, two]).dropLast()), heard: [1], counter: "truncatedReports"),
    Oddity(
      "data overruns", legacyEvent([one, legacyReport(data: [2, 2], length: 3)]), heard: [1],
      counter: "truncatedReports"),
    Oddity("over 31 bytes", legacyEvent([one, long, two]), heard: [1, 2], counter: "overlongReports"),
    Oddity("shorter than it claims", [0x3E, 200] + legacyEvent([one]).dropFirst(2), heard: [1], counter: nil),
    Oddity("longer than it claims", legacyEvent([one]) + [0, 0], heard: [1], counter: nil),
    Oddity("no parameters", [0x3E, 0], counter: "malformedEvents"),
    Oddity("no count", [0x3E, 1, 2], counter: "malformedEvents"),
    Oddity("one byte", [0x3E], counter: "malformedEvents"),
    Oddity("no byte", [], counter: "malformedEvents"),
    Oddity("another event", complete(.reset), counter: "otherEvents"),
    Oddity("another LE event", event(0x3E, [0x01, 0, 0, 0]), counter: "otherLEEvents"),
    Oddity("several, extended", extendedEvent([bigOne, bigTwo]), heard: [1, 2], counter: nil),
    Oddity("none, extended", extendedEvent([], count: 0), counter: "emptyEvents"),
    Oddity("count too high, extended", extendedEvent([bigOne], count: 2), heard: [1], counter: "truncatedReports"),
    Oddity("count too low, extended", extendedEvent([bigOne, bigTwo], count: 1), heard: [1], counter: "trailingBytes"),
    Oddity(
      "cut, extended", Array(extendedEvent([bigOne, bigTwo]).dropLast()), heard: [1], counter: "truncatedReports"),
    Oddity(
      "over 31 bytes of a legacy advertisement", extendedEvent([extendedReport(type: 0x10, data: long), bigOne]),
      heard: [1], counter: "overlongReports"),
    Oddity(
      "cut short by the controller", extendedEvent([extendedReport(type: 0x40, data: [4])]), heard: [4],
      counter: "incompleteReports"),
  ]

  @Test(arguments: oddities)
  func countsEachOddityAndKeepsWhatIsGood(_ oddity: Oddity) {
    let (heard, counters) = parse([oddity.event])
    #expect(heard.compactMap(\.data.first) == oddity.heard)
    var risen = counters.entries.filter { $0.value > 0 }.map(\.name)
    risen.removeAll { $0 == "reports" }
    #expect(risen == (oddity.counter.map { [$0] } ?? []))
    #expect(counters.reports == UInt64(oddity.heard.count))
  }

  @Test func everyTruncationKeepsTheReportsBefore() {
    for event in [legacyEvent([Self.one, Self.two, Self.long, Self.one]), extendedEvent([Self.bigOne, Self.bigTwo])] {
      let (all, _) = parse([event])
      for end in 0..<event.count {
        let (heard, counters) = parse([Array(event[..<end])])
        #expect(heard == Array(all.prefix(heard.count)), "cut at \(end)")
        #expect(heard.count < all.count, "cut at \(end)")
        let odd = counters.malformedEvents + counters.truncatedReports
        #expect(odd == 1, "cut at \(end)")
      }
    }
  }

  @Test func anyBytesAreTaken() {
    var random = Pseudorandom(seed: 4)
    var parser = AdvertisingReportParser()
    var counters = RadioCounters()
    var total = 0
    for round in 0..<50_000 {
      var event = random.bytes(Int.random(in: 0...257, using: &random))
      if event.count > 3, round % 8 != 0 {
        event[0] = 0x3E
        event[2] = round % 2 == 0 ? 0x02 : 0x0D
        event[3] %= 4
        if event.count > 12 { event[12] %= 40 }
      }
      parser.forEachReport(in: event.span, counters: &counters) { _, data in total += data.count }
    }
    #expect(counters.reports > 1000 && counters.truncatedReports > 1000 && total > 0)
  }

  // Extended reports in pieces

  private func piece(_ data: [UInt8], more: Bool, address: String = "01 02 03 04 05 06", set: UInt8 = 1) -> [UInt8] {
    extendedReport(type: more ? 0x20 : 0, set: set, address: address, data: data)
  }

  @Test func piecesArePutTogether() {
    let (heard, counters) = parse([
      extendedEvent([piece([1, 2], more: true), piece([3], more: true)]), extendedEvent([piece([4], more: false)]),
      extendedEvent([piece([5], more: false)]),
    ])
    #expect(heard.map(\.data) == [[1, 2, 3, 4], [5]])
    #expect(counters.entries.filter { $0.value > 0 }.map(\.name) == ["reports"])
  }

  @Test func piecesOfSeveralAdvertisersMayMix() {
    let (heard, _) = parse([
      extendedEvent([
        piece([1], more: true), piece([9], more: true, set: 2), piece([7], more: true, address: "010203040507"),
        piece([2], more: false), piece([8], more: false, address: "010203040507"), piece([10], more: false, set: 2),
      ])
    ])
    #expect(heard.map(\.data) == [[1, 2], [7, 8], [9, 10]])
  }

  @Test func upTo1650BytesArePutTogether() {
    func pieces(_ last: Int) -> [[UInt8]] {
      (0..<8).map { _ in extendedEvent([piece([UInt8](repeating: 1, count: 200), more: true)]) }
        + [extendedEvent([piece([UInt8](repeating: 1, count: last), more: false)])]
    }
    let (whole, _) = parse(pieces(50))
    #expect(whole.map(\.data.count) == [1650])
    let (over, counters) = parse(pieces(51) + [extendedEvent([piece([2], more: false)])])
    #expect(over.map(\.data) == [[2]])
    #expect(counters.overlongReports == 1)
  }

  @Test func aTooLongOneIsSwallowedToItsEnd() {
    let pieces = (0..<12).map { _ in extendedEvent([piece([UInt8](repeating: 1, count: 200), more: true)]) }
    let (heard, counters) = parse(pieces + [extendedEvent([piece([3], more: false)])])
    #expect(heard.isEmpty)
    #expect(counters.overlongReports == 1)
  }

  @Test func atMostFourAdvertisersPiecesAreHeld() {
    let begun = (1...5).map { piece([UInt8($0)], more: true, set: UInt8($0)) }
    let ended = (2...5).map { piece([0], more: false, set: UInt8($0)) }
    let (heard, counters) = parse([extendedEvent(begun), extendedEvent(ended)])
    #expect(heard.map(\.data) == [[2, 0], [3, 0], [4, 0], [5, 0]])
    #expect(counters.unfinishedReports == 1)
  }
}
