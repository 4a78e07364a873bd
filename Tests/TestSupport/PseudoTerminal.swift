internal import CPOSIX
internal import Glibc
internal import POSIX

/// A serial line or a terminal without hardware (pty(7)): programs open `path`, a test has the other end.
public final class PseudoTerminal: Sendable {
  private let master: FileDescriptor
  /// Open as long as this value lives, so that the line outlasts a program that closes it.
  private let device: FileDescriptor
  /// The device that stands for the line.
  public let path: String

  public init() throws {
    master = try FileDescriptor.open("/dev/ptmx", O_RDWR | O_NOCTTY)
    let number = master.number
    var lock: Int32 = 0
    var index: Int32 = 0
    try systemCall { unsafe cposix_ioctl(number, unlock, &lock) }
    try systemCall { unsafe cposix_ioctl(number, getIndex, &index) }
    path = "/dev/pts/\(index)"
    device = try FileDescriptor.open(path, O_RDWR | O_NOCTTY)
  }

  /// Sends bytes to whoever has the line open.
  public func send(_ bytes: [UInt8]) throws { try master.writeAll(bytes) }

  /// Waits for that many bytes of whoever has the line open.
  public func receive(_ count: Int, within limit: Duration = .seconds(20)) throws -> [UInt8] {
    let deadline = BootInstant.now() + limit
    var bytes: [UInt8] = []
    while bytes.count < count {
      var poller = Poller([(master.number, .readable)])
      guard try poller.wait(until: deadline) else { throw TestError("only \(bytes) came over the line") }
      bytes += try master.read(upTo: count - bytes.count)
    }
    return bytes
  }

  /// Waits until `found` makes something of what has come, `text` and all behind it.
  ///
  /// - Parameters:
  ///   - what: named in the complaint where it doesn't come.
  ///   - text: what came before; what comes is put behind it.
  @discardableResult
  public func text<Found>(
    _ what: String, onto text: inout String, within limit: Duration = .seconds(20), _ found: (String) -> Found?
  ) throws -> Found {
    let deadline = BootInstant.now() + limit
    var bytes = Array(text.utf8)
    while true {
      text = String(decoding: bytes, as: UTF8.self)
      if let match = found(text) { return match }
      var poller = Poller([(master.number, .readable)])
      guard try poller.wait(until: deadline) else { throw TestError("no \(what) came over the line:\n\(text)") }
      bytes += try receiveSome()
    }
  }

  /// All that has come and wasn't read yet.
  public func rest() throws -> String {
    var bytes: [UInt8] = []
    while true {
      var poller = Poller([(master.number, .readable)])
      guard try poller.wait(until: .now()) else { return String(decoding: bytes, as: UTF8.self) }
      bytes += try receiveSome()
    }
  }

  /// Puts a scripted controller at this end, which takes what comes from now on.
  public func controller(_ script: @escaping ScriptedController.Script) throws -> ScriptedController {
    let number = master.number
    let end = FileDescriptor(takingOwnershipOf: try systemCall { dup(number) })
    return try ScriptedController(end, VirtualController(model: .bluetooth5WithoutExtended), script: script)
  }

  /// The descriptor of this end, to wait on.
  var descriptor: Int32 { master.number }

  /// Reads what whoever has the line open has sent, at least a byte.
  func receiveSome() throws -> [UInt8] { try master.read(upTo: 4096) }

  /// How the line is set: the control flags and the speed's code of termios(3).
  public func settings() throws -> (flags: UInt32, local: UInt32, speed: UInt32) {
    var settings = termios()
    try systemCall { unsafe tcgetattr(master.number, &settings) }
    return (settings.c_cflag, settings.c_lflag, unsafe cfgetospeed(&settings))
  }
}

/// TIOCSPTLCK and TIOCGPTN of ioctl_tty(2), macros that Swift doesn't import.
private let unlock: UInt = 0x4004_5431
private let getIndex: UInt = 0x8004_5430
