import Advertising
import POSIX
import TestSupport
import Testing

@testable import HCI

/// A capture as a transport, so that a recorded fault becomes a test: what was received is received again, each piece
/// once the host has sent what stands before it.
private final class ReplayTransport: HCITransport {
  private enum Item {
    case sent(Opcode)
    case received(PacketKind, [UInt8])
  }

  private var items: [Item] = []
  private let due: WakeUp

  init(_ path: String) throws {
    due = try WakeUp()
    var reader = try CaptureReader(path: path)
    while try reader.next({ packet, data in
      if packet.direction == .received {
        items.append(.received(packet.kind, bytes(data)))
      } else if data.count >= 2 {
        items.append(.sent(Opcode(rawValue: UInt16(data[0]) | UInt16(data[1]) << 8)))
      }
    }) {}
    due.signal()
  }

  var descriptor: Int32 { due.descriptor }
  let isShared = false

  func receive(_ packet: (PacketKind, Span<UInt8>) -> Void) throws(RadioError) {
    due.clear()
    while case .received(let kind, let bytes) = items.first {
      items.removeFirst()
      packet(kind, bytes.span)
    }
    if items.isEmpty { throw .ended }
  }

  func send(_ command: HCICommand) throws(RadioError) {
    guard case .sent(let opcode) = items.first, opcode == command.opcode else { throw .noReply(command.opcode) }
    items.removeFirst()
    due.signal()
  }
}

@Suite struct ReplayTests {
  @Test func aRecordedRadioIsPlayedAgain() throws {
    let directory = try TemporaryDirectory()
    let path = directory("radio.btsnoop")
    let reports = (1...5 as ClosedRange<UInt8>).map { legacyEvent([legacyReport(data: [$0])]) }
    let shelf = Shelf([
      .controller { command, count in
        guard command.opcode == .leSetScanEnable, count == 2 else { return nil }
        return [.send([4] + complete(command.opcode) + reports.flatMap { [4] + $0 }), .hangUp]
      }
    ])
    let first = try play(shelf.opener, capturePath: path)
    #expect(first.heard == reports)
    #expect(first.state == .ended(.ended))
    let second = try play({ _, _, _ throws(RadioError) in
      do { return try ReplayTransport(path) } catch { throw .ended }
    })
    #expect(second.heard == reports)
    #expect(second.state == first.state)
  }

  /// Runs a radio over a transport to its end; what it heard and how it ended.
  private func play(
    _ opener: @escaping TransportOpener, capturePath: String? = nil
  ) throws -> (heard: [[UInt8]], state: RadioState) {
    let ended = Monitor(false)
    let radio = Radio(
      spec: .unix(path: "replay"), options: Radio.Options(capturePath: capturePath, reconnects: false),
      wanted: WantedState(scan: .passive), reports: ReportQueue(), timings: Timings(), opener: opener,
      onState: { state in if case .ended = state { ended.withLock { $0 = true } } })
    try radio.start()
    _ = ended.wait(until: .now() + .seconds(20)) { $0 ? true : nil }
    var heard: [[UInt8]] = []
    radio.reports.drain(until: .now()) { event, _ in heard.append(bytes(event)) }
    radio.stop()
    return (heard, radio.state)
  }
}
