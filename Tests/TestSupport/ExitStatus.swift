/// How a process ended.
public enum ExitStatus: Hashable, Sendable, CustomStringConvertible {
  /// It ended by itself, with this exit code (0…255).
  case exited(Int32)
  /// A signal ended it.
  case signalled(Int32)

  /// From what waitpid(2) stores.
  init(waitStatus: Int32) {
    let signal = waitStatus & 0x7F
    self = signal == 0 ? .exited((waitStatus >> 8) & 0xFF) : .signalled(signal)
  }

  /// The exit code, or 128 + signal as shells have it.
  public var code: Int32 {
    switch self {
    case .exited(let code): code
    case .signalled(let signal): 128 + signal
    }
  }

  public var description: String {
    switch self {
    case .exited(let code): "exit \(code)"
    case .signalled(let signal): "signal \(signal)"
    }
  }
}

/// The signals that tests send.
public enum TestSignal: Int32, Sendable {
  case hangUp = 1
  case interrupt = 2
  case kill = 9
  case user1 = 10
  case terminate = 15
  case proceed = 18
  case pause = 19
}
