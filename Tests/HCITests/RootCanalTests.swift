import Advertising
import POSIX
import TestSupport
import Testing

@testable import HCI

/// Two controllers on one virtual air.
@Suite struct RootCanalTests {
  private func hears(_ queue: ReportQueue, _ data: [UInt8], within limit: Duration = .seconds(10)) -> AdvertisingReport?
  {
    var parser = AdvertisingReportParser()
    var counters = RadioCounters()
    var found: AdvertisingReport?
    let deadline = BootInstant.now() + limit
    while found == nil, BootInstant.now() < deadline {
      queue.drain(until: deadline) { event, _ in
        parser.forEachReport(in: event, counters: &counters) { report, heard in
          if bytes(heard) == data { found = report }
        }
      }
    }
    return found
  }

  /// Each way of sending that each way of listening can hear.
  @Test(arguments: [
    (CommandChoice.automatic, CommandChoice.automatic, AdvertisingPDU.legacy), (.legacy, .legacy, .legacy),
    (.extended, .legacy, .legacy), (.legacy, .extended, .legacy), (.automatic, .automatic, .extended),
  ])
  func everyFamilyOfCommandsIsHeard(_ listens: CommandChoice, _ sends: CommandChoice, _ pdu: AdvertisingPDU)
    async throws
  {
    try await withWorkbench { bench in
      let air = try bench.rootCanal()
      let spec = try RadioSpec(air.spec)
      let door = Radio(spec: spec, options: Radio.Options(commands: listens), wanted: WantedState(scan: .passive))
      try door.start()
      try door.waitUntilSettled(until: .now() + .seconds(10))
      guard case .on(let info) = door.state else { throw TestError("the radio is \(door.state)") }
      #expect(info.family == (listens == .legacy ? .legacy : .extended) && info.address != nil)
      #expect(door.lastReport == nil)
      let holder = try Broadcast(opening: spec, options: Radio.Options(commands: sends), pdu: pdu)
      let data = try AdvertisingData(bytes: hex("02 01 06 11 07") + Array(1...16))
      try holder.advertise(data)
      let report = try #require(hears(door.reports, data.bytes))
      #expect(report.addressType == 1 && report.address.value >> 46 == 0)
      // A legacy event has types of its own; an extended one tells by bit 4 that the PDU was a legacy one.
      let eventType: UInt16 = listens == .legacy ? 3 : pdu == .legacy ? 0x10 : 0
      #expect(report.eventType == eventType && report.isExtended == (listens != .legacy))
      let next = try AdvertisingData(bytes: hex("02 01 06 03 03 FF F5"))
      try holder.advertise(next)
      #expect(hears(door.reports, next.bytes)?.address == report.address)
      #expect(door.lastReport != nil)
      #expect(holder.close())
      #expect(door.stop())
    }
  }

  @Test func aLegacyRadioSaysThatItCannotSendExtendedAdvertisements() async throws {
    try await withWorkbench { bench in
      let spec = try RadioSpec(try bench.rootCanal().spec)
      let holder = try Broadcast(opening: spec, options: Radio.Options(commands: .legacy), pdu: .extended)
      let data = try AdvertisingData(bytes: hex("02 01 06"))
      #expect(throws: RadioError.noExtendedAdvertising) { try holder.advertise(data) }
    }
  }

  @Test func aDoorHearsAHolder() async throws {
    try await withWorkbench { bench in
      let air = try bench.rootCanal()
      let spec = try RadioSpec(air.spec)
      let capture = bench.directory("door.btsnoop")
      let door = Radio(
        spec: spec, options: Radio.Options(capturePath: capture), wanted: WantedState(scan: .passive))
      try door.start()
      try door.waitUntilSettled(until: .now() + .seconds(10))

      let holder = try Broadcast(opening: spec)
      let first = try AdvertisingData(bytes: hex("02 01 06 11 07") + Array(1...16))
      try holder.advertise(first)
      let report = try #require(hears(door.reports, first.bytes))
      #expect(report.addressType == 1 && report.address.value >> 46 == 0)

      // Data may change while they are on the air; the address stays.
      let second = try AdvertisingData(bytes: hex("02 01 06 03 03 FF F5"))
      try holder.advertise(second)
      #expect(hears(door.reports, second.bytes)?.address == report.address)
      #expect(holder.close())

      // The radio dies and returns: the door goes on by itself.
      air.kill()
      try air.restart()
      let next = try Broadcast(opening: spec)
      try next.advertise(first)
      #expect(hears(door.reports, first.bytes) != nil)
      #expect(door.counters.reconnects >= 1)
      #expect(next.close())
      #expect(door.stop())
      #expect(door.state == .ended(nil))
      #expect(try capturedKinds(capture).contains(.event))
    }
  }

  @Test func aDeadControllerDelaysTheEndByASecondAtMost() async throws {
    try await withWorkbench { bench in
      let air = try bench.rootCanal()
      let door = Radio(spec: try RadioSpec(air.spec), wanted: WantedState(scan: .active))
      try door.start()
      try door.waitUntilSettled(until: .now() + .seconds(10))
      air.freeze()
      let start = BootInstant.now()
      #expect(!door.stop(within: .seconds(1)))
      // A second, and what a loaded machine adds.
      #expect(BootInstant.now() - start < .seconds(5))
      #expect(door.state == .ended(nil))
    }
  }
}

/// The kinds of packets in a capture.
private func capturedKinds(_ path: String) throws -> Set<PacketKind> {
  var reader = try CaptureReader(path: path)
  var kinds: Set<PacketKind> = []
  while try reader.next({ packet, _ in kinds.insert(packet.kind) }) {}
  return kinds
}
