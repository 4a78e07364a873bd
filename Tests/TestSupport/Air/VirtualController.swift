/// A controller of Bluetooth LE as a state machine: a command goes in, its reply comes out.
///
/// It is as strict as the Core Specification lets a controller be (Vol 4, Part E, 7.3, 7.4 and 7.8): exact lengths, ranges,
/// order, and one family of advertising commands between two Resets (3.1.1). Besides LE advertising and scanning it knows
/// what a kernel asks of it at the start.
public struct VirtualController: Sendable {
  /// What kind of controller it is.
  public struct Model: Hashable, Sendable {
    /// HCI_Version: 9 is Bluetooth 5.0.
    public var version: UInt8
    /// Whether it knows the extended commands.
    public var isExtended: Bool

    public static let bluetooth5 = Model(version: 9, isExtended: true)
    /// Extended advertising is optional.
    public static let bluetooth5WithoutExtended = Model(version: 9, isExtended: false)
    public static let bluetooth4 = Model(version: 8, isExtended: false)
  }

  /// A status and what follows it.
  struct Reply {
    var status: UInt8
    var parameters: [UInt8] = []

    static let success = Reply(status: 0)
    static let unknownCommand = Reply(status: 0x01)
    static let disallowed = Reply(status: 0x0C)
    static let unsupported = Reply(status: 0x11)
    static let invalid = Reply(status: 0x12)
    static let unknownSet = Reply(status: 0x42)
  }

  /// The two sets of commands that can't be mixed.
  public enum Family: Sendable {
    case legacy
    case extended
  }

  /// Legacy advertising.
  struct Advertising {
    var interval: UInt64 = 0x800
    var type: UInt8 = 0
    var ownAddressType: UInt8 = 0
    var data: [UInt8] = []
    var isEnabled = false
  }

  /// An advertising set.
  struct AdvertisingSet {
    var interval: UInt64 = 0x800
    var properties: UInt16 = 0
    var ownAddressType: UInt8 = 0
    var address: [UInt8]?
    var data: [UInt8] = []
    var isEnabled = false

    var isLegacy: Bool { properties & 0x10 != 0 }
  }

  /// Scanning, by either family.
  struct Scanning {
    var ownAddressType: UInt8 = 0
    var isActive = false
    var isEnabled = false
    var filtersDuplicates = false
    /// Whom the filter of duplicates has let pass already.
    var heard: Set<[UInt8]> = []
  }

  let model: Model
  /// Its own public address, lowest byte first.
  let publicAddress: [UInt8]
  var eventMask = Self.defaultEventMask
  var leEventMask = Self.defaultLEEventMask
  var randomAddress: [UInt8]?
  var advertising = Advertising()
  var sets: [UInt8: AdvertisingSet] = [:]
  var scanning = Scanning()
  /// Which commands it was told by since its last Reset; nil: none yet.
  public internal(set) var family: Family?
  /// What it refused because it was malformed, in words; a correct host leaves this empty.
  public internal(set) var complaints: [String] = []

  // What Reset leaves (7.3.1 and 7.8.1): no LE Meta event, and of LE events the first five.
  private static let defaultEventMask: UInt64 = 0x0000_1FFF_FFFF_FFFF
  private static let defaultLEEventMask: UInt64 = 0x1F

  public init(model: Model = .bluetooth5, publicAddress: [UInt8] = [6, 5, 4, 3, 2, 1]) {
    self.model = model
    self.publicAddress = publicAddress
  }

  /// Whether it scans.
  public var isScanning: Bool { scanning.isEnabled }

  /// Whether it advertises.
  public var isAdvertising: Bool { advertising.isEnabled || sets.values.contains { $0.isEnabled } }

  /// Obeys a command, and answers with the event.
  public mutating func take(_ command: CommandPacket) -> [UInt8] {
    let reply = obey(command)
    if reply.status == Reply.invalid.status {
      complaints.append("\(command) refused: status \(reply.status)")
    }
    return commandComplete(command.code, reply.status, reply.parameters)
  }

  private mutating func obey(_ command: CommandPacket) -> Reply {
    let parameters = command.parameters
    switch command.code {
    case 0x0C01: return setMask(parameters, \.eventMask)
    case 0x0C03: return reset(parameters)
    case 0x1001: return read(parameters, [model.version, 0, 0, model.version, 0xE0, 0, 0, 0])
    // Which commands it knows: it says of none that isn't mandatory, so that a kernel asks for little.
    case 0x1002: return read(parameters, [UInt8](repeating: 0, count: 64))
    // Supported in the controller: LE, and nothing of BR/EDR.
    case 0x1003: return read(parameters, [0, 0, 0, 0, 0x60, 0, 0, 0])
    case 0x1009: return read(parameters, publicAddress)
    case 0x2001: return setMask(parameters, \.leEventMask)
    // Buffers of connections, of which there are none: four of 27 bytes.
    case 0x2002: return read(parameters, [27, 0, 4])
    // States: advertising and scanning, each alone or both.
    case 0x201C: return read(parameters, [0xFF, 0xFF, 0, 0, 0, 0, 0, 0])
    case 0x2003: return read(parameters, [0, model.isExtended ? 0x10 : 0, 0, 0, 0, 0, 0, 0])
    case 0x2005: return setRandomAddress(parameters)
    case 0x2010: return parameters.isEmpty ? .success : .invalid
    case 0x2006...0x200C: return enter(.legacy) ?? legacy(command)
    case 0x2035...0x2042 where model.isExtended: return enter(.extended) ?? extended(command)
    default: return .unknownCommand
    }
  }

  /// A refusal where commands of the other family were used since the last Reset.
  private mutating func enter(_ family: Family) -> Reply? {
    if let used = self.family, used != family { return .disallowed }
    self.family = family
    return nil
  }

  private mutating func reset(_ parameters: [UInt8]) -> Reply {
    guard parameters.isEmpty else { return .invalid }
    let complaints = complaints
    self = VirtualController(model: model, publicAddress: publicAddress)
    self.complaints = complaints
    return .success
  }

  private func read(_ parameters: [UInt8], _ answer: [UInt8]) -> Reply {
    parameters.isEmpty ? Reply(status: 0, parameters: answer) : .invalid
  }

  private mutating func setMask(_ parameters: [UInt8], _ mask: WritableKeyPath<Self, UInt64>) -> Reply {
    guard parameters.count == 8 else { return .invalid }
    self[keyPath: mask] = littleEndian(parameters)
    return .success
  }

  /// It can't change under legacy advertising or scanning (7.8.4).
  private mutating func setRandomAddress(_ parameters: [UInt8]) -> Reply {
    guard parameters.count == 6 else { return .invalid }
    if advertising.isEnabled || scanning.isEnabled { return .disallowed }
    randomAddress = parameters
    return .success
  }
}
