public import AccessControl
public import LatchkeyCrypto
public import POSIX

/// Why a door bundle isn't taken.
public enum BundleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file couldn't be read; the error names it.
  case file(FileError)
  /// It doesn't begin as a bundle does.
  case notABundle
  /// It is of a format that this version doesn't know.
  case otherFormat(UInt16)
  /// It has another length than it says, for example because a copy was cut short.
  case length(expected: UInt64, found: Int)
  /// It names another signer than the site's key.
  case otherSigner
  /// The signature isn't the signer's for these bytes: damaged, or forged.
  case badSignature
  /// It is for another door.
  case otherDoor(expected: Identifier, found: Identifier)
  /// It is well signed, but something in it isn't as it must be.
  case malformed(String)
  case crypto(CryptoError)

  /// One line without the file's name, unless the file itself couldn't be read.
  public var description: String {
    switch self {
    case .file(let error): error.description
    case .notABundle: "not a door bundle"
    case .otherFormat(let version):
      "a door bundle of format \(version); this program knows format \(BundleLayout.version)"
    case .length(let expected, let found): "damaged: expected \(expected) bytes, found \(found)"
    case .otherSigner: "signed with another key than the site's"
    case .badSignature: "damaged or forged: the signature doesn't fit"
    case .otherDoor(let expected, let found): "expected a bundle for door \(expected), found one for door \(found)"
    case .malformed(let what): "not as a bundle must be: \(what)"
    case .crypto(let error): "\(error)"
    }
  }
}
