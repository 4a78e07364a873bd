internal import CPOSIX
internal import Glibc

/// The process's standard output or standard error; nobody owns them, so they are never closed.
public enum StandardStream: Int32, Sendable {
  case output = 1
  case error = 2

  /// Writes all of `bytes` (write(2), again until everything is out).
  public func writeAll(_ bytes: [UInt8]) throws(Errno) {
    var written = 0
    while written < bytes.count {
      let start = written
      written += try systemCall { () -> Int in
        unsafe bytes.withUnsafeBytes { buffer in
          let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
          return unsafe write(rawValue, rest.baseAddress, rest.count)
        }
      }
    }
  }

  /// How many rows its terminal has; 0 where the terminal doesn't know, nil where it is none (ioctl_tty(2), TIOCGWINSZ).
  public var terminalRows: Int? {
    var size = winsize()
    let result = unsafe cposix_ioctl(rawValue, UInt(TIOCGWINSZ), &size)
    return result == 0 ? Int(size.ws_row) : nil
  }

  /// Opens /dev/null in the place of those of the three standard descriptors that are closed.
  ///
  /// Else the next file that is opened, a database perhaps, would be taken for one of them and written to. To be called
  /// before anything is opened.
  public static func openMissing() {
    for number in Int32(0)...2 where fcntl(number, F_GETFD) == -1 {
      // The lowest that is free is this one.
      _ = unsafe cposix_open("/dev/null", O_RDWR, 0)
    }
  }

  /// Makes writing into a pipe that nobody reads an error (EPIPE) instead of the process's end (SIGPIPE).
  public static func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }
}
