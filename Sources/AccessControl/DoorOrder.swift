/// What a granted command asks of the lock, with its durations.
public enum DoorOrder: Hashable, Sendable {
  case unlock(for: Duration)
  case lock
  /// nil: until released.
  case hold(for: Duration?)
  case release
  case status
  case lockdown(end: Bool)
}

extension DoorOrder {
  /// Whether it only ever makes an opening shorter.
  public var closes: Bool {
    switch self {
    case .lock, .release, .lockdown(end: false): true
    case .unlock, .hold, .status, .lockdown(end: true): false
    }
  }

  /// The order behind a command of the air protocol; `duress` is the same as `unlock`.
  ///
  /// - Parameter argument: seconds of an unlock (0: the door's own pulse), minutes of a hold (0: until released), 1
  ///   for the end of a lockdown; without meaning otherwise.
  public init(_ permission: Permission, argument: UInt8, door: DoorPolicy) {
    switch permission {
    case .unlock, .duress: self = .unlock(for: door.pulse(argument: argument))
    case .lock: self = .lock
    case .hold: self = .hold(for: argument == 0 ? nil : .seconds(60 * Int64(argument)))
    case .release: self = .release
    case .status: self = .status
    case .lockdown: self = .lockdown(end: argument == 1)
    }
  }
}

/// What a door says of itself; the raw values are the air protocol's (docs/protocol.md, "Answer frame").
public enum DoorState: UInt8, CaseIterable, Hashable, Sendable {
  case unknown = 0
  case locked = 1
  case unlocked = 2
  case heldOpen = 3
  case lockedDown = 4
}

extension DoorState: CustomStringConvertible {
  /// For people, for example "held open".
  public var description: String {
    switch self {
    case .unknown: "unknown"
    case .locked: "locked"
    case .unlocked: "unlocked"
    case .heldOpen: "held open"
    case .lockedDown: "locked down"
    }
  }
}
