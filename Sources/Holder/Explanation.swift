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
  /// Explains a frame by the doors that the credentials list, under each of the kinds of freshness.
  ///
  /// - Parameter freshnesses: of a credential's site, for example the slots around a moment.
  public init(
    of frame: Frame, to credentials: [CredentialFile], under freshnesses: (CredentialFile) -> [Freshness]
  ) throws(CryptoError) {
    var answer: Explanation?
    for credential in credentials {
      if let beacon = try credential.siteKey.beaconKey().open(frame) {
        self = .beacon(beacon, credential)
        return
      }
      for listed in credential.doors {
        let door = HeldDoor(listed.number, of: credential)
        for freshness in freshnesses(credential) {
          let exchange = try door.exchange(freshness)
          if let plaintext = try exchange.openCommand(frame) {
            self = .command(plaintext, door, freshness)
            return
          }
          if frame.hint == exchange.answerHint { answer = .answer(door, freshness) }
        }
      }
    }
    self = answer ?? .foreign
  }
}
