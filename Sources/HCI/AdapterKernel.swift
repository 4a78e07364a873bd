internal import CBluetooth
internal import POSIX

/// The kernel's channels to an adapter.
enum AdapterChannel: Hashable, Sendable {
  /// HCI_CHANNEL_USER: the adapter for one program alone, without the kernel's own host.
  case user
  /// HCI_CHANNEL_RAW: beside the kernel's host.
  case raw
}

/// What is asked of the kernel about its adapters; the tests have one without any.
protocol AdapterKernel: Sendable {
  /// The numbers of the adapters that are there (HCIGETDEVLIST).
  func indices() throws(Errno) -> [UInt16]

  /// What the kernel says of one (HCIGETDEVINFO).
  func record(of index: UInt16) throws(Errno) -> AdapterRecord

  /// Whether a program has its user channel.
  func isOnUserChannel(_ index: UInt16) throws(Errno) -> Bool

  /// Has the kernel's host drive it (HCIDEVUP).
  func bringUp(_ index: UInt16) throws(Errno)

  /// Takes it from the kernel's host (HCIDEVDOWN).
  func takeDown(_ index: UInt16) throws(Errno)

  /// A socket bound to one of its channels.
  func open(_ index: UInt16, _ channel: AdapterChannel) throws(Errno) -> Socket

  /// Sets the filter of a raw channel (HCI_FILTER).
  ///
  /// - Returns: what the kernel made of it.
  func setFilter(_ filter: [UInt8], of socket: borrowing Socket) throws(Errno) -> [UInt8]
}

extension AdapterKernel {
  /// Those that are there, by number; one that goes away meanwhile is left out.
  func records() throws(Errno) -> [AdapterRecord] {
    var records: [AdapterRecord] = []
    for index in try indices().sorted() {
      do throws(Errno) { records.append(try record(of: index)) } catch {
        guard error == .noSuchDevice else { throw error }
      }
    }
    return records
  }
}

/// The kernel of this machine.
struct LinuxKernel: AdapterKernel {
  func indices() throws(Errno) -> [UInt16] {
    var list = AdapterList.request
    try socket().control(cbluetooth_device_list, &list)
    return AdapterList.indices(list)
  }

  func record(of index: UInt16) throws(Errno) -> AdapterRecord {
    var bytes = NativeOrder.bytes(index) + [UInt8](repeating: 0, count: AdapterRecord.length - 2)
    try socket().control(cbluetooth_device_info, &bytes)
    guard let record = AdapterRecord(parsing: bytes) else { throw .inputOutput }
    return record
  }

  func isOnUserChannel(_ index: UInt16) throws(Errno) -> Bool {
    // Whatever is asked of a bound socket: EBUSY means that the adapter is a program's. That there is no such connection,
    // or that it can't be asked about, is fine.
    let socket = try open(index, .raw)
    var question = [UInt8](repeating: 0, count: 64)
    do throws(Errno) { try socket.control(cbluetooth_connection_info, &question) } catch { return error == .busy }
    return false
  }

  func bringUp(_ index: UInt16) throws(Errno) { try socket().control(cbluetooth_device_up, UInt(index)) }

  func takeDown(_ index: UInt16) throws(Errno) { try socket().control(cbluetooth_device_down, UInt(index)) }

  func open(_ index: UInt16, _ channel: AdapterChannel) throws(Errno) -> Socket {
    let socket = try socket()
    try socket.bind(to: Self.address(index, channel))
    return socket
  }

  func setFilter(_ filter: [UInt8], of socket: borrowing Socket) throws(Errno) -> [UInt8] {
    try socket.setOption(SOL_HCI, HCI_FILTER, to: filter)
    return try socket.option(SOL_HCI, HCI_FILTER, length: filter.count)
  }

  private func socket() throws(Errno) -> Socket {
    try Socket.raw(family: AF_BLUETOOTH, protocolNumber: BTPROTO_HCI)
  }

  /// struct sockaddr_hci: family, number, channel.
  static func address(_ index: UInt16, _ channel: AdapterChannel) -> [UInt8] {
    let number = channel == .user ? HCI_CHANNEL_USER : HCI_CHANNEL_RAW
    return NativeOrder.bytes(UInt16(AF_BLUETOOTH)) + NativeOrder.bytes(index) + NativeOrder.bytes(UInt16(number))
  }
}

/// struct hci_dev_list_req: a count, then number and flags of each, eight bytes.
enum AdapterList {
  /// More than any machine has; the kernel gives as many as fit.
  static let capacity = 64

  static var request: [UInt8] {
    NativeOrder.bytes(UInt16(capacity)) + [UInt8](repeating: 0, count: 2 + 8 * capacity)
  }

  static func indices(_ bytes: [UInt8]) -> [UInt16] {
    guard bytes.count >= 4 else { return [] }
    let count: UInt16 = NativeOrder.number(bytes, at: 0)
    return (0..<min(Int(count), (bytes.count - 4) / 8)).map { NativeOrder.number(bytes, at: 4 + 8 * $0) }
  }
}
