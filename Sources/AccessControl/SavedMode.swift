/// A door's mode as it is written down, in wall clock time: what a restart goes on from (docs/door-modes.md).
public struct SavedMode: Hashable, Sendable {
  /// How long the door was to be kept unlocked.
  public enum Hold: Hashable, Sendable {
    case none
    /// Unix seconds.
    case until(Int64)
    case indefinite
  }

  public let isLockedDown: Bool
  public let hold: Hold
  /// Unix seconds until which the door was unlocked when this was written; a restart doesn't open it again.
  public let pulseUntil: Int64?

  public init(isLockedDown: Bool = false, hold: Hold = .none, pulseUntil: Int64? = nil) {
    self.isLockedDown = isLockedDown
    self.hold = hold
    self.pulseUntil = pulseUntil
  }
}

/// What became of a saved mode at a start: each is worth a line in the log.
public enum Restoration: Hashable, Sendable {
  /// Still locked down.
  case lockedDown
  /// Kept unlocked until released, as before.
  case heldOn
  /// Kept unlocked for the rest of the time, in seconds.
  case heldFor(seconds: Int64)
  /// The hold ended, in Unix seconds, while nobody was there to say so.
  case holdEnded(at: Int64)
  /// The hold ends here: its rest can't be told from a clock that isn't trusted.
  case holdCutOff
  /// The last run ended in the middle of a pulse that would have lasted until then, in Unix seconds.
  case pulseCutOff(until: Int64)
}

extension DoorMode {
  /// This mode in wall clock time.
  ///
  /// - Parameters:
  ///   - now: the same moment as `wall`, in time since the machine's start.
  ///   - wall: Unix seconds.
  public func saved(now: Duration, wall: Int64) -> SavedMode {
    let pulse = pulseUntil.flatMap { $0 > now ? later(wall, $0 - now) : nil }
    let hold: SavedMode.Hold =
      switch self.hold {
      case .none: .none
      case .indefinite: .indefinite
      case .until(let moment): moment > now ? .until(later(wall, moment - now)) : .none
      }
    return SavedMode(isLockedDown: isLockedDown, hold: hold, pulseUntil: pulse)
  }

  /// The mode that a start goes on with, and what became of the saved one; `wanted(now:)` says what the lock does.
  ///
  /// Lockdown and a hold without end go on. A timed hold goes on for what is left of it by the wall clock; without a
  /// trusted clock, or with one behind the last record, it ends. A pulse is over.
  /// - Parameters:
  ///   - lastRecord: Unix seconds of the last thing that the last run wrote, so that nothing is longer than it was then.
  ///   - now: the same moment as `wall`, in time since the machine's start.
  ///   - wall: Unix seconds.
  public static func restored(
    _ saved: SavedMode, lastRecord: Int64, now: Duration, wall: Int64, clockTrusted: Bool
  ) -> (mode: DoorMode, notes: [Restoration]) {
    if saved.isLockedDown { return (DoorMode(hold: .none, isLockedDown: true), [.lockedDown]) }
    var notes: [Restoration] = []
    var hold = Hold.none
    switch saved.hold {
    case .none: break
    case .indefinite:
      hold = .indefinite
      notes.append(.heldOn)
    case .until where !clockTrusted || wall < lastRecord:
      notes.append(.holdCutOff)
    case .until(let end) where end <= wall:
      notes.append(.holdEnded(at: end))
    case .until(let end):
      let (rest, overflow) = end.subtractingReportingOverflow(wall)
      // No hold is longer than its argument byte allows, whatever the file says.
      let seconds = overflow ? longestHold : min(rest, longestHold)
      hold = .until(now + .seconds(seconds))
      notes.append(.heldFor(seconds: seconds))
    }
    if let pulse = saved.pulseUntil, pulse > lastRecord { notes.append(.pulseCutOff(until: pulse)) }
    return (DoorMode(hold: hold, isLockedDown: false), notes)
  }
}

/// The most that a hold's argument byte says, in seconds.
private let longestHold: Int64 = 255 * 60

/// The wall clock's second by which a duration has passed; saturates.
private func later(_ wall: Int64, _ duration: Duration) -> Int64 {
  let (sum, overflow) = wall.addingReportingOverflow(secondsRoundedUp(duration))
  return overflow ? .max : sum
}
