public import AccessControl
public import AirProtocol
public import Database
public import LatchkeyCrypto
public import POSIX

/// Why the key keeper's data can't do what was asked; nothing of it was done then.
public enum SiteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no site in this directory.
  case noSite(String)
  /// There is a site in this directory already.
  case siteExists(String)
  case unknownDoor(Identifier)
  case doorExists(Identifier)
  /// Another door has this name.
  case doorNameTaken(DisplayName, by: Identifier)
  /// The number was given before: to this door, which may be gone.
  case numberTaken(DoorNumber, by: Identifier)
  /// All 65535 numbers were given.
  case noNumberLeft
  case unknownCredential(Identifier)
  case credentialExists(Identifier)
  /// A credential that is revoked stays so.
  case revoked(Identifier)
  /// A door can't have more credentials than a daemon has room for.
  case tooManyCredentials(door: Identifier, count: Int)
  case timeZone(TimeZoneError)
  case file(FileError)
  case database(DatabaseError)
  case crypto(CryptoError)

  public var description: String {
    switch self {
    case .noSite(let directory): "no site in \(directory): run latchkey-keys init, or name the site with --site"
    case .siteExists(let directory): "\(directory) holds a site already"
    case .unknownDoor(let id): "no door \(id)"
    case .doorExists(let id): "there is a door \(id) already"
    case .doorNameTaken(let name, let id): "door \(id) has the name “\(name)” already"
    case .numberTaken(let number, let id): "number \(number) was given to door \(id): a number is never given again"
    case .noNumberLeft: "all 65535 door numbers were given: a site has no more"
    case .unknownCredential(let id): "no credential \(id)"
    case .credentialExists(let id): "there is a credential \(id) already"
    case .revoked(let id): "credential \(id) is revoked, for good: issue a new one"
    case .tooManyCredentials(let door, let count):
      "door \(door) has \(count) credentials: a bundle holds at most \(BundleLayout.mostCredentials)"
    case .timeZone(let error): "\(error)"
    case .file(let error): "\(error)"
    case .database(let error): "\(error)"
    case .crypto(let error): "\(error)"
    }
  }
}

/// Runs `body`, whose database errors become the site's.
@discardableResult
func database<Result>(_ body: () throws(DatabaseError) -> Result) throws(SiteError) -> Result {
  do throws(DatabaseError) { return try body() } catch { throw .database(error) }
}

/// Runs `body`, whose file errors become the site's.
func files<Result>(_ body: () throws(FileError) -> Result) throws(SiteError) -> Result {
  do throws(FileError) { return try body() } catch { throw .file(error) }
}

/// Runs `body`, whose cryptographic errors become the site's.
func crypto<Result>(_ body: () throws(CryptoError) -> Result) throws(SiteError) -> Result {
  do throws(CryptoError) { return try body() } catch { throw .crypto(error) }
}
