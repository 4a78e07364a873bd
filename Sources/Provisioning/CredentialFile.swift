public import AccessControl
public import AirProtocol
internal import JSON
internal import LatchkeyCrypto
public import POSIX

/// What a holder's device gets: its secret, the site's key, and the doors (docs/cli.md, "The credential file").
///
/// No description shows the secrets.
public struct CredentialFile: Equatable, Sendable {
  /// A door as its holder knows it.
  public struct Door: Hashable, Sendable {
    public let id: Identifier
    public let name: DisplayName
    /// The door's number on the air.
    public let number: DoorNumber
    public let freshness: FreshnessPolicy
    public let commands: PermissionSet

    public init(
      id: Identifier, name: DisplayName, number: DoorNumber, freshness: FreshnessPolicy, commands: PermissionSet
    ) {
      self.id = id
      self.name = name
      self.number = number
      self.freshness = freshness
      self.commands = commands
    }
  }

  public let site: SiteProfile
  public let siteKey: SiteKey
  public let id: Identifier
  public let secret: CredentialSecret
  /// The doors it knows of; may be incomplete.
  public let doors: [Door]

  /// What the member `format` says.
  public static let format = "latchkey-credential/1"
  /// The longest file that is read, in bytes: a thousand doors and more.
  public static let longest = 1 << 20

  public init(
    site: SiteProfile, siteKey: SiteKey, id: Identifier, secret: CredentialSecret, doors: [Door]
  ) {
    self.site = site
    self.siteKey = siteKey
    self.id = id
    self.secret = secret
    self.doors = doors
  }

  /// Reads a file that only its owner can read.
  public static func load(_ path: String) throws(CredentialFileError) -> CredentialFile {
    var bytes: [UInt8]
    do throws(FileError) { bytes = try readFile(path, limit: longest, onlyPrivate: true) } catch { throw .file(error) }
    defer { wipe(&bytes) }
    return try CredentialFile(parsing: bytes)
  }

  /// Reads the text of a credential file; members that it doesn't know are ignored.
  public init(parsing bytes: [UInt8]) throws(CredentialFileError) {
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue(parsing: bytes, limits: JSONLimits(size: Self.longest)) } catch {
      throw .notJSON("\(error)")
    }
    do throws(JSONFieldError) { try self.init(reading: JSONReader(value)) } catch {
      throw .member(path: error.path, problem: error.problem)
    }
  }

  /// The text of the file, in UTF-8, for people to read as well.
  public func encoded() -> [UInt8] { json.encoded(.pretty) }
}

/// Why a file is no credential file; never shows a value, which may be a secret.
public enum CredentialFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file couldn't be read; the error names it.
  case file(FileError)
  /// The text isn't JSON; says where.
  case notJSON(String)
  /// A member is missing, mistyped or out of its range.
  case member(path: String, problem: String)

  /// One line without the file's name, unless the file itself couldn't be read.
  public var description: String {
    switch self {
    case .file(let error): error.description
    case .notJSON(let problem): problem
    case .member(let path, let problem): path.isEmpty ? problem : "\(path): \(problem)"
    }
  }
}

extension CredentialFile: CustomStringConvertible, CustomReflectable {
  public var description: String { "CredentialFile(\(id))" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
