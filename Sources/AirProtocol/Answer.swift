/// What became of a command, as the door tells its holder ("Answer frame").
public struct AnswerResult: RawRepresentable, Hashable, Sendable {
  /// The number on the air; one that isn't known is shown as a number, never an error.
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let done = AnswerResult(rawValue: 1)
  public static let notPermitted = AnswerResult(rawValue: 2)
  public static let outsidePermittedTimes = AnswerResult(rawValue: 3)
  public static let expired = AnswerResult(rawValue: 4)
  public static let lockedDown = AnswerResult(rawValue: 5)
  public static let lockFailed = AnswerResult(rawValue: 6)
  public static let revoked = AnswerResult(rawValue: 7)
  public static let freshnessRefused = AnswerResult(rawValue: 8)
  public static let secondPersonAwaited = AnswerResult(rawValue: 9)
  public static let passedAlready = AnswerResult(rawValue: 10)
}

extension AnswerResult: CustomStringConvertible {
  /// The result in words; a number that isn't known as `result 42`.
  public var description: String {
    switch self {
    case .done: "done"
    case .notPermitted: "not permitted"
    case .outsidePermittedTimes: "outside permitted times"
    case .expired: "expired, not yet valid, or used up"
    case .lockedDown: "locked down"
    case .lockFailed: "lock hardware failed"
    case .revoked: "revoked"
    case .freshnessRefused: "this freshness isn't accepted here now"
    case .secondPersonAwaited: "a second person is awaited"
    case .passedAlready: "passed already"
    default: "result \(rawValue)"
    }
  }
}

/// The plaintext of an answer frame.
public struct Answer: Hashable, Sendable {
  public let result: AnswerResult
  public let state: DoorStateByte
  /// Seconds until the door locks again; 65535 for no end, 0 otherwise.
  public let detail: UInt16

  /// What `detail` says where there is no end.
  public static let noEnd: UInt16 = 65535

  public init(result: AnswerResult, state: DoorStateByte, detail: UInt16 = 0) {
    self.result = result
    self.state = state
    self.detail = detail
  }

  /// The plaintext of the lowest 40 bits, first byte most significant; the last byte is ignored.
  init(packed: UInt64) {
    self.init(
      result: AnswerResult(rawValue: UInt8(truncatingIfNeeded: packed >> 32)),
      state: DoorStateByte(rawValue: UInt8(truncatingIfNeeded: packed >> 24)),
      detail: UInt16(truncatingIfNeeded: packed >> 8))
  }

  /// The five bytes in the lowest 40 bits, first byte most significant; the last is 0.
  var packed: UInt64 { UInt64(result.rawValue) << 32 | UInt64(state.rawValue) << 24 | UInt64(detail) << 8 }
}
