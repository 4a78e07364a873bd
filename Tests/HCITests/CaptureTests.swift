import Glibc
import POSIX
import TestSupport
import Testing

@testable import HCI

/// What a reader handed on.
private struct Captured: Hashable {
  let packet: CapturedPacket
  let bytes: [UInt8]
}

private func read(_ path: String) throws -> (packets: [Captured], skipped: Int) {
  var reader = try CaptureReader(path: path)
  var packets: [Captured] = []
  while try reader.next({ packets.append(Captured(packet: $0, bytes: bytes($1))) }) {}
  return (packets, reader.skipped)
}

private func header(_ datalink: UInt32, version: UInt32 = 1) -> [UInt8] {
  var bytes = Array("btsnoop".utf8) + [0]
  BTSnoop.append(version, to: &bytes)
  BTSnoop.append(datalink, to: &bytes)
  return bytes
}

private func record(_ data: [UInt8], flags: UInt32, length: UInt32? = nil, time: UInt64 = 0x00DC_DDB3_0F2F_8000)
  -> [UInt8]
{
  var bytes: [UInt8] = []
  let length = length ?? UInt32(data.count)
  for number: UInt32 in [length, length, flags, 0] {
    BTSnoop.append(number, to: &bytes)
  }
  BTSnoop.append(time, to: &bytes)
  return bytes + data
}

@Suite struct CaptureWriterTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func whatIsWrittenIsRead() throws {
    let path = directory("a.btsnoop")
    let time = WallTime(seconds: 1_796_011_200, nanoseconds: 123_456_000)
    let writer = try CaptureWriter(path: path)
    writer.write(.command, .sent, HCICommand.reset.bytes.span, at: time)
    writer.write(.event, .received, complete(.reset).span, at: time)
    writer.write(.asynchronousData, .received, [UInt8]().span, at: WallTime(seconds: -1, nanoseconds: 999_999_000))
    #expect(writer.failure == nil)
    let packets = try read(path).packets
    #expect(packets.map(\.bytes) == [HCICommand.reset.bytes, complete(.reset), []])
    #expect(packets.map(\.packet.kind) == [.command, .event, .asynchronousData])
    #expect(packets.map(\.packet.direction) == [.sent, .received, .received])
    #expect(packets.map(\.packet.time) == [time, time, WallTime(seconds: -1, nanoseconds: 999_999_000)])
    #expect(packets.map(\.packet.record) == [1, 2, 3])
  }

  /// The bytes as BlueZ's and Wireshark's readers expect them.
  @Test func hasTheBytesOfTheFormat() throws {
    let path = directory("a.btsnoop")
    let writer = try CaptureWriter(path: path)
    writer.write(.command, .sent, HCICommand.reset.bytes.span, at: WallTime(seconds: 0))
    writer.write(.event, .received, complete(.reset).span, at: WallTime(seconds: 1))
    let expected = [
      "6274736E6F6F7000 00000001 000003EA", "00000004 00000004 00000002 00000000 00DCDDB30F2F8000 01 03 0C 00",
      "00000007 00000007 00000003 00000000 00DCDDB30F3EC240 04 0E 04 01 03 0C 00",
    ]
    #expect(try directory.read("a.btsnoop") == expected.flatMap(hex))
    #expect(try FileDescriptor.open(path, O_RDONLY).status().permissions == 0o600)
  }

  @Test func onlyCapturesAreReplaced() throws {
    let key = try directory.write("alice.json", "{\"secret\":1}")
    #expect(throws: RadioError.notACapture(key)) { _ = try CaptureWriter(path: key) }
    #expect(try directory.text("alice.json") == "{\"secret\":1}")

    let old = try directory.write("old.btsnoop", bytes: header(2001) + record([1], flags: 3))
    _ = try CaptureWriter(path: old)
    #expect(try directory.read("old.btsnoop") == header(1002))
    _ = try CaptureWriter(path: try directory.write("empty", ""))
  }

  @Test func whatCannotBeWrittenIsSaid() throws {
    #expect(throws: RadioError.capture(directory.path, .isDirectory)) { _ = try CaptureWriter(path: directory.path) }
    let missing = directory("no/such/place")
    #expect(throws: RadioError.capture(missing, .noEntry)) { _ = try CaptureWriter(path: missing) }
    // A device is no file to begin a capture in.
    #expect(throws: RadioError.notACapture("/dev/full")) { _ = try CaptureWriter(path: "/dev/full") }
    #expect(throws: RadioError.self) { try Radio(spec: .unix(path: "x"), options: .init(capturePath: missing)).start() }
  }
}

