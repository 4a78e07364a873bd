/// What a radio is good for now, in one word: of events, `status`, metrics and `latchkeyd radios`.
public enum RadioCondition: String, CaseIterable, Sendable {
  /// Not there, or not asked yet.
  case unknown
  /// There is no Bluetooth here, or it knows no LE.
  case unsupported
  /// This program may not use it.
  case unauthorized
  /// Switched off: down, or blocked (rfkill).
  case poweredOff = "powered-off"
  /// On its way back from a fault, or to its first use.
  case resetting
  /// It does what is wanted.
  case on
  /// It obeys, but has heard nothing for so long that its ears are in doubt.
  case deaf
  /// Off as told.
  case stopped

  /// Whether the controller does what it is told.
  public var obeys: Bool { self == .on || self == .deaf }
}

extension RadioState {
  /// The state in one word.
  public var condition: RadioCondition {
    switch self {
    case .off, .opening: .unknown
    case .preparing: .resetting
    case .on: .on
    case .deaf: .deaf
    case .waiting(let error, _), .ended(let error?): error.condition
    case .stopping, .ended(nil): .stopped
    }
  }
}

extension RadioError {
  /// What a radio with this error is good for.
  var condition: RadioCondition {
    switch self {
    case .adapter(_, let problem): problem.condition
    case .cannotOpen: isMissingPermission ? .unauthorized : .unknown
    case .noLowEnergy: .unsupported
    case .badSpec, .unknownHost, .capture, .notACapture, .noResources, .notReady: .unknown
    case .ended, .failed, .badFraming, .noReply, .noCredit, .refused, .hardwareError, .noExtendedAdvertising: .resetting
    case .stopped: .stopped
    }
  }
}
