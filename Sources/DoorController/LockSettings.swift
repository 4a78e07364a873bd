internal import Configuration
public import LockHardware
internal import POSIX
public import RelayGuard

/// What drives a door's lock.
public enum LockSettings: Hashable, Sendable {
  /// Nothing moves; what would is said.
  case dryRun
  /// Programs that open and close it.
  case command(LockCommands)
  /// Lines that move together, each held by a relay guard; at least one.
  case gpio([RelayLine])
  /// A board at a serial line: its device, and its speed in bits a second (docs/serial-board.md).
  case serial(port: String, baud: UInt32)

  static let defaultBaud: UInt32 = 9600
  /// How many relays one lock may have.
  static let mostLines = 8

  init(_ field: ConfigurationReader, folder: String) throws {
    let kinds = try field.mapping(["dry-run", "command", "gpio", "serial"])
    let (kind, value) = try kinds.only()
    switch kind {
    case "dry-run":
      if !value.isNull { _ = try value.mapping([]) }
      self = .dryRun
    case "command":
      let fields = try value.mapping(["unlock", "lock", "time-limit", "directory"])
      self = .command(
        LockCommands(
          unlock: try Self.program(fields.required("unlock")), lock: try Self.program(fields.required("lock")),
          timeLimit: try fields["time-limit"]?.duration(in: .milliseconds(100)...Duration.seconds(60)) ?? .seconds(5),
          directory: try fields["directory"].map { try path($0, in: folder) } ?? "/"))
    case "gpio":
      self = .gpio(try Self.lines(value))
    default:
      let fields = try value.mapping(["port", "baud"])
      self = .serial(
        port: try path(fields.required("port"), in: folder), baud: try Self.speed(fields["baud"]) ?? Self.defaultBaud)
    }
  }

  /// Whether a lock of other settings moves what this one moves, as far as settings tell: programs may do anything.
  func movesTheSame(as other: LockSettings) -> Bool {
    switch (self, other) {
    case (.dryRun, _), (.command, .command): true
    case (.gpio(let lines), .gpio(let others)):
      lines.allSatisfy { line in others.contains { $0.chip == line.chip && $0.place == line.place } }
    case (.serial(let port, _), .serial(let other, _)): port == other
    case (.command, _), (.gpio, _), (.serial, _): false
    }
  }

  /// A line, or a list of those that move together.
  static func lines(_ value: ConfigurationReader) throws -> [RelayLine] {
    let lines = value.isList ? try value.elements() : [value]
    guard (1...mostLines).contains(lines.count) else {
      throw value.complaint("expected 1 to \(mostLines) lines, found \(lines.count)")
    }
    return try lines.map { try RelayLine($0.mapping(RelayLine.keys)) }
  }

  private static func speed(_ field: ConfigurationReader?) throws -> UInt32? {
    let speeds = SerialPort.speeds.map { "\($0)" }
    return try field?.value("one of the speeds \(speeds.joined(separator: ", "))") { text in
      speeds.contains(text) ? UInt32(text) : nil
    }
  }

  private static func program(_ field: ConfigurationReader) throws -> [String] {
    let words = try field.elements().map { try $0.text() }
    guard let program = words.first, program.hasPrefix("/") else {
      throw field.complaint("expected a list that begins with a program's absolute path")
    }
    return words
  }
}

extension RelayLine {
  static let keys = ["chip", "line", "active-low", "bias"]

  /// Reads `keys`.
  init(_ fields: ConfigurationMapping) throws {
    self.init(
      chip: try fields.required("chip").value("a GPIO chip's name or label, 1 to 31 characters of ASCII") {
        RelayLine.isName($0) ? $0 : nil
      },
      place: try fields.required("line").value("a line's number, 0 to 65535, or its name, up to 31 characters of ASCII")
      {
        Place($0)
      },
      isActiveLow: try fields["active-low"]?.boolean() ?? false, bias: try fields["bias"]?.word(Bias.self))
  }
}
