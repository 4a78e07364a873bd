internal import Glibc
internal import POSIX

/// Controllers of this process behind the kernel's Bluetooth (/dev/vhci), as adapters `hci:N`, all on one air.
///
/// They are for programs alone: the kernel is told to leave them as they are, so that only a user channel opens them.
final class KernelAir: VirtualAir {
  private struct Plugged {
    var door: Adapter?
    var all: [Adapter] = []
  }

  private struct Adapter {
    let number: UInt16
    let controller: ScriptedController
  }

  private let air: SharedAir
  private let plugged = Monitor(Plugged())
  /// The door's adapter has this number from the start on, and gets it again.
  let doorRadio: String

  init() throws {
    air = try SharedAir()
    let door = try Self.plug(into: air)
    doorRadio = "hci:\(door.number)"
    plugged.withLock { $0 = Plugged(door: door, all: [door]) }
  }

  deinit { kill() }

  /// An adapter is one program's: each process of a holder gets a new one.
  func holderRadio() throws -> String {
    let adapter = try Self.plug(into: air)
    plugged.withLock { $0.all.append(adapter) }
    return "hci:\(adapter.number)"
  }

  func kill() {
    let all = plugged.withLock { plugged in
      defer { plugged = Plugged() }
      return plugged.all
    }
    for adapter in all { adapter.controller.unplug() }
  }

  func restart() throws {
    kill()
    let door = try Self.plug(into: air)
    plugged.withLock { $0 = Plugged(door: door, all: [door]) }
    guard "hci:\(door.number)" == doorRadio else { throw TestError("the door's adapter came back as \(door.number)") }
  }

  func freeze() {
    for adapter in plugged.withLock(waking: false, { $0.all }) { adapter.controller.freeze() }
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
    door.controller.setInRange(isInRange)
  }

  /// Makes an adapter of the kernel (drivers/bluetooth/hci_vhci.c): a vendor packet with its kind asks for one, and
  /// the answer, of the same type, ends with its number.
  private static func plug(into air: SharedAir) throws -> Adapter {
    let vendorPacket: UInt8 = 0xFF
    let forProgramsAlone: UInt8 = 0x80
    let device = try FileDescriptor.open("/dev/vhci", O_RDWR)
    try device.writeAll([vendorPacket, forProgramsAlone])
    let answer = try device.read(upTo: 16)
    guard answer.count == 4, answer[0] == vendorPacket else { throw TestError("/dev/vhci answers \(answer)") }
    let number = UInt16(littleEndian(answer[2...]))
    let controller = try air.add(device, VirtualController(publicAddress: [UInt8(number & 0xFF), 0, 0, 0x4C, 0, 0x02]))
    return Adapter(number: number, controller: controller)
  }
}

extension KernelAir: NoiseSource {
  var radio: String { doorRadio }

  func shout(_ adverts: [[UInt8]]) throws { try air.shoutAtScanner(adverts) }
}
