/// Bytes of a stream as they come, cut into lines.
struct LineBuffer: Sendable {
  private(set) var bytes: [UInt8] = []
  private(set) var lines: [String] = []
  private(set) var ended = false
  private var lineStart = 0

  /// Adds what was read; nothing means the end of the stream.
  mutating func append(_ more: [UInt8]) {
    guard !more.isEmpty else {
      if lineStart < bytes.count { lines.append(String(decoding: bytes[lineStart...], as: UTF8.self)) }
      lineStart = bytes.count
      ended = true
      return
    }
    var position = bytes.count
    bytes += more
    while let newline = bytes[position...].firstIndex(of: 0x0A) {
      lines.append(String(decoding: bytes[lineStart..<newline], as: UTF8.self))
      lineStart = newline + 1
      position = lineStart
    }
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }
}
