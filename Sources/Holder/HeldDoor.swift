internal import AccessControl
public import AirProtocol
public import LatchkeyCrypto
public import Provisioning
internal import Wording

/// A door as one credential reaches it.
public struct HeldDoor: Sendable {
  public let credential: CredentialFile
  /// The door's number on the air.
  public let number: DoorNumber
  /// What the credential's file says of it; nil where it doesn't list it.
  public let listed: CredentialFile.Door?

  /// A door of a number, listed or not: the number is enough to derive its key.
  public init(_ number: DoorNumber, of credential: CredentialFile) {
    self.credential = credential
    self.number = number
    listed = credential.doors.first { $0.number == number }
  }

  /// What the next command takes for this door: its id, or its number.
  public var id: String { listed.map { "\($0.id)" } ?? "\(number)" }

  /// What makes and reads frames under some freshness.
  public func exchange(_ freshness: Freshness) throws(CryptoError) -> Exchange { try keys().exchange(freshness) }

  /// What the credential and the door share, for several exchanges.
  func keys() throws(CryptoError) -> Keys {
    Keys(
      number: number, hintRoot: try credential.siteKey.hintRoot(of: number),
      credential: try CredentialKeys.derive(from: credential.secret, site: credential.site.id, door: number))
  }

  struct Keys {
    let number: DoorNumber
    let hintRoot: HintRoot
    let credential: CredentialKeys

    func exchange(_ freshness: Freshness) throws(CryptoError) -> Exchange {
      try Exchange(keys: credential, hintRoot: hintRoot, door: number, freshness: freshness)
    }
  }
}

/// Why a text names no door, in words that follow it.
public struct DoorLookupError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
}

extension HeldDoor {
  /// The door that a text names, among some credentials: an id of their files first, else a door number.
  public static func find(_ text: String, among credentials: [CredentialFile]) throws(DoorLookupError) -> HeldDoor {
    let listed = credentials.flatMap { credential in
      credential.doors.filter { "\($0.id)" == text }.map { HeldDoor($0.number, of: credential) }
    }
    if let door = listed.first {
      guard listed.count == 1 else { throw ambiguous(listed.map(\.credential)) }
      return door
    }
    if let number = UInt16(text).flatMap(DoorNumber.init(rawValue:)), !text.hasPrefix("+") {
      let doors = credentials.map { HeldDoor(number, of: $0) }
      let knowing = doors.filter { $0.listed != nil }
      if let door = knowing.first ?? doors.first {
        guard knowing.count == 1 || doors.count == 1 else {
          throw ambiguous((knowing.isEmpty ? doors : knowing).map(\.credential))
        }
        return door
      }
    }
    let ids = credentials.flatMap { $0.doors.map { "\($0.id)" } }
    let near = nearestWord(to: text, among: ids).map { "; did you mean “\($0)”?" } ?? ""
    let shown = ids.prefix(8).joined(separator: ", ") + (ids.count > 8 ? ", …" : "")
    let expected = "expected a door of the credential file (\(ids.isEmpty ? "it lists none" : shown)) or a door number"
    throw DoorLookupError(description: "\(expected) from 1 to 65535, not “\(text)”\(near)")
  }

  private static func ambiguous(_ credentials: [CredentialFile]) -> DoorLookupError {
    let ids = credentials.map { "\($0.id)" }.joined(separator: ", ")
    return DoorLookupError(description: "reached by several of the credentials (\(ids)): give one of them")
  }
}
