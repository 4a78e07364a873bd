internal import AirProtocol

/// What a credential used of the clock's slots at one door: enough never to use a (slot, sequence) twice
/// (protocol.md, "sequence").
public struct DoorUse: Hashable, Sendable {
  /// How many slots are remembered: 85 minutes without a break at five seconds each.
  public static let rememberedSlots = 1_024

  /// The slot of the last time frame.
  public internal(set) var slot: UInt64
  /// The sequence of the next frame in that slot; 256: it has none left.
  public internal(set) var nextSequence: Int
  /// The slots used, oldest first, the last one among them.
  public internal(set) var slots: [UInt64]
  /// The first slot that may be used after the last challenge frame; 0: there was none.
  public internal(set) var timeFrom: UInt64

  init(slot: UInt64, nextSequence: Int, slots: [UInt64], timeFrom: UInt64) {
    self.slot = slot
    self.nextSequence = nextSequence
    self.slots = slots
    self.timeFrom = timeFrom
  }

  /// A door of which nothing is known but that all of `slot` may have been used.
  init(usedUp slot: UInt64) { self.init(slot: slot, nextSequence: 256, slots: [slot], timeFrom: 0) }

  /// Where the next time frame may go.
  public enum Place: Hashable, Sendable {
    /// Into this slot, with this sequence or a later one.
    case slot(UInt64, sequence: UInt8)
    /// Nowhere before this slot begins.
    case notBefore(slot: UInt64)
  }

  /// Where a time frame may go while the clock is in slot `now`.
  ///
  /// A clock that is behind the last slot goes on in that slot, as long as a door accepts it. One that is further
  /// behind was set back, or was ahead before: then any slot serves that isn't among those remembered.
  ///
  /// - Parameter pause: for how many slots time frames pause after a challenge frame. A moment further ahead than that was
  ///   noted by a clock that ran ahead: it counts no more, since nothing after it is as far away as it says.
  public func place(now: UInt64, skewSlots: Int, pause: UInt64) -> Place {
    if now < timeFrom, timeFrom - now <= pause { return .notBefore(slot: timeFrom) }
    if now <= slot, slot - now <= UInt64(skewSlots) {
      return nextSequence <= 255
        ? .slot(slot, sequence: UInt8(nextSequence)) : .notBefore(slot: firstFree(from: slot + 1))
    }
    let free = firstFree(from: now)
    return free == now ? .slot(now, sequence: 0) : .notBefore(slot: free)
  }

  /// By how many slots the clock is behind the last one, where that is more than a door accepts.
  public func slotsBehind(now: UInt64, skewSlots: Int) -> UInt64? {
    now < slot && slot - now > UInt64(skewSlots) ? slot - now : nil
  }

  /// Notes a time frame.
  mutating func use(slot used: UInt64, sequence: UInt8) {
    nextSequence = Int(sequence) + 1
    if slots.last != used {
      slots.append(used)
      slots.removeFirst(max(0, slots.count - DoorUse.rememberedSlots))
    }
    slot = used
  }

  /// Notes a challenge frame that was made while the clock was in slot `now`.
  mutating func usedChallenge(now: UInt64, pause: UInt64) { timeFrom = now + pause }

  /// The first slot from there on that isn't among those remembered.
  private func firstFree(from start: UInt64) -> UInt64 {
    if start > slots.max() ?? 0 { return start }
    let used = Set(slots)
    var candidate = start
    while used.contains(candidate) { candidate += 1 }
    return candidate
  }
}
