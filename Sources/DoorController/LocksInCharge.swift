internal import AccessControl
internal import JSON
internal import LockHardware
internal import POSIX

/// The programs that close the locks of a run, kept in a file beside its state until it has ended well (decision 0089).
///
/// A killed daemon leaves a lock open that only its program can close, and the configuration may say something else by then:
/// it may be broken, or have been changed without a reload. Relays and boards close by themselves.
struct LocksInCharge: Hashable, Sendable {
  struct Door: Hashable, Sendable {
    let id: Identifier
    let commands: LockCommands

    init(id: Identifier, commands: LockCommands) {
      self.id = id
      self.commands = commands
    }

    /// Nil where the lock closes by itself.
    init?(id: Identifier, _ lock: LockSettings) {
      guard case .command(let commands) = lock else { return nil }
      self.init(id: id, commands: commands)
    }
  }

  private static let format = "latchkey-locks/1"
  private static let limits = JSONLimits(size: 1 << 20, depth: 8)

  /// The configuration's path, absolute.
  let configuration: String
  let doors: [Door]

  /// Those of a configuration's doors, and others that are still to be closed.
  init(_ doors: [DoorSettings], and others: [Door], configurationPath: String) {
    configuration = Self.absolute(configurationPath)
    let own = doors.compactMap { door in Door(id: door.id, door.lock) }
    self.doors = own + others.filter { !own.contains($0) }
  }

  /// That path from the root on, without steps to and fro.
  static func absolute(_ path: String) -> String {
    let whole = path.hasPrefix("/") ? path : "\(linkTarget("/proc/self/cwd") ?? "")/\(path)"
    var parts: [Substring] = []
    for part in whole.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// Where those of a state are.
  static func path(ofState statePath: String) -> String { statePath + ".locks" }

  /// Reads the file; nil where there is none.
  ///
  /// - Throws: where it isn't this user's alone, since it names programs to run, or isn't such a file.
  init?(reading path: String) throws {
    guard let status = try fileStatus(path, followsLink: false) else { return nil }
    let user = ProcessEnvironment.user
    guard status.owner == user else {
      throw FileError(path: path, problem: .ownedByAnother(owner: status.owner, user: user))
    }
    let bytes = try readFile(path, limit: Self.limits.size, onlyPrivate: true)
    let object = JSONReader(try JSONValue(parsing: bytes, limits: Self.limits))
    _ = try object.member("format").text(Self.format) { $0 == Self.format ? $0 : nil }
    configuration = try object.member("configuration").string()
    doors = try object.member("doors").elements().map { door in
      Door(
        id: try door.member("id").text("a door's id") { Identifier($0) },
        commands: LockCommands(
          unlock: try Self.program(door.member("unlock")), lock: try Self.program(door.member("lock")),
          timeLimit: .milliseconds(try door.member("timeLimitMs").integer(in: 1...3_600_000)),
          directory: try door.member("directory").string()))
    }
  }

  private static func program(_ words: JSONReader) throws -> [String] {
    let program = try words.elements().map { word throws(JSONFieldError) in try word.string() }
    guard program.first?.hasPrefix("/") == true else { throw words.unfit("a program's absolute path") }
    return program
  }

  /// Replaces the file, or removes it where there is nothing to keep.
  func write(to path: String) throws(FileError) {
    if doors.isEmpty { return try Self.remove(path) }
    let object: JSONObject = [
      "format": .string(Self.format), "configuration": .string(configuration),
      "doors": .array(
        doors.map { door in
          [
            "id": .string(door.id.text), "unlock": .array(door.commands.unlock.map { .string($0) }),
            "lock": .array(door.commands.lock.map { .string($0) }),
            "timeLimitMs": .integer(door.commands.timeLimit.wholeMilliseconds),
            "directory": .string(door.commands.directory),
          ]
        }),
    ]
    try replaceFile(path, contents: JSONValue.object(object).encoded() + [UInt8(ascii: "\n")])
  }

  /// Nobody is left open any more.
  static func remove(_ path: String) throws(FileError) {
    if try fileStatus(path, followsLink: false) != nil { try removeFile(path) }
  }

  /// Those that a configuration doesn't have as they were.
  func missing(in configured: [DoorSettings]) -> [Door] {
    doors.filter { door in !configured.contains { $0.id == door.id && $0.lock == .command(door.commands) } }
  }
}
