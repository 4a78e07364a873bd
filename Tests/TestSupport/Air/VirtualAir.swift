/// What a door and its holders share in an end-to-end test: virtual controllers that hear each other.
public protocol VirtualAir: AnyObject, Sendable {
  /// The door's radio, as `radio:` names it; always the same.
  var doorRadio: String { get }

  /// A radio for one process of a holder, as `--radio` names it.
  func holderRadio() throws -> String

  /// Takes all controllers away at once, as if unplugged.
  func kill()

  /// Brings them back.
  func restart() throws

  /// Stops all controllers in their tracks: they stay, and answer nothing any more.
  func freeze()

  /// Waits until so many controllers are in use.
  func awaitInUse(_ count: Int, within limit: Duration) throws

  /// Whether the door's controller, which must be in use, hears and is heard.
  func setDoorInRange(_ isInRange: Bool) throws
}

extension VirtualAir {
  /// The same, with time enough for a loaded machine.
  public func awaitInUse(_ count: Int) throws { try awaitInUse(count, within: .seconds(10)) }
}

/// Which air the end-to-end tests use: the environment variable `LATCHKEY_TEST_AIR` says.
public enum AirKind: String, CaseIterable, Sendable {
  /// RootCanal, a program.
  case rootcanal
  /// Controllers of this test runner, over a Unix socket.
  case scripted
  /// The same controllers behind the kernel's Bluetooth.
  case kernel

  /// RootCanal unless the environment says otherwise.
  static var current: AirKind {
    get throws {
      let name = environmentVariable("LATCHKEY_TEST_AIR") ?? AirKind.rootcanal.rawValue
      guard let kind = AirKind(rawValue: name) else { throw TestError("LATCHKEY_TEST_AIR=\(name): no such air") }
      return kind
    }
  }

  /// Whether the air is RootCanal, which other programs can reach too.
  public static var isRootCanal: Bool { (try? current) == .rootcanal }

  func make(in directory: TemporaryDirectory) throws -> any VirtualAir {
    switch self {
    case .rootcanal: try RootCanal()
    case .scripted: try ScriptedAir(in: directory)
    case .kernel: try KernelAir()
    }
  }
}

/// A radio of a door that can hear what nobody sent: as many reports and as fast as wanted.
public protocol NoiseSource: Sendable {
  /// What `radio:` is given.
  var radio: String { get }

  /// Gives the door one report for each of `adverts`, from addresses of their own, at once.
  ///
  /// - Parameter adverts: advertising data of at most 31 bytes each.
  func shout(_ adverts: [[UInt8]]) throws
}

/// A legacy report of an advert from an address that nobody had before.
func noise(_ data: [UInt8]) -> [UInt8] {
  let address = (0..<6).map { _ in UInt8.random(in: 0...255) }
  return [0x04] + legacyReportEvent([legacyReportBytes(address: address, data: data)])
}
