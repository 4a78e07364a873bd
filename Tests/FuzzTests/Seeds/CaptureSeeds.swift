/// btsnoop files of both datalinks.
func captureSeeds() -> [Seed] {
  let report = legacy([legacyReport([2, 1, 6])])
  let reset: [UInt8] = [0x03, 0x0C, 0]
  let uart = header(1002) + record([1] + reset, flags: 2) + record([4] + report, flags: 3)
  let monitor =
    header(2001) + record([0, 0, 1, 2, 3, 4, 5, 6], flags: 0) + record(reset, flags: 2) + record(report, flags: 3)
    + record([1, 2, 3, 4], flags: 0x1_0005) + record([], flags: 11)
  return [
    Seed("btsnoop", "uart", uart), Seed("btsnoop", "monitor", monitor), Seed("btsnoop", "empty", header(1002)),
    Seed(
      "btsnoop", "unknown-kind", header(1002) + record([9, 9], flags: 1) + record([], flags: 1) + uart.dropFirst(16)),
    Seed("btsnoop", "cut-off", Array(uart.dropLast(5))), Seed("btsnoop", "cut-off-header", Array(uart.prefix(30))),
    Seed("btsnoop", "too-long", header(1002) + [0, 0, 0, 1, 0, 1, 0, 5] + [UInt8](repeating: 0, count: 16)),
    Seed("btsnoop", "time-before-all", header(1002) + record([4] + report, flags: 3, time: 0x8000_0000_0000_0000)),
    Seed("btsnoop", "other-datalink", header(1001)),
    Seed("btsnoop", "other-version", Array("btsnoop\0".utf8) + [0, 0, 0, 2, 0, 0, 3, 0xEA]),
    Seed("btsnoop", "not-a-capture", "not a capture at all, but long enough for a header"),
  ]
}

private func header(_ datalink: UInt16) -> [UInt8] {
  Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, UInt8(datalink >> 8), UInt8(datalink & 0xFF)]
}

/// 2026-01-01T00:00:00Z unless told otherwise, in microseconds from the format's zero.
private func record(_ packet: [UInt8], flags: UInt32, time: UInt64 = 0x00E3_4C5B_3C3F_8000) -> [UInt8] {
  let length = UInt32(packet.count)
  return bigEndian(length) + bigEndian(length) + bigEndian(flags) + bigEndian(UInt32(0)) + bigEndian(time) + packet
}

private func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
  (0..<(Number.bitWidth / 8)).reversed().map { UInt8(truncatingIfNeeded: number >> Number(8 * $0)) }
}
