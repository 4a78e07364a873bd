public import POSIX

/// Which radio to use: `<kind>:<where>`, the text of `--radio` and of the configuration's `radio`.
public enum RadioSpec: Hashable, Sendable {
  /// An H4 stream over TCP, for example a virtual controller: `tcp:127.0.0.1:6402`, `tcp:[::1]:6402`.
  case tcp(host: String, port: UInt16)
  /// An H4 stream over a Unix socket: `unix:/run/radio.sock`.
  case unix(path: String)
  /// An adapter of the kernel for this program alone (user channel), by index: `hci:0`.
  case userChannel(index: UInt16)
  /// An adapter of the kernel for this program alone, by address: `hci:AA:BB:CC:DD:EE:FF`.
  case userChannelOf(DeviceAddress)
  /// An adapter shared with the kernel: `hci-raw:0`.
  case rawChannel(index: UInt16)
  /// An H4 stream over a serial line: `serial:/dev/ttyUSB0,115200`, or with `,none` behind it for a line without RTS
  /// and CTS, which H4 asks for (Core Specification, Vol 4, Part A, 3).
  case serial(path: String, baud: UInt32, flowControl: FlowControl)

  /// Reads a radio's text.
  ///
  /// - Throws: `RadioError.badSpec`, which says what was expected.
  public init(_ text: String) throws(RadioError) {
    guard let colon = text.firstIndex(of: ":") else {
      throw .badSpec(text, expected: "KIND:WHERE, for example hci:0 or tcp:127.0.0.1:6402")
    }
    let rest = text[text.index(after: colon)...]
    switch text[..<colon] {
    case "tcp": self = try Self.tcp(rest, of: text)
    case "unix": self = try Self.unix(rest, of: text)
    case "hci": self = try Self.adapter(rest, of: text)
    case "hci-raw":
      guard let index = decimal(rest, UInt16.self) else {
        throw .badSpec(text, expected: "hci-raw: and the adapter's number, for example hci-raw:0")
      }
      self = .rawChannel(index: index)
    case "serial": self = try Self.serial(rest, of: text)
    default: throw .badSpec(text, expected: "one of the kinds hci, hci-raw, tcp, unix, serial")
    }
  }

  private static func tcp(_ rest: Substring, of text: String) throws(RadioError) -> RadioSpec {
    let expected = "tcp:HOST:PORT with a port of 1…65535, for example tcp:127.0.0.1:6402 or tcp:[::1]:6402"
    guard let colon = rest.lastIndex(of: ":"), let port = decimal(rest[rest.index(after: colon)...], UInt16.self),
      port > 0
    else { throw .badSpec(text, expected: expected) }
    var host = rest[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      throw .badSpec(text, expected: expected)
    }
    guard !host.isEmpty, !host.utf8.contains(0) else { throw .badSpec(text, expected: expected) }
    return .tcp(host: String(host), port: port)
  }

  private static func unix(_ rest: Substring, of text: String) throws(RadioError) -> RadioSpec {
    // sun_path holds 108 bytes, the last of them the terminator (unix(7)).
    guard (1...107).contains(rest.utf8.count), !rest.utf8.contains(0) else {
      throw .badSpec(text, expected: "unix: and a path of 1…107 bytes")
    }
    return .unix(path: String(rest))
  }

  private static func adapter(_ rest: Substring, of text: String) throws(RadioError) -> RadioSpec {
    if let index = decimal(rest, UInt16.self) { return .userChannel(index: index) }
    guard let address = DeviceAddress(text: rest) else {
      throw .badSpec(text, expected: "hci: and the adapter's number or address, hci:0 or hci:AA:BB:CC:DD:EE:FF")
    }
    return .userChannelOf(address)
  }

  private static func serial(_ rest: Substring, of text: String) throws(RadioError) -> RadioSpec {
    // From the end: a path may have commas in it.
    var parts = rest.split(separator: ",", omittingEmptySubsequences: false)
    let flowControl = parts.last.flatMap { FlowControl(rawValue: String($0)) }
    if flowControl != nil { parts.removeLast() }
    guard let speed = parts.popLast(), let baud = decimal(speed, UInt32.self), !rest.utf8.contains(0) else {
      throw .badSpec(
        text, expected: "serial:DEVICE,BAUD or serial:DEVICE,BAUD,none, for example serial:/dev/ttyUSB0,115200")
    }
    let path = parts.joined(separator: ",")
    guard !path.isEmpty else { throw .badSpec(text, expected: "serial:DEVICE,BAUD with the path of a device") }
    guard SerialPort.speeds.contains(baud) else {
      let speeds = SerialPort.speeds.map { "\($0)" }.joined(separator: ", ")
      throw .badSpec(text, expected: "one of the speeds \(speeds)")
    }
    return .serial(path: path, baud: baud, flowControl: flowControl ?? .hardware)
  }
}

extension RadioSpec: CustomStringConvertible {
  /// The text that reads as this value.
  public var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    case .userChannel(let index): "hci:\(index)"
    case .userChannelOf(let address): "hci:\(address)"
    case .rawChannel(let index): "hci-raw:\(index)"
    case .serial(let path, let baud, .hardware): "serial:\(path),\(baud)"
    case .serial(let path, let baud, .none): "serial:\(path),\(baud),none"
    }
  }
}

/// A number of decimal digits only: no sign, no space.
private func decimal<Number: FixedWidthInteger>(_ text: Substring, _: Number.Type) -> Number? {
  guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
  return Number(text)
}
