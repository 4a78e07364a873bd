/// What every frame of the serial board is made of (docs/serial-board.md, "Frames").
///
/// `head(2) ‖ length(1) ‖ command(1) ‖ payload ‖ checksum(1)`; `length` counts all bytes behind it.
enum BoardFrame {
  /// What a frame of the daemon begins with.
  static let daemonHead: [UInt8] = [0x1B, 0x99]
  /// What a frame of the board begins with.
  static let boardHead: [UInt8] = [0x56, 0x7B]
  /// The most bytes of a payload.
  static let payloadLimit = 32
  /// What a frame's `length` may be: command and checksum at least.
  static let lengths = 2...(payloadLimit + 2)
  /// Bytes up to and with `length`.
  static let prefixSize = 3
  /// The most bytes of a frame.
  static let sizeLimit = prefixSize + lengths.upperBound

  /// The low byte of 0x100 less the sum of all bytes before it, so that those of a whole frame add up to 0.
  static func checksum(of bytes: some Sequence<UInt8>) -> UInt8 { 0 &- sum(bytes) }

  /// The sum, modulo 256.
  static func sum(_ bytes: some Sequence<UInt8>) -> UInt8 { bytes.reduce(0, &+) }
}
