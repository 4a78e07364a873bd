/// Why a door didn't do what it was asked; the raw values are the codes of events (docs/cli.md).
public enum Reason: String, CaseIterable, Hashable, Sendable {
  case notPermitted = "not-permitted"
  case disabled
  case unknownDoor = "unknown-door"
  case outsideSchedule = "outside-schedule"
  case expired
  case notYetValid = "not-yet-valid"
  case usesExhausted = "uses-exhausted"
  case lockdown
  case lockFailed = "lock-failed"
  case revoked
  case clockUntrusted = "clock-untrusted"
  case challengeRequired = "challenge-required"
  case timeRequired = "time-required"
  case secondPerson = "second-person"
  case passedAlready = "passed-already"
  case replayed
  case malformed
  case slowDown = "slow-down"

  /// The result byte of the answer (docs/protocol.md, "Answer frame"); nil where there is no answer.
  public var answerResult: UInt8? {
    switch self {
    case .notPermitted, .disabled, .unknownDoor: 2
    case .outsideSchedule: 3
    case .expired, .notYetValid, .usesExhausted: 4
    case .lockdown: 5
    case .lockFailed: 6
    case .revoked: 7
    case .clockUntrusted, .challengeRequired, .timeRequired: 8
    case .secondPerson: 9
    case .passedAlready: 10
    case .replayed, .malformed, .slowDown: nil
    }
  }
}

extension Reason: CustomStringConvertible {
  /// For people, for example "this door wants a challenge".
  public var description: String {
    switch self {
    case .notPermitted: "this command isn't permitted to this credential"
    case .disabled: "this credential is disabled"
    case .unknownDoor: "this credential isn't for this door"
    case .outsideSchedule: "outside the permitted times"
    case .expired: "no longer valid"
    case .notYetValid: "not valid yet"
    case .usesExhausted: "used as often as permitted"
    case .lockdown: "the door is locked down"
    case .lockFailed: "the lock hardware failed"
    case .revoked: "this credential is revoked"
    case .clockUntrusted: "the door's clock isn't trusted at present"
    case .challengeRequired: "this needs a challenge of the door"
    case .timeRequired: "this door takes no challenges"
    case .secondPerson: "a second person is awaited"
    case .passedAlready: "passed already"
    case .replayed: "heard before"
    case .malformed: "not a command of this version"
    case .slowDown: "too many commands in a short time"
    }
  }
}
