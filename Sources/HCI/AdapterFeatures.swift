internal import POSIX

/// What a controller can do, as far as it is known without, or after, asking it.
public struct AdapterFeatures: Hashable, Sendable {
  /// HCI_Version: 6 is Bluetooth 4.0, 9 is 5.0.
  public var hciVersion: UInt8?
  /// Company_Identifier of the maker.
  public var manufacturer: UInt16?
  /// Whether it knows LE.
  public var hasLE: Bool?
  /// Whether it knows the extended advertising of Bluetooth 5.0.
  public var hasExtendedAdvertising: Bool?

  /// What the controller itself said.
  init(_ info: ControllerInfo) {
    hciVersion = info.hciVersion
    manufacturer = info.manufacturer
    // It does what is wanted of it, which is LE.
    hasLE = true
    hasExtendedAdvertising = info.hasExtendedAdvertising
  }

  /// What the kernel knows: from the last time it had the adapter up, and where debugfs is mounted and may be read.
  ///
  /// - Parameter root: of the file system that holds /sys.
  init(_ record: AdapterRecord, root: String) {
    let folder = "\(root)/sys/kernel/debug/bluetooth/hci\(record.index)"
    // The folder is there before the controller was asked for the first time.
    if record.features != 0 {
      hciVersion = kernelText("\(folder)/hci_version").flatMap { UInt8($0) }
      manufacturer = kernelText("\(folder)/manufacturer").flatMap { UInt16($0) }
      // LMP_Features, bit 38 (Core Specification, Vol 2, Part C, 3.3).
      hasLE = record.features >> 38 & 1 == 1
      hasExtendedAdvertising = kernelText("\(folder)/features").flatMap { Self.extendedAdvertising($0) }
    }
  }

  /// Bit 12 of LE_Features in the kernel's table, whose line for them begins with `LE:`.
  static func extendedAdvertising(_ table: String) -> Bool? {
    let line = table.split(separator: "\n").first { $0.drop { $0 == " " }.hasPrefix("LE:") }
    let bytes = line?.split(separator: " ").dropFirst().compactMap { text in
      UInt8(text.hasPrefix("0x") ? text.dropFirst(2) : text, radix: 16)
    }
    guard let bytes, bytes.count >= 2 else { return nil }
    return bytes[1] >> 4 & 1 == 1
  }

  /// The version of the Core Specification that HCI_Version stands for (Assigned Numbers, 2.1).
  public var coreVersion: String? {
    let names = [
      "1.0b", "1.1", "1.2", "2.0", "2.1", "3.0", "4.0", "4.1", "4.2", "5.0", "5.1", "5.2", "5.3", "5.4", "6.0",
    ]
    return hciVersion.map { Int($0) < names.count ? names[Int($0)] : "HCI \($0)" }
  }
}
