internal import Glibc
internal import POSIX

/// Controllers of this process behind the kernel's Bluetooth (/dev/vhci), as adapters `hci:N`, all on one air.
final class KernelAir: VirtualAir {
  private struct Plugged {
    var door: ScriptedController?
    var all: [ScriptedController] = []
  }

  private let air: SharedAir
  private let plugged = Monitor(Plugged())
  /// The address of the door's adapter, lowest byte first: it keeps that under every number.
  private let doorAddress = KernelAir.anyAddress()

  init() throws {
    air = try SharedAir()
    try plugDoor()
  }

  deinit { kill() }

  var doorRadio: String {
    let digits = doorAddress.reversed().map { hexadecimalText([$0]).uppercased() }
    return "hci:" + digits.joined(separator: ":")
  }

  /// An adapter is one program's: each process of a holder gets a new one.
  func holderRadio() throws -> String {
    let (number, controller) = try plug(Self.anyAddress())
    plugged.withLock { $0.all.append(controller) }
    return "hci:\(number)"
  }

  func kill() {
    let all = plugged.withLock { plugged in
      defer { plugged = Plugged() }
      return plugged.all
    }
    for controller in all { controller.unplug() }
  }

  /// The door's adapter comes back under another number: another one has its old one.
  func restart() throws {
    kill()
    _ = try holderRadio()
    try plugDoor()
  }

  private func plugDoor() throws {
    let (_, door) = try plug(doorAddress)
    plugged.withLock { plugged in
      plugged.door = door
      plugged.all.append(door)
    }
  }

  func freeze() {
    for controller in plugged.withLock(waking: false, { $0.all }) { controller.freeze() }
  }

  /// An adapter in use scans or advertises.
  func awaitInUse(_ count: Int, within limit: Duration) throws {
    func inUse(_ controllers: [ScriptedController]) -> Int {
      controllers.count { $0.controller.isScanning || $0.controller.isAdvertising }
    }
    guard air.wait(within: limit, { inUse($0) == count }) else {
      throw TestError("expected \(count) adapters in use, found \(inUse(air.controllers))")
    }
  }

  func setDoorInRange(_ isInRange: Bool) throws {
    guard let door = plugged.withLock(waking: false, { $0.door }) else { throw TestError("the door has no adapter") }
    door.setInRange(isInRange)
  }

  /// Makes an adapter of the kernel (drivers/bluetooth/hci_vhci.c): a vendor packet with its kind asks for one, and
  /// the answer, of the same type, ends with its number.
  private func plug(_ address: [UInt8]) throws -> (number: UInt16, controller: ScriptedController) {
    let (vendorPacket, primary) = (0xFF, 0x00) as (UInt8, UInt8)
    let device = try FileDescriptor.open("/dev/vhci", O_RDWR)
    try device.writeAll([vendorPacket, primary])
    let answer = try device.read(upTo: 16)
    guard answer.count == 4, answer[0] == vendorPacket else { throw TestError("/dev/vhci answers \(answer)") }
    let controller = try air.add(device, VirtualController(publicAddress: address))
    return (UInt16(littleEndian(answer[2...])), controller)
  }

  private static func anyAddress() -> [UInt8] { (0..<3).map { _ in UInt8.random(in: 0...255) } + [0x4C, 0, 0x02] }
}

extension KernelAir: NoiseSource {
  var radio: String { doorRadio }

  func shout(_ adverts: [[UInt8]]) throws { try air.shoutAtScanner(adverts) }
}
