internal import CBluetooth

/// What the kernel says of one adapter (struct hci_dev_info, ioctl HCIGETDEVINFO).
struct AdapterRecord: Hashable, Sendable {
  /// Bytes of the struct.
  static let length = 92

  let index: UInt16
  /// BD_ADDR; nil where the kernel doesn't know it: it is all zeros until the adapter was set up for the first time, and
  /// stays so for one that only programs drive.
  let address: DeviceAddress?
  /// HCI_UP and others, a bit each.
  let flags: UInt32
  /// What it hangs on (low four bits), and of what kind it is.
  let type: UInt8
  /// LMP_Features; 0 where they weren't read yet.
  let features: UInt64

  /// Reads the struct, in this machine's byte order; nil where bytes are missing.
  init?(parsing bytes: [UInt8]) {
    guard bytes.count >= Self.length else { return nil }
    index = NativeOrder.number(bytes, at: 0)
    let address = Self.littleEndian(bytes[10..<16])
    self.address = address == 0 ? nil : DeviceAddress(value: address)
    flags = NativeOrder.number(bytes, at: 16)
    type = bytes[20]
    features = Self.littleEndian(bytes[21..<29])
  }

  /// Whether the kernel, or a program on the user channel, drives it.
  var isUp: Bool { flags >> UInt32(HCI_UP) & 1 == 1 }

  /// Whether the kernel is just setting it up.
  var isStarting: Bool { flags >> UInt32(HCI_INIT) & 1 == 1 }

  /// Those of HCI, whatever the machine: lowest first.
  private static func littleEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// Numbers in the structs of the kernel: in this machine's byte order.
enum NativeOrder {
  /// The number at `start`; the caller has made sure that its bytes are there.
  static func number<Number: FixedWidthInteger & UnsignedInteger>(_ bytes: [UInt8], at start: Int) -> Number {
    var value: Number = 0
    for offset in (0..<(Number.bitWidth / 8)).reversed() { value = value << 8 | Number(bytes[start + offset]) }
    return Number(littleEndian: value)
  }

  /// The bytes of a number.
  static func bytes(_ value: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
    let value = value.littleEndian
    return (0..<(value.bitWidth / 8)).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
