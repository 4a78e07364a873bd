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

  @Test func aDoorHearsAHolder() async throws {
    try await withWorkbench { bench in
      let air = try bench.radio()
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
      #expect(report.addressType == 1 && report.address.value >> 46 == 0 && report.eventType == 3)

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
      let air = try bench.radio()
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
