import POSIX

@testable import HCI

/// A btsnoop file: its packets are those that stand in it, and what ends the reading is an error that names the record.
func checkCapture(_ file: [UInt8]) throws {
  let memory = try MemoryFile(file)
  var packets: [(packet: CapturedPacket, bytes: [UInt8])] = []
  var skipped = 0
  var refusal: CaptureError?
  do throws(CaptureError) {
    var reader = try CaptureReader(path: memory.path)
    do throws(CaptureError) {
      while try reader.next({ packets.append(($0, bytes($1))) }) {}
    } catch { refusal = error }
    skipped = reader.skipped
  } catch {
    try require(error.record == 0, "a header is refused as a header")
    return try require(!isGoodHeader(file), "a good header is taken")
  }

  try require(isGoodHeader(file), "only a good header is taken")
  let (records, end) = standing(in: file)
  try require(refusal?.problem == end, "what ends the reading is what is wrong")
  try require((refusal?.record ?? records.count + 1) == records.count + 1, "the error names the record")
  try require(packets.count + skipped == records.count, "each record is handed on or passed over")
  var last = 0
  for (packet, bytes) in packets {
    try require(packet.record > last && packet.record <= records.count, "packets come in the file's order")
    last = packet.record
    let record = records[packet.record - 1]
    let isUART = file[14...15].elementsEqual([0x03, 0xEA])
    try require((isUART ? [packet.kind.rawValue] : []) + bytes == record.bytes, "a packet is what stands in its record")
    // Not where it is before the format's own beginning.
    if record.time >> 63 == 0 {
      try require(BTSnoop.timestamp(packet.time) == record.time, "a time is written as it was read")
    }
  }
}

private func isGoodHeader(_ file: [UInt8]) -> Bool {
  file.count >= 16 && file.starts(with: BTSnoop.magic + [0, 0, 0, 1, 0, 0])
    && [[0x03, 0xEA], [0x07, 0xD1]].contains(Array(file[14..<16]))
}

/// The whole records behind the header, and what is wrong behind the last one.
private func standing(in file: [UInt8]) -> (records: [(bytes: [UInt8], time: UInt64)], end: CaptureError.Problem?) {
  var records: [(bytes: [UInt8], time: UInt64)] = []
  var rest = file[16...]
  while !rest.isEmpty {
    guard rest.count >= 24 else { return (records, .cutOff) }
    let header = Array(rest.prefix(24))
    let length = header[4..<8].reduce(0) { $0 << 8 | UInt32($1) }
    if length > 65_540 { return (records, .tooLong(length)) }
    rest = rest.dropFirst(24)
    guard rest.count >= length else { return (records, .cutOff) }
    records.append((Array(rest.prefix(Int(length))), header[16...].reduce(0) { $0 << 8 | UInt64($1) }))
    rest = rest.dropFirst(Int(length))
  }
  return (records, nil)
}
