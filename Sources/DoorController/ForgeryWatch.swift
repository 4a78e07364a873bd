internal import AirProtocol
internal import POSIX

/// Tells when more frames fail their tag than chance explains; the packet path only counts.
///
/// At n keys and e epochs, slots and challenges, a foreign frame's hint fits some key with probability 1 − exp(−n·e / 2²⁴), so a busy hall makes
/// thousands of honest misses an hour. Only the excess over that is worth a line, and one line a minute at most.
struct ForgeryWatch {
  /// How often it looks.
  static let interval = Duration.seconds(60)
  /// This many are never worth a line.
  static let allowance = 20.0

  private var lastLook: BootInstant
  private var lastForged: UInt64 = 0
  private var lastForeign: UInt64 = 0

  init(boot: BootInstant) { lastLook = boot }

  /// The event to tell, when the interval is over and there is something to tell.
  mutating func look(
    at boot: BootInstant, wall: WallTime, counters: Counters, keys: Int, epochs: Int
  ) -> DoorEvent? {
    guard boot - lastLook >= Self.interval else { return nil }
    let forged = counters.forged - lastForged
    let looked = Double(forged + (counters.foreign - lastForeign))
    lastLook = boot
    lastForged = counters.forged
    lastForeign = counters.foreign
    // 1 − exp(−x) ≤ x: the estimate errs towards silence, by little where it matters.
    let chance = min(1, Double(keys) * Double(epochs) / Double(1 << 24))
    guard Double(forged) > looked * chance * 2 + Self.allowance else { return nil }
    var event = DoorEvent(time: wall, kind: .forgeries)
    event.detail = "\(forged) frames with a right hint and a wrong tag in a minute"
    return event
  }
}
