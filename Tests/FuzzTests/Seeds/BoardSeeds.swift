/// Streams of a serial board (docs/serial-board.md), each behind a byte that says how it is cut.
func boardSeeds() -> [Seed] {
  let opened = frame(1, [7, 0, 2, 87, 0xD5, 0xF9, 0xA2, 0x90])
  let status = frame(4, [0, 0, 1, 20, 0, 0, 0, 0])
  func seed(_ name: String, _ stream: [UInt8]) -> Seed { Seed("board", name, [3] + stream) }
  return [
    seed("one", opened), seed("glued", opened + status + opened),
    seed("noise", [0x56, 0, 0x7B] + opened + [0x56, 0x56] + status),
    seed("false-head", [0x56, 0x7B, 0x22] + opened + status),
    seed("false-heads", [0x56, 0x7B, 5, 0x56, 0x7B, 9] + status),
    seed("cut-off", Array(opened.dropLast(2)) + status), seed("wrong-checksum", opened.dropLast() + [0] + status),
    seed("frame-in-a-payload", frame(4, opened)), seed("short-reply", frame(4, [1, 2, 3])),
    seed("longest", frame(4, [UInt8](repeating: 1, count: 32))),
    seed("too-long", frame(4, [UInt8](repeating: 1, count: 33))),
    seed("echo", [0x1B, 0x99, 9, 1, 7, 0xD5, 0xF9, 0xA2, 0x90, 0, 0x32, 9] + opened),
  ]
}

private func frame(_ command: UInt8, _ payload: [UInt8]) -> [UInt8] {
  let frame = [0x56, 0x7B, UInt8(payload.count + 2), command] + payload
  return frame + [0 &- frame.reduce(0, &+)]
}
