import CommandLineTool
import Database
import Provisioning

extension CommandError {
  /// What a fault of the site's data is to a script (docs/cli.md, "exit").
  init(_ error: SiteError) {
    switch error {
    case .file(let error): self.init(file: error)
    case .database(let error): self.init(ExitCode(error.kind), "\(error)")
    case .timeZone(let error): self.init(error)
    case .siteExists: self.init(.cantWrite, "\(error)")
    case .crypto: self.init(.cantWrite, "\(error)")
    case .noSite, .unknownDoor, .doorExists, .doorNameTaken, .numberTaken, .noNumberLeft, .unknownCredential,
      .credentialExists, .revoked, .tooManyCredentials:
      self = .usage("\(error)")
    }
  }

  init(_ error: TimeZoneError) {
    switch error {
    case .notAName, .unknown: self = .usage("\(error)")
    case .noData, .damaged: self.init(.badInput, "\(error)")
    case .file(let error): self.init(file: error)
    }
  }

  /// What a fault of a bundle is; only a file that couldn't be read names itself.
  init(_ error: BundleError, path: String) {
    if case .file(let error) = error { self.init(file: error) } else { self.init(.badInput, "\(path): \(error)") }
  }

  init(_ error: CredentialFileError, path: String) {
    if case .file(let error) = error { self.init(file: error) } else { self.init(.badInput, "\(path): \(error)") }
  }
}

extension ExitCode {
  init(_ kind: DatabaseError.Kind) {
    switch kind {
    case .busy: self = .busy
    case .permission: self = .permission
    case .notADatabase, .corrupt, .newerVersion, .otherSchema, .unexpectedValue: self = .badInput
    case .noSpace, .readOnly, .cannotOpen, .inputOutput, .constraint, .misuse, .other: self = .cantWrite
    }
  }
}
