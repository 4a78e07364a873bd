/// What a holder asks a door to do ("Command frame").
public enum Command: Hashable, Sendable {
  /// Open; 0: for the door's own pulse, 1…255 seconds, capped by the door's policy.
  case unlock(seconds: UInt8)
  /// Close.
  case lock
  /// Keep unlocked for so many minutes; 0: until released.
  case hold(minutes: UInt8)
  /// End a hold.
  case release
  /// Ask for the door's state.
  case status
  /// Start a lockdown, or end it.
  case lockdown(end: Bool)
  /// Open as if nothing were wrong and raise a silent alarm.
  case duress

  /// The command of these two bytes; nil for an unknown code, or an argument that its command doesn't take.
  public init?(code: UInt8, argument: UInt8) {
    switch (code, argument) {
    case (1, _): self = .unlock(seconds: argument)
    case (2, 0): self = .lock
    case (3, _): self = .hold(minutes: argument)
    case (4, 0): self = .release
    case (5, 0): self = .status
    case (6, 0): self = .lockdown(end: false)
    case (6, 1): self = .lockdown(end: true)
    case (7, 0): self = .duress
    default: return nil
    }
  }

  /// The command that the command line calls so, with its argument byte; nil for an unknown word or argument.
  public init?(name: String, argument: UInt8) {
    guard let index = Command.names.firstIndex(of: name) else { return nil }
    self.init(code: UInt8(index + 1), argument: argument)
  }

  /// The words of the command line, in the order of the codes 1…7.
  public static let names = ["unlock", "lock", "hold", "release", "status", "lockdown", "duress"]

  /// Its value on the air, 1…7.
  public var code: UInt8 {
    switch self {
    case .unlock: 1
    case .lock: 2
    case .hold: 3
    case .release: 4
    case .status: 5
    case .lockdown: 6
    case .duress: 7
    }
  }

  /// Its argument byte on the air.
  public var argument: UInt8 {
    switch self {
    case .unlock(let seconds): seconds
    case .hold(let minutes): minutes
    case .lockdown(let end): end ? 1 : 0
    case .lock, .release, .status, .duress: 0
    }
  }

  /// The word for it on the command line and in events.
  public var name: String { Command.names[Int(code) - 1] }
}
