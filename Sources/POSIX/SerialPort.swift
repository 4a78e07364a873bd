internal import CPOSIX
internal import Glibc

/// Who holds back the bytes of a serial line that come too fast.
public enum FlowControl: String, CaseIterable, Sendable {
  /// The wires RTS and CTS.
  case hardware = "rtscts"
  /// Nobody.
  case none
}

/// A serial line (termios(3)): raw, 8 data bits, no parity, one stop bit, of this process alone.
///
/// What the line was set to before comes back when the value ends.
public struct SerialPort: ~Copyable {
  private let file: FileDescriptor
  private let before: termios

  /// The speeds that a line can be set to, in bits a second, in rising order.
  public static var speeds: [UInt32] { speedCodes.map(\.rate) }

  /// Opens a line and throws away what it has received so far.
  ///
  /// - Parameters:
  ///   - path: of the device.
  ///   - rate: one of `speeds`.
  /// - Throws: `Errno.busy` where another has it open, `.notTerminal` where it is no serial line, `.invalidArgument`
  ///   where the device doesn't do what is asked for.
  public static func open(_ path: String, rate: UInt32, flowControl: FlowControl) throws(Errno) -> SerialPort {
    guard let code = speedCodes.first(where: { $0.rate == rate })?.code else { throw .invalidArgument }
    // O_NONBLOCK: without it, opening waits for a carrier.
    let file = try FileDescriptor.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK)
    let number = file.number
    var before = termios()
    try systemCall { unsafe tcgetattr(number, &before) }
    do throws(Errno) {
      // Two locks: TIOCEXCL keeps out every program but root's, flock(2) another of ours.
      try systemCall { flock(number, LOCK_EX | LOCK_NB) }
    } catch .wouldBlock {
      throw .busy
    }
    try systemCall { cposix_ioctl_number(number, UInt(TIOCEXCL), 0) }
    let port = SerialPort(file: file, before: before)
    try port.configure(code, flowControl)
    try systemCall { tcflush(number, TCIOFLUSH) }
    return port
  }

  private init(file: consuming FileDescriptor, before: termios) {
    self.file = file
    self.before = before
  }

  deinit {
    // Else closing waits half a minute for a peer that lets nothing out.
    _ = tcflush(file.number, TCOFLUSH)
    var before = before
    _ = unsafe tcsetattr(file.number, TCSANOW, &before)
    _ = cposix_ioctl_number(file.number, UInt(TIOCNXCL), 0)
    // Said in words: a child that is just being started has a copy of the descriptor until it runs its program.
    _ = flock(file.number, LOCK_UN)
  }

  /// The descriptor to wait on, valid as long as this value lives.
  public var number: Int32 { file.number }

  /// Reads what is there into the beginning of `buffer`, without waiting (read(2)).
  ///
  /// - Returns: how many bytes, 0 where the line is gone; nil where there is nothing now.
  public func receive(into buffer: inout [UInt8]) throws(Errno) -> Int? {
    let number = number
    do throws(Errno) {
      return try systemCall { () -> Int in
        unsafe buffer.withUnsafeMutableBytes { raw in unsafe read(number, raw.baseAddress, raw.count) }
      }
    } catch {
      guard error == .wouldBlock else { throw error }
      return nil
    }
  }

  /// Writes all the bytes (write(2)).
  ///
  /// - Parameter deadline: `Errno.timedOut` then; part of the bytes may have gone out.
  public func sendAll(_ bytes: [UInt8], until deadline: BootInstant) throws(Errno) {
    let number = number
    var sent = 0
    while sent < bytes.count {
      let start = sent
      do throws(Errno) {
        sent += try systemCall { () -> Int in
          unsafe bytes.withUnsafeBytes { raw in
            let rest = unsafe UnsafeRawBufferPointer(rebasing: raw[start...])
            return unsafe write(number, rest.baseAddress, rest.count)
          }
        }
      } catch {
        guard error == .wouldBlock else { throw error }
        var poller = Poller([(number, .writable)])
        guard try poller.wait(until: deadline) else { throw .timedOut }
      }
    }
  }

  /// Sets the line, and looks whether the device took it: tcsetattr(3) is content with a part.
  private func configure(_ speed: speed_t, _ flowControl: FlowControl) throws(Errno) {
    let number = number
    var wanted = before
    unsafe cfmakeraw(&wanted)
    wanted.c_cflag &= ~tcflag_t(CSTOPB | PARENB)
    wanted.c_cflag |= tcflag_t(CLOCAL | CREAD)
    let hardware = tcflag_t(truncatingIfNeeded: CRTSCTS)
    if flowControl == .hardware { wanted.c_cflag |= hardware } else { wanted.c_cflag &= ~hardware }
    try systemCall { unsafe cfsetspeed(&wanted, speed) }
    try systemCall { unsafe tcsetattr(number, TCSANOW, &wanted) }
    var set = termios()
    try systemCall { unsafe tcgetattr(number, &set) }
    let flags = tcflag_t(CSIZE | CSTOPB | PARENB) | hardware
    guard unsafe cfgetospeed(&set) == speed, set.c_cflag & flags == wanted.c_cflag & flags else {
      throw .invalidArgument
    }
  }
}

private let speedCodes: [(rate: UInt32, code: speed_t)] = [
  (1200, speed_t(B1200)), (2400, speed_t(B2400)), (4800, speed_t(B4800)), (9600, speed_t(B9600)),
  (19_200, speed_t(B19200)), (38_400, speed_t(B38400)), (57_600, speed_t(B57600)), (115_200, speed_t(B115200)),
  (230_400, speed_t(B230400)), (460_800, speed_t(B460800)), (500_000, speed_t(B500000)), (576_000, speed_t(B576000)),
  (921_600, speed_t(B921600)), (1_000_000, speed_t(B1000000)), (1_152_000, speed_t(B1152000)),
  (1_500_000, speed_t(B1500000)), (2_000_000, speed_t(B2000000)), (2_500_000, speed_t(B2500000)),
  (3_000_000, speed_t(B3000000)), (3_500_000, speed_t(B3500000)), (4_000_000, speed_t(B4000000)),
]
