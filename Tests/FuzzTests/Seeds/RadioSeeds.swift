/// The H4 stream and HCI events.
func radioSeeds() -> [Seed] { streamSeeds + eventSeeds }

private let flags: [UInt8] = [2, 1, 6]

private let streamSeeds: [Seed] = {
  let complete: [UInt8] = [4, 0x0E, 4, 1, 0x03, 0x0C, 0]
  let reports: [UInt8] = [4] + legacy([legacyReport(flags), legacyReport([])])
  let kinds: [UInt8] = [
    1, 0x0C, 0x20, 2, 1, 0, 2, 0x40, 0x20, 3, 0, 0xAA, 0xBB, 0xCC, 3, 1, 0, 2, 0xAA, 0xBB,
    // The upper two bits of an isochronous length are reserved.
    5, 0x40, 0x60, 2, 0xC0, 0xAA, 0xBB, 4, 0xFF, 0,
  ]
  let long = [2, 0, 0, 0x2C, 1] + [UInt8](repeating: 7, count: 300)
  return [
    Seed("h4", "every-kind", [0] + kinds + complete), Seed("h4", "reports", [9] + reports + reports + complete),
    Seed("h4", "long-packet", [17] + long + complete),
    Seed("h4", "unfinished", [3] + complete + [2, 0, 0, 0xFF, 0xFF, 1]),
    Seed("h4", "unknown-kind", [5] + complete + [6, 1, 2, 3]),
    Seed("h4", "joined-in-the-middle", [7, 4, 0x0E, 4, 1, 3, 0xFF, 4, 0x0E] + complete + reports),
    Seed("h4", "kind-alone", [1] + complete + [4]),
  ]
}()

private let eventSeeds: [Seed] = {
  let long = legacyReport([UInt8](repeating: 3, count: 32))
  let piece = [UInt8](repeating: 1, count: 200)
  func more(_ set: UInt8, _ data: [UInt8] = [1]) -> [UInt8] { extendedReport(0x20, data, set: set) }
  let events: [(String, [[UInt8]])] = [
    ("legacy", [legacy([legacyReport(flags), legacyReport([]), legacyReport(flags)])]),
    ("extended", [extended([extendedReport(0, piece), extendedReport(0x10, flags)])]),
    ("none", [legacy([]), extended([])]), ("count-too-high", [[0x3E, 13, 2, 3] + legacyReport(flags).dropLast()]),
    ("count-too-low", [[0x3E, 26, 2, 1] + legacyReport(flags) + legacyReport([])]),
    ("over-31-bytes", [legacy([legacyReport(flags), long]), extended([extendedReport(0x10, long)])]),
    ("shorter-than-claimed", [[0x3E, 200] + legacy([legacyReport(flags)]).dropFirst(2)]),
    (
      "pieces",
      [extended([more(1), more(2), extendedReport(0, [2], set: 1)]), extended([extendedReport(0x40, [3], set: 2)])]
    ),
    ("over-1650-bytes", (0..<9).map { _ in extended([more(1, piece)]) } + [extended([extendedReport(0, [1])])]),
    ("five-advertisers", [extended((1...5).map { more($0) }), extended([extendedReport(0, [1], set: 5)])]),
    (
      "replies",
      [
        [0x0E, 4, 1, 3, 0x0C, 0], [0x0E, 3, 1, 0, 0], [0x0F, 4, 0, 1, 3, 0x0C],
        [0x0E, 12, 255, 1, 0x10, 0, 1, 2, 3, 4, 5, 6, 7, 8],
      ]
    ),
    (
      "faults",
      [[0x10, 1, 7], [0x10, 0], [0x0E, 2, 1, 3], [0x0F, 3, 0, 1, 3], [0x3E], [], [0x3E, 0], [0x3E, 1, 2]]
    ),
    ("others", [[0x3E, 4, 1, 0, 0, 0], [0x05, 4, 0, 0, 0, 0x13]]),
  ]
  return events.map { name, events in
    Seed("hci-event", name, events.flatMap { [UInt8(clamping: $0.count)] + $0 })
  }
}()

/// An LE Advertising Report event (Core Specification, Vol 4, Part E, 7.7.65.2).
func legacy(_ reports: [[UInt8]]) -> [UInt8] { meta(0x02, reports) }

/// An LE Extended Advertising Report event (7.7.65.13).
private func extended(_ reports: [[UInt8]]) -> [UInt8] { meta(0x0D, reports) }

private func meta(_ subevent: UInt8, _ reports: [[UInt8]]) -> [UInt8] {
  let parameters = [subevent, UInt8(reports.count)] + reports.flatMap { $0 }
  return [0x3E, UInt8(clamping: parameters.count)] + parameters
}

/// ADV_NONCONN_IND from a random address.
func legacyReport(_ data: [UInt8]) -> [UInt8] { [3, 1, 1, 2, 3, 4, 5, 0xC6, UInt8(data.count)] + data + [0xC4] }

private func extendedReport(_ type: UInt8, _ data: [UInt8], set: UInt8 = 1) -> [UInt8] {
  [type, 0, 1, 1, 2, 3, 4, 5, 0xC6, 1, 0, set, 0x7F, 0xC4, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(data.count)] + data
}
