internal import CPOSIX
internal import Glibc

/// A signal that a program handles, or sends to a process group.
public struct Signal: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32

  public init(rawValue: Int32) { self.rawValue = rawValue }

  public static let hangUp = Signal(rawValue: SIGHUP)
  public static let interrupt = Signal(rawValue: SIGINT)
  public static let terminate = Signal(rawValue: SIGTERM)
  public static let kill = Signal(rawValue: SIGKILL)
  public static let user1 = Signal(rawValue: SIGUSR1)
}

extension Signal {
  /// Every signal that ends or stops a process which doesn't handle it, but those that can't be (SIGKILL, SIGSTOP), and those
  /// that tell of the program's own fault (signal(7)).
  public static let endingOrStopping: [Signal] =
    [
      SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGSTKFLT, SIGTSTP, SIGTTIN, SIGTTOU,
      SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO, SIGPWR,
    ].map { Signal(rawValue: $0) } + (34...64).map { Signal(rawValue: $0) }
}

extension Signal: CustomStringConvertible {
  /// Its name as in kill(1), for example `SIGTERM`.
  public var description: String {
    guard let name = unsafe cposix_signal_name(rawValue) else { return "signal \(rawValue)" }
    return unsafe "SIG" + String(cString: name)
  }
}

extension Signal {
  /// Lets this process wait for its children, whatever it was started with.
  public static func hearChildrenEnd() { _ = signal(SIGCHLD, SIG_DFL) }
}

/// Signals as something to read: they no longer interrupt or end the process, but wait here (signalfd(2)).
///
/// Made before any other thread is started, so that every thread inherits the block; a child process that
/// `ChildProcess` starts has it taken off again.
public struct SignalQueue: ~Copyable, Sendable {
  private let file: FileDescriptor

  /// The descriptor to wait on together with others: readable while a signal waits.
  public var descriptor: Int32 { file.number }

  /// Blocks the signals in the calling thread and those that it starts from now on.
  public init(blocking signals: [Signal]) throws(Errno) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal.rawValue) }
    let result = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    guard result == 0 else { throw Errno(rawValue: result) }
    file = FileDescriptor(
      takingOwnershipOf: try systemCall {
        unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
      })
  }

  /// Waits for the next of the signals; nil when the deadline passes first.
  public func next(until deadline: BootInstant? = nil) throws(Errno) -> Signal? {
    var poller = Poller([(file.number, .readable)])
    while try poller.wait(until: deadline) {
      var information = signalfd_siginfo()
      let size = MemoryLayout<signalfd_siginfo>.size
      do throws(Errno) {
        let count = unsafe try withUnsafeMutableBytes(of: &information) { (buffer) throws(Errno) -> Int in
          try unsafe file.read(into: buffer)
        }
        if count == size { return Signal(rawValue: Int32(truncatingIfNeeded: information.ssi_signo)) }
      } catch .wouldBlock {
        // Another thread took it.
      }
    }
    return nil
  }
}

extension Signal {
  /// Ends this process as the signal would have, had it not been blocked: whoever waits for it sees why.
  public func endProcess() -> Never {
    _ = signal(rawValue, SIG_DFL)
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, rawValue)
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    Glibc.raise(rawValue)
    exit(128 + rawValue)
  }
}
