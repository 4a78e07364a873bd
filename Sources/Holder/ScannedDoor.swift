public import AirProtocol
public import POSIX
internal import Provisioning

/// A door as its beacons of late show it.
public struct ScannedDoor: Sendable {
  /// The door as the first of the credentials that lists it reaches it; where none does, the first of its site.
  public let door: HeldDoor
  /// The last beacon.
  public internal(set) var beacon: Beacon
  /// All its beacons of late, as an intent wants them.
  public internal(set) var log: BeaconLog
  /// How strong it is heard.
  public internal(set) var signal: SignalReadings
  /// By how many slots the door's clock was ahead of the holder's at the last beacon; nil where the door vouches for none.
  public internal(set) var slotsAhead: Int?
  public internal(set) var lastHeard: BootInstant

  /// The median strength of its last beacons in dBm; nil where the controller doesn't tell.
  public var strength: Int8? { signal.strength }

  /// Whether the two clocks agree within what a door accepts, or the door vouches for none.
  public var clockAgrees: Bool {
    slotsAhead.map { abs($0) <= door.credential.site.slotClock.skewSlots } ?? true
  }

  /// What it takes as fresh: challenges always, for it shows one; time where it says so.
  public var takesTime: Bool { beacon.state.clockTrusted }
}
