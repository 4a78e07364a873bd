public import AirProtocol
public import LatchkeyCrypto
public import Provisioning

/// What a frame is to who holds some credentials.
public enum Explanation: Sendable {
  /// A command of one of the credentials to one of its doors.
  case command(CommandPlaintext, HeldDoor, Freshness)
  /// What a door of one of the sites tells everyone.
  case beacon(Beacon, CredentialFile)
  /// Its hint is that of answers to a credential; what it says only who has the command frame can tell.
  case answer(HeldDoor, Freshness)
  /// None of these: of another site, holder, door or time, or no frame at all.
  case foreign
}

extension Explanation {
  /// Explains a frame by the doors that the credentials list, then by all numbers that a door may have.
  ///
  /// A file may list no doors, and any number may be one; trying them all takes about a second for a credential.
  ///
  /// - Parameter freshnesses: of a credential's site, for example the slots around a moment.
  public init(
    of frame: Frame, to credentials: [CredentialFile], under freshnesses: (CredentialFile) -> [Freshness]
  ) throws(CryptoError) {
    for credential in credentials {
      if let beacon = try credential.siteKey.beaconKey().open(frame) {
        self = .beacon(beacon, credential)
        return
      }
    }
    for everyNumber in [false, true] {
      for credential in credentials {
        let doors = everyNumber ? DoorNumber.all : credential.doors.map(\.number)
        let freshnesses = freshnesses(credential)
        for number in doors {
          guard let found = try Explanation(of: frame, HeldDoor(number, of: credential), freshnesses) else { continue }
          self = found
          return
        }
      }
    }
    self = .foreign
  }

  /// What a frame is at one door; nil where it is nothing there.
  private init?(of frame: Frame, _ door: HeldDoor, _ freshnesses: [Freshness]) throws(CryptoError) {
    let keys = try door.keys()
    for freshness in freshnesses {
      let exchange = try keys.exchange(freshness)
      if let plaintext = try exchange.openCommand(frame) {
        self = .command(plaintext, door, freshness)
        return
      }
      // Three bytes are too few where every number is tried.
      if door.listed != nil, frame.hint == exchange.answerHint {
        self = .answer(door, freshness)
        return
      }
    }
    return nil
  }
}

extension DoorNumber {
  fileprivate static var all: [DoorNumber] { (1...UInt16.max).compactMap(DoorNumber.init(rawValue:)) }
}
