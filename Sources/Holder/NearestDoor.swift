internal import AirProtocol
internal import HCI
internal import LatchkeyCrypto
public import POSIX
public import Provisioning

/// Finds the door that is heard best, by listening for a moment (docs/decisions/0074-nearest-and-min-rssi.md).
public struct NearestDoor {
  /// What was found.
  public enum Outcome: Sendable {
    /// This door; `rivals` are about as strong, the strongest first.
    case door(ScannedDoor, rivals: [ScannedDoor])
    /// Several doors are there, and the radio doesn't tell how strong each of them is.
    case unclear([ScannedDoor])
    /// No door was heard.
    case nothing
    case cancelled
  }

  /// How long is listened behind the first beacon: each door sends about five meanwhile.
  public static let patience = Duration.milliseconds(500)
  /// Doors that differ by less, in dB, may as well be in the other order.
  public static let doubt = 6

  private let limit: Duration
  private let wallNow: () -> WallTime
  private let bootNow: () -> BootInstant

  /// - Parameters:
  ///   - limit: how long it listens at most.
  ///   - wallNow: the clock that doors' clocks are compared with.
  ///   - bootNow: the clock of `Air`.
  public init(
    within limit: Duration, wallNow: @escaping () -> WallTime = WallTime.now,
    bootNow: @escaping () -> BootInstant = BootInstant.now
  ) {
    self.limit = limit
    self.wallNow = wallNow
    self.bootNow = bootNow
  }

  /// Listens, and chooses among the doors of the credentials' sites.
  public func find(among credentials: [CredentialFile], over air: some Air) throws(SendingError) -> Outcome {
    var scan: DoorScan
    do throws(CryptoError) { scan = try DoorScan(credentials) } catch { throw .transmission(.crypto(error)) }
    var deadline = bootNow() + limit
    var hasHeard = false
    while bootNow() < deadline {
      let (now, wall) = (bootNow, wallNow)
      let end: Listening
      do throws(RadioError) {
        end = try air.listen(until: deadline) { data, rssi in
          _ = scan.take(data, rssi: rssi, at: now(), wall: wall())
          return !hasHeard && !scan.isEmpty
        }
      } catch {
        throw .radio(error)
      }
      if end == .cancelled { return .cancelled }
      if !hasHeard, !scan.isEmpty {
        hasHeard = true
        deadline = min(deadline, bootNow() + Self.patience)
      }
    }
    return Self.choose(among: scan.doors)
  }

  /// The strongest, by the median, of those whose clock agrees with the holder's; of all where none agrees.
  ///
  /// A beacon that was recorded and is sent again shows the slot of then.
  public static func choose(among doors: [ScannedDoor]) -> Outcome {
    let agreeing = doors.filter(\.clockAgrees)
    let candidates = agreeing.isEmpty ? doors : agreeing
    guard let only = candidates.first else { return .nothing }
    if candidates.count == 1 { return .door(only, rivals: []) }
    let measured = candidates.compactMap { door in door.strength.map { (door: door, strength: Int($0)) } }
    guard measured.count == candidates.count else { return .unclear(candidates) }
    let order = measured.sorted { $0.strength > $1.strength }
    guard let best = order.first else { return .nothing }
    let rivals = order.dropFirst().filter { best.strength - $0.strength < doubt }
    return .door(best.door, rivals: rivals.map(\.door))
  }
}
