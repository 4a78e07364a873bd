import HCI
import POSIX
import Testing

@Suite struct RadioSpecTests {
  @Test(arguments: [
    ("tcp:127.0.0.1:6402", RadioSpec.tcp(host: "127.0.0.1", port: 6402)),
    ("tcp:[::1]:6402", .tcp(host: "::1", port: 6402)),
    ("tcp:radio.example:1", .tcp(host: "radio.example", port: 1)),
    ("unix:/run/radio.sock", .unix(path: "/run/radio.sock")),
    ("hci:0", .userChannel(index: 0)),
    ("hci:AA:BB:CC:DD:EE:0F", .userChannelOf(DeviceAddress(value: 0xAABB_CCDD_EE0F))),
    ("hci-raw:12", .rawChannel(index: 12)),
    ("serial:/dev/ttyUSB0,115200", .serial(path: "/dev/ttyUSB0", baud: 115_200, flowControl: .hardware)),
    ("serial:/dev/a,b,9600", .serial(path: "/dev/a,b", baud: 9600, flowControl: .hardware)),
    ("serial:/dev/ttyACM0,4000000,none", .serial(path: "/dev/ttyACM0", baud: 4_000_000, flowControl: .none)),
  ])
  func readsAndWritesEachKind(_ text: String, _ expected: RadioSpec) throws {
    let spec = try RadioSpec(text)
    #expect(spec == expected)
    #expect(spec.description == text)
  }

  @Test(arguments: [
    "", "hci", ":", "bt:0", "tcp:", "tcp:host", "tcp:host:", "tcp:host:0", "tcp:host:65536", "tcp:host:+1", "tcp::1",
    "tcp:::1:6402", "tcp:[]:1", "unix:", "unix:a\0b", "unix:" + String(repeating: "x", count: 108), "hci:", "hci:-1",
    "hci:65536", "hci:AA:BB:CC:DD:EE", "hci:AA:BB:CC:DD:EE:GG", "hci:AA:BB:CC:DD:EE:+F", "hci-raw:x", "serial:",
    "serial:/dev/ttyUSB0", "serial:,9600", "serial:/dev/ttyUSB0,0", "serial:/dev/ttyUSB0,fast", "TCP:host:1",
    "serial:/dev/ttyUSB0,115201", "serial:/dev/ttyUSB0,115200,xonxoff", "serial:/dev/ttyUSB0,none", "serial:,9600,none",
    "serial:/dev/tty\0,9600", "serial:none",
  ])
  func refusesAnythingElse(_ text: String) {
    let error = #expect(throws: RadioError.self) { try RadioSpec(text) }
    guard case .badSpec(text, let expected) = error else {
      Issue.record("\(text): \(String(describing: error))")
      return
    }
    #expect(!expected.isEmpty)
  }

  @Test func readsTheFlowControlThatIsTheDefault() throws {
    #expect(try RadioSpec("serial:/dev/ttyUSB0,115200,rtscts") == RadioSpec("serial:/dev/ttyUSB0,115200"))
    let error = #expect(throws: RadioError.self) { try RadioSpec("serial:/dev/ttyUSB0,12345") }
    #expect(error?.description.contains("921600, 1000000") == true)
  }

  @Test func everyErrorIsOneLineOfWords() throws {
    let spec = try RadioSpec("tcp:127.0.0.1:1")
    let errors: [RadioError] = [
      .badSpec("x", expected: "y"), .unknownHost(spec, reason: "no name"),
      .cannotOpen(spec, .connectionRefused), .cannotOpen(spec, .noEntry), .cannotOpen(spec, .permissionDenied),
      .cannotOpen(spec, .timedOut), .cannotOpen(spec, .busy), .ended, .failed(.brokenPipe), .badFraming(0xFF),
      .noReply(.reset), .noCredit, .refused(.leSetScanEnable, .commandDisallowed), .hardwareError(1),
      .capture("f", .noSpace), .notACapture("f"), .noResources(.busy), .notReady, .stopped,
    ]
    for error in errors {
      #expect(error.description.count > 15 && !error.description.contains("\n"), "\(error)")
    }
    #expect(RadioError.noReply(.leSetScanEnable).description.contains("LE Set Scan Enable (0x200C)"))
    #expect(RadioError.refused(.reset, .init(rawValue: 0x2A)).description.contains("0x2A"))
  }
}

@Suite struct DeviceAddressTests {
  @Test func textAndBytes() throws {
    let address = try #require(DeviceAddress(text: "0a:1B:2c:3D:4e:5F"))
    #expect(address.description == "0A:1B:2C:3D:4E:5F")
    #expect(address.littleEndianBytes == [0x5F, 0x4E, 0x3D, 0x2C, 0x1B, 0x0A])
    #expect(DeviceAddress(value: .max).value == 0xFFFF_FFFF_FFFF)
  }

  /// Random numbers that come in a given order.
  private struct Scripted: RandomNumberGenerator {
    var numbers: [UInt64]
    mutating func next() -> UInt64 { numbers.isEmpty ? 1 : numbers.removeFirst() }
  }

  @Test func nonResolvableAddressesHaveTwoZeroBitsAndAreNeitherAllOnesNorAllZeros() {
    var scripted = Scripted(numbers: [0xC000_0000_0000, .max, 0x3FFF_FFFF_FFFF, 0xFFFF_FFFF_FFFE])
    #expect(DeviceAddress.nonResolvable(using: &scripted).value == 0x3FFF_FFFF_FFFE)
    let many = Set((0..<100).map { _ in DeviceAddress.nonResolvable() })
    #expect(many.count == 100)
    #expect(many.allSatisfy { $0.value >> 46 == 0 && $0.value != 0 })
  }
}