@Suite struct CaptureReaderTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func file(_ bytes: [UInt8]) throws -> String { try directory.write("a.btsnoop", bytes: bytes) }

  @Test func readsTheMonitorsDatalink() throws {
    let kinds: [(UInt32, PacketKind, CapturedPacket.Direction)] = [
      (2, .command, .sent), (3, .event, .received), (4, .asynchronousData, .sent), (5, .asynchronousData, .received),
      (6, .synchronousData, .sent), (7, .synchronousData, .received), (18, .isochronousData, .sent),
      (19, .isochronousData, .received),
    ]
    // Each between notes of the monitor (new adapter, vendor diagnostics) and from another adapter.
    let records = kinds.flatMap {
      record([9], flags: 0) + record([1, 2], flags: $0.0 | 5 << 16) + record([], flags: 11)
    }
    let (packets, skipped) = try read(try file(header(2001) + records))
    #expect(packets.map(\.packet.kind) == kinds.map(\.1))
    #expect(packets.map(\.packet.direction) == kinds.map(\.2))
    #expect(packets.allSatisfy { $0.bytes == [1, 2] })
    #expect(skipped == 16)
  }

  @Test func passesOverUnknownTypes() throws {
    let path = try file(header(1002) + record([], flags: 1) + record([0xFF, 1], flags: 1) + record([4, 1], flags: 1))
    let (packets, skipped) = try read(path)
    #expect(packets.map(\.bytes) == [[1]] && skipped == 2)
    #expect(packets.first?.packet.record == 3)
  }

  @Test func refusesWhatIsNoCapture() throws {
    func problem(_ bytes: [UInt8]) throws -> CaptureError? {
      let path = try file(bytes)
      return #expect(throws: CaptureError.self) { _ = try CaptureReader(path: path) }
    }
    #expect(try problem([])?.problem == .notACapture)
    #expect(try problem(Array(header(1002).dropLast()))?.problem == .notACapture)
    #expect(try problem(Array("{\"format\": \"credential\"}".utf8))?.problem == .notACapture)
    #expect(try problem(header(1002, version: 2))?.problem == .unknownVersion(2))
    #expect(try problem(header(1001))?.problem == .unknownDatalink(1001))
    #expect(try problem(header(1001))?.description.contains("datalink 1001, expected 1002") == true)
    let missing = directory("missing")
    #expect(throws: CaptureError(path: missing, record: 0, problem: .unreadable(.noEntry))) {
      _ = try CaptureReader(path: missing)
    }
    #expect(throws: CaptureError.self) { _ = try CaptureReader(path: directory.path) }
  }

  @Test func everyTruncationIsFoundBehindTheWholeRecords() throws {
    let one = record([4] + complete(.reset), flags: 3)
    let whole = header(1002) + one + one
    for end in 16..<whole.count where (end - 16) % one.count != 0 {
      let path = try file(Array(whole[..<end]))
      var reader = try CaptureReader(path: path)
      var count = 0
      let error = #expect(throws: CaptureError.self) { while try reader.next({ _, _ in count += 1 }) {} }
      #expect(count == (end - 16) / one.count)
      #expect(error?.problem == .cutOff && error?.record == count + 1)
    }
    #expect(try read(try file(whole)).packets.count == 2)
  }

  @Test func refusesAnAbsurdLength() throws {
    let path = try file(header(1002) + record([4], flags: 1, length: 0xFFFF_FFFF))
    let error = #expect(throws: CaptureError.self) { _ = try read(path) }
    #expect(error?.problem == .tooLong(0xFFFF_FFFF))
    #expect(error?.description.contains("record 1") == true)
  }

  @Test(arguments: [0, 1, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, UInt64.max])
  func takesAnyTimestamp(_ time: UInt64) throws {
    let path = try file(header(1002) + record([4, 1], flags: 1, time: time))
    let packet = try #require(try read(path).packets.first).packet
    #expect((0..<1_000_000_000).contains(packet.time.nanoseconds))
  }

  @Test func anyBytesBehindAHeaderAreTaken() throws {
    var random = Pseudorandom(seed: 5)
    for round in 0..<300 {
      var bytes = header(round % 2 == 0 ? 1002 : 2001)
      for _ in 0..<4 {
        let data = random.bytes(Int.random(in: 0...20, using: &random)).map { $0 % 8 }
        bytes += record(data, flags: UInt32.random(in: 0...20, using: &random), time: random.next())
      }
      bytes += random.bytes(Int.random(in: 0...40, using: &random))
      // An error or an end, nothing else.
      _ = try? read(try file(bytes))
    }
  }
}
