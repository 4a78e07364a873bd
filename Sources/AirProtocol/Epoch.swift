public import LatchkeyCrypto

/// A freshness of each door under which a `HintIndex` expects frames: a slot, or the doors' challenges.
public struct Epoch: Hashable, Sendable {
  /// The freshness of each door, in the order of `KeyTable.doors`; a door without one expects nothing.
  public let freshness: [Freshness?]

  public init(freshness: [Freshness?]) { self.freshness = freshness }

  /// A slot at all doors.
  public static func time(slot: UInt64, doors: Int) -> Epoch {
    Epoch(freshness: Array(repeating: .time(slot: slot), count: max(0, doors)))
  }

  /// Each door's own challenge; nil for a door that has none.
  public static func challenges(_ challenges: [Challenge?]) -> Epoch {
    Epoch(freshness: challenges.map { $0.map { .challenge($0) } })
  }
}

/// Why an index can't be built.
public enum HintIndexError: Error, Hashable, Sendable {
  case tooManyEpochs(Int)
  case wrongDoorCount(expected: Int, found: Int)
  case crypto(CryptoError)
}

extension HintIndexError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooManyEpochs(let count): "\(count) epochs, expected at most \(HintIndex.epochLimit)"
    case .wrongDoorCount(let expected, let found): "an epoch of \(found) doors, expected \(expected)"
    case .crypto(let error): "\(error)"
    }
  }
}
