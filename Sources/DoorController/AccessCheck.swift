public import AccessControl
internal import AirProtocol
public import LatchkeyCrypto
internal import Ledger
public import POSIX
internal import Provisioning

/// `latchkeyd check`: what a door would decide, and every rule that leads to it.
public enum AccessCheck {
  /// A question as it is asked on the command line.
  public struct Question: Sendable {
    public let credential: Identifier
    public let door: Identifier
    public let permission: Permission
    /// The moment that is asked about.
    public let at: WallTime

    public init(credential: Identifier, door: Identifier, permission: Permission, at: WallTime) {
      self.credential = credential
      self.door = door
      self.permission = permission
      self.at = at
    }
  }

  /// Decides by a bundle alone, as a door with default settings that has recorded nothing yet.
  public static func run(
    bundlePath: String, siteKey: VerificationKey, _ question: Question
  ) throws(DaemonError) -> Decision {
    let bundle = try DaemonError.wrapping {
      do throws(BundleError) {
        return try DoorBundle.load(bundlePath, siteKey: siteKey, door: question.door)
      } catch {
        throw LoadError(error, path: bundlePath)
      }
    }
    return try decide(
      question, bundle, DoorSettings(defaultsFor: question.door, bundlePath: bundlePath), sendsBeacons: true,
      usesSpent: 0, mode: SavedMode())
  }

  /// Decides as the configured door would now: its settings, and what its ledger knows of uses and lockdown.
  public static func run(configurationPath: String, _ question: Question) throws(DaemonError) -> Decision {
    let configuration = try DaemonError.wrapping { try DoorConfiguration.load(path: configurationPath) }
    guard let settings = configuration.doors.first(where: { $0.id == question.door }) else {
      throw .unknownID("\(configurationPath): no door \(question.door) there")
    }
    let rulebook = try DaemonError.wrapping { try Rulebook(loading: configuration) }
    guard let door = rulebook.doors.first(where: { $0.id == question.door }) else {
      throw .unknownID("\(configurationPath): no door \(question.door) there")
    }
    let view = try DaemonError.wrapping {
      // A door that never ran has no state yet.
      try fileStatus(configuration.statePath) == nil ? nil : LedgerView(path: configuration.statePath)
    }
    let number = door.number.rawValue
    let spent = try DaemonError.wrapping { try view?.usesSpent(ofDoor: number, credential: question.credential) ?? 0 }
    let mode = try DaemonError.wrapping { try view?.mode(ofDoor: number) ?? SavedMode() }
    return try decide(
      question, door.bundle, settings, sendsBeacons: configuration.beaconRadio != .none, usesSpent: spent, mode: mode)
  }

  private static func decide(
    _ question: Question, _ bundle: DoorBundle, _ settings: DoorSettings, sendsBeacons: Bool, usesSpent: UInt32,
    mode: SavedMode
  ) throws(DaemonError) -> Decision {
    guard let index = bundle.rules.index(of: question.credential), let rule = bundle.rules[index] else {
      throw .unknownID("no credential \(question.credential) in the bundle of door \(question.door)")
    }
    // As the holder would ask: under a challenge, where the door sends some, and neither side wants time.
    let byChallenge = sendsBeacons && settings.freshness != .time && rule.freshness != .time
    let request = AccessRequest(
      permission: question.permission, byChallenge: byChallenge, now: question.at.seconds, clockTrusted: true,
      lockedDown: mode.isLockedDown, usesSpent: usesSpent)
    return explain(rule: rule, door: settings.policy(with: bundle), request: request) {
      WallTime(seconds: $0).rfc3339(milliseconds: false)
    }
  }
}
