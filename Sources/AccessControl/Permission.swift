/// What a holder may ask of a door; the raw values are the command line's words (docs/cli.md).
public enum Permission: String, CaseIterable, Hashable, Sendable {
  case unlock
  case lock
  case hold
  case release
  case status
  case lockdown
  case duress
}

/// The commands that a credential may give, or a door accepts.
///
/// There is no bit for `duress`: it is permitted wherever `unlock` is (docs/protocol.md, "Command frame").
public struct PermissionSet: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16

  /// Takes any bits; for bits from outside use `init(exactly:)`.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Takes bits from a file; nil where one of them means nothing.
  public init?(exactly rawValue: UInt16) {
    guard rawValue & ~Self.all.rawValue == 0 else { return nil }
    self.rawValue = rawValue
  }

  public static let unlock = PermissionSet(rawValue: 1 << 0)
  public static let lock = PermissionSet(rawValue: 1 << 1)
  public static let hold = PermissionSet(rawValue: 1 << 2)
  public static let release = PermissionSet(rawValue: 1 << 3)
  public static let status = PermissionSet(rawValue: 1 << 4)
  public static let lockdown = PermissionSet(rawValue: 1 << 5)
  public static let all = PermissionSet([.unlock, .lock, .hold, .release, .status, .lockdown])

  /// The commands that need a challenge unless a door's policy says otherwise (docs/protocol.md, step 7).
  public static let needChallenge = PermissionSet([.hold, .release, .lockdown])

  /// Whether the command is permitted; `duress` is where `unlock` is.
  public func permits(_ permission: Permission) -> Bool { contains(PermissionSet(needed: permission)) }

  /// The set that must be held to give the command.
  public init(needed permission: Permission) {
    switch permission {
    case .unlock, .duress: self = .unlock
    case .lock: self = .lock
    case .hold: self = .hold
    case .release: self = .release
    case .status: self = .status
    case .lockdown: self = .lockdown
    }
  }
}

extension PermissionSet {
  /// The commands in it as words in a fixed order: `["unlock", "status"]`.
  public var words: [String] {
    Permission.allCases.filter { $0 != .duress && permits($0) }.map(\.rawValue)
  }

  /// The set of these words, in any order.
  public init(words: some Sequence<some StringProtocol>) throws(PermissionSetError) {
    self = []
    for word in words {
      guard let permission = Permission(rawValue: String(word)) else { throw .unknown(String(word)) }
      guard permission != .duress else { throw .duress }
      let one = PermissionSet(needed: permission)
      guard isDisjoint(with: one) else { throw .twice(String(word)) }
      formUnion(one)
    }
    if isEmpty { throw .empty }
  }

  /// The set that a text like `unlock,status` names: words in any order, commas, no spaces.
  public init(text: some StringProtocol) throws(PermissionSetError) {
    if text.isEmpty { throw .empty }
    try self.init(words: text.split(separator: ",", omittingEmptySubsequences: false))
  }
}

extension PermissionSet: CustomStringConvertible {
  /// The words with commas: `unlock,status`; empty for the empty set.
  public var description: String { words.joined(separator: ",") }
}

/// Why a text names no set of commands.
public enum PermissionSetError: Error, Hashable, Sendable {
  case empty
  case unknown(String)
  case twice(String)
  /// `duress` has no permission of its own.
  case duress
}

extension PermissionSetError: CustomStringConvertible {
  /// What was expected, on one line.
  public var description: String {
    switch self {
    case .empty: "expected at least one of \(PermissionSet.all)"
    case .unknown(let word): "expected commands of \(PermissionSet.all), found \"\(word)\""
    case .twice(let word): "expected each command once, found \"\(word)\" twice"
    case .duress: "duress is permitted wherever unlock is: name unlock instead"
    }
  }
}
