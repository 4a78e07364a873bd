internal import AirProtocol
internal import POSIX

extension ClockTrust.Doubt {
  /// For people: what is wrong with the clock, and what helps.
  var words: String {
    switch self {
    case .notSynchronised:
      "the kernel doesn't call the clock synchronised: start a time service, or set clock: battery if it has one"
    case .behindLastRecord(let gap):
      "the clock is \(gap.components.seconds) s behind the door's last record: set it, or start once with --accept-clock"
    case .stepped(let step):
      "the clock was set by \(step.components.seconds) s: time frames wait until it is synchronised anew"
    }
  }
}

extension ReplayGuard.TimeRefusal {
  /// For people: why time frames don't count, and from when on they do.
  func words(clock: SlotClock) -> String {
    switch self {
    case .clockUntrusted: "the door's clock isn't trusted"
    case .marksMayBeStale(let slot):
      "after a restart time frames count from \(WallTime(seconds: clock.start(ofSlot: slot)).rfc3339(milliseconds: false)) on"
    }
  }
}
