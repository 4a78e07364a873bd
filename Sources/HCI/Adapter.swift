internal import POSIX

/// An adapter of the kernel, as it was when it was looked at.
public struct Adapter: Hashable, Sendable {
  /// Its number: `hci0` has 0.
  public let index: UInt16
  /// BD_ADDR; nil where the kernel doesn't know it, as of one that was never set up.
  public let address: DeviceAddress?
  /// What it hangs on, for example `USB`.
  public let bus: String
  /// Whether the kernel, or a program, drives it.
  public let isUp: Bool
  /// Whether the kernel is just setting it up.
  public let isStarting: Bool
  public let holder: AdapterHolder
  /// Nil where it has none.
  public let killSwitch: KillSwitch?
  /// Whether this program may use its user channel.
  public let isPermitted: Bool
  /// What the controller can do, as far as it is known.
  public let features: AdapterFeatures

  /// What it is good for.
  ///
  /// `on`: driven by the kernel or a program; `powered-off`: down or blocked, where one that is only down is there to be
  /// taken; `unauthorized`: down, and not for this program; `unsupported`: knows no LE.
  public var condition: RadioCondition {
    if features.hasLE == false { return .unsupported }
    if killSwitch?.isBlocked == true { return .poweredOff }
    if isStarting { return .resetting }
    if isUp { return .on }
    return isPermitted ? .poweredOff : .unauthorized
  }

  /// The adapters that are there, by number.
  ///
  /// None is opened, and nothing about any of them changes.
  ///
  /// - Throws: `AdapterProblem.noBluetooth`, or what else keeps the kernel from telling.
  public static func all() throws(AdapterProblem) -> [Adapter] { try all(of: LinuxKernel(), root: "") }

  /// The same of another kernel, whose /sys and /proc lie in `root`.
  static func all(of kernel: some AdapterKernel, root: String) throws(AdapterProblem) -> [Adapter] {
    let records: [AdapterRecord]
    do throws(Errno) { records = try kernel.records() } catch { throw AdapterProblem(asking: error) }
    let users = records.contains(where: \.isUp) ? AdapterUsers.all(root: root) : []
    let isPermitted = Capability.networkAdministration.isEffective
    return records.map { record in
      // One that goes away meanwhile is nobody's.
      let isProgram = record.isUp && (try? kernel.isOnUserChannel(record.index)) == true
      return Adapter(
        record, holder: record.isUp ? AdapterUsers.holder(isProgram: isProgram, among: users) : .nobody,
        killSwitch: KillSwitch(ofAdapter: record.index, root: root), isPermitted: isPermitted,
        features: AdapterFeatures(record, root: root))
    }
  }

  private init(
    _ record: AdapterRecord, holder: AdapterHolder, killSwitch: KillSwitch?, isPermitted: Bool,
    features: AdapterFeatures
  ) {
    index = record.index
    address = record.address
    bus = Self.bus(record.type)
    isUp = record.isUp
    isStarting = record.isStarting
    self.holder = holder
    self.killSwitch = killSwitch
    self.isPermitted = isPermitted
    self.features = features
  }

  private init(_ adapter: Adapter, _ info: ControllerInfo) {
    index = adapter.index
    address = adapter.address ?? info.address
    bus = adapter.bus
    isUp = adapter.isUp
    isStarting = adapter.isStarting
    holder = adapter.holder
    killSwitch = adapter.killSwitch
    isPermitted = adapter.isPermitted
    features = AdapterFeatures(info)
  }

  /// Opens the adapter and asks the controller itself: by its user channel where it is free, else beside the kernel.
  ///
  /// - Returns: the adapter with what the controller said.
  /// - Throws: why it can't be asked.
  public func probed(within limit: Duration = .seconds(10)) throws(RadioError) -> Adapter {
    let radio = Radio(
      spec: isUp ? .rawChannel(index: index) : .userChannel(index: index), options: Radio.Options(reconnects: false))
    try radio.start()
    defer { radio.stop() }
    try radio.waitUntilSettled(until: .now() + limit)
    guard case .on(let info) = radio.state else { throw .notReady }
    return Adapter(self, info)
  }

  /// The names of hci.h for the low four bits of the type, as its users know them.
  private static func bus(_ type: UInt8) -> String {
    let names = [
      "virtual", "USB", "PC Card", "UART", "RS-232", "PCI", "SDIO", "SPI", "I2C", "SMD", "virtio", "IPC",
    ]
    let number = Int(type & 0x0F)
    return number < names.count ? names[number] : "bus \(number)"
  }
}
