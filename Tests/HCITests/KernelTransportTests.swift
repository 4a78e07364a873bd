import Glibc
import POSIX
import Testing

@testable import HCI

/// The transport over a pair of sockets that keep packets apart, as the kernel's channels do.
@Suite final class KernelTransportTests {
  private let spec = RadioSpec.userChannel(index: 0)
  private let transport: KernelTransport
  private let end: FileDescriptor

  init() throws {
    var numbers: [Int32] = [-1, -1]
    try systemCall { unsafe socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &numbers) }
    end = FileDescriptor(takingOwnershipOf: numbers[1])
    transport = KernelTransport(
      spec, Socket(takingOwnershipOf: FileDescriptor(takingOwnershipOf: numbers[0])), isShared: false)
  }

  private func packets() throws(RadioError) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    try transport.receive { kind, packet in packets.append([kind.rawValue] + bytes(packet)) }
    return packets
  }

  @Test func eachReadIsOnePacketAndEachCommandOneWrite() throws {
    let sent = [
      [4] + complete(.reset), [4] + legacyEvent([legacyReport(data: [1])]), [2, 0, 0, 1, 0, 9], [4, 0x3E], [4],
    ]
    for packet in sent { try end.writeAll(packet) }
    #expect(try packets() == sent)
    try transport.send(.leSetScanEnable(true))
    #expect(try end.read(upTo: 100) == [1] + HCICommand.leSetScanEnable(true).bytes)
    // The longest event, and data of any length: nothing is cut.
    let long = [4, 0xFF, 255] + [UInt8](repeating: 7, count: 255)
    let data = [2, 0, 0, 0xF0, 0x10] + [UInt8](repeating: 8, count: 0x10F0)
    try end.writeAll(long)
    try end.writeAll(data)
    #expect(try packets() == [long, data])
  }

  @Test func aFloodIsTakenInParts() throws {
    for _ in 0..<100 { try end.writeAll([4] + noOperation(credits: 1)) }
    #expect(try packets().count == 64)
    #expect(try packets().count == 36)
  }

  @Test func anAdapterThatIsGoneIsSaidToBe() throws {
    try end.writeAll([4] + complete(.reset))
    _ = shutdown(end.number, Int32(SHUT_RDWR))
    var handed = 0
    let error = #expect(throws: RadioError.self) {
      try transport.receive { _, _ in handed += 1 }
      try transport.receive { _, _ in handed += 1 }
    }
    #expect(handed == 1 && error == .adapter(spec, .gone))
    #expect(throws: RadioError.adapter(spec, .gone)) { try transport.send(.reset) }
    #expect(error?.condition == .unknown && error?.isPermanent == false)
  }

  @Test func anUnknownTypeIsNoPacket() throws {
    try end.writeAll([0x55, 1, 2])
    #expect(throws: RadioError.badFraming(0x55)) { _ = try packets() }
  }
}
