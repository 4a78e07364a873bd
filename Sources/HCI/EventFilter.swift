internal import CBluetooth

/// Which packets of an adapter a raw channel gets (struct hci_filter): events, and of those only the ones of use.
enum EventFilter {
  /// Bytes of the struct as the kernel counts them: 14 and padding; newer kernels refuse 14 (radio.md, 7).
  static let length = 16

  static let wanted: [UInt8] =
    NativeOrder.bytes(UInt32(1) << UInt32(HCI_EVENT_PKT)) + NativeOrder.bytes(UInt32(truncatingIfNeeded: events))
    + NativeOrder.bytes(UInt32(truncatingIfNeeded: events >> 32)) + [0, 0, 0, 0]

  /// Whether what the kernel made of it lets LE events through; it strips them in silence from whom it doesn't trust.
  static func hasLEMeta(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 12 else { return false }
    let high: UInt32 = NativeOrder.number(bytes, at: 8)
    return high >> (UInt32(EventCode.leMeta.rawValue) - 32) & 1 == 1
  }

  private static let events: UInt64 = [
    EventCode.commandComplete, .commandStatus, .hardwareError, .leMeta,
  ].reduce(0) { $0 | 1 << UInt64($1.rawValue) }
}
