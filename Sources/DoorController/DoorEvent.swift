public import JSON
public import POSIX

/// Something that a door's operator or its log wants to know (cli.md, "Events").
public struct DoorEvent: Hashable, Sendable {
  /// What happened.
  public enum Kind: String, Sendable {
    // What became of an authentic frame
    case granted
    case denied
    case replayed
    /// Another frame of a press that was handled: kept in the ledger, not told.
    case repeated
    case malformed
    case slowDown = "slow-down"
    /// Weaker than the door's `min-rssi`: as if it hadn't been heard.
    case weak
    /// A silent alarm: somebody opened, or was to open, under duress.
    case duress
    // The lock
    case lock
    case lockFailed = "lock-failed"
    /// A line that the program wrote which moved the lock.
    case lockOutput = "lock-output"
    /// Somebody at the control socket had the lock opened, to see whether it does.
    case lockTest = "lock-test"
    // The door itself
    case opened
    case closed
    /// Opened without a grant and without an exit.
    case forced
    case heldOpenWarning = "held-open-warning"
    case heldOpen = "held-open"
    /// Closed again behind an alarm.
    case restored
    /// Somebody asked to get out.
    case exit
    /// An input can't be read, can be read again, or says what isn't its business.
    case input
    /// A door's siren sounds, or is silent again, or doesn't do what it should.
    case siren
    // The daemon itself
    case started
    case stopped
    case radio
    case clock
    case reloaded
    case reloadRefused = "reload-refused"
    case bundle
    case ledger
    case forgeries
    case counters
    case control
    case metrics

    /// What a door sees of itself.
    static let seen: [Kind] = [.opened, .closed, .forced, .heldOpenWarning, .heldOpen, .restored, .exit]
  }

  public var time: WallTime
  public var kind: Kind
  /// Number of its durable record; nil for what isn't recorded.
  public var id: Int64?
  /// Id of the door.
  public var door: String?
  /// Id of the credential.
  public var credential: String?
  /// Name of the holder.
  public var holder: String?
  /// The command's word.
  public var command: String?
  public var argument: UInt8?
  /// `time` or `challenge`.
  public var freshness: String?
  public var sequence: UInt8?
  /// Strength of the signal in dBm, where the event is about that; nil too where the radio didn't tell it.
  public var rssi: Int8?
  /// Reason code of cli.md.
  public var reason: String?
  /// State that was reached, for example `open`, `on`, `trusted`.
  public var state: String?
  /// In words, for people.
  public var detail: String?
  /// Counters, where the event is about them.
  public var counters: JSONObject?

  public init(time: WallTime, kind: Kind) {
    self.time = time
    self.kind = kind
  }

  /// The event as a JSON object, members in the order of the contract.
  public var json: JSONObject {
    var object: JSONObject = ["time": .string(time.description), "event": .string(kind.rawValue)]
    if let id { object["id"] = .integer(id) }
    let words: [(String, String?)] = [
      ("door", door), ("credential", credential), ("holder", holder), ("command", command),
    ]
    for (key, value) in words { if let value { object[key] = .string(value) } }
    if let argument { object["argument"] = .integer(Int64(argument)) }
    if let freshness { object["freshness"] = .string(freshness) }
    if let sequence { object["sequence"] = .integer(Int64(sequence)) }
    if let rssi { object["rssi"] = .integer(Int64(rssi)) }
    for (key, value) in [("reason", reason), ("state", state), ("detail", detail)] {
      if let value { object[key] = .string(value) }
    }
    if let counters { object["counters"] = .object(counters) }
    return object
  }

  /// The event as one line for people.
  public var line: String {
    var words = [time.description, kind.rawValue]
    if let door { words.append(door) }
    if let command { words.append(argument.map { $0 == 0 ? command : "\(command)(\($0))" } ?? command) }
    if let state { words.append(state) }
    if let credential { words.append(holder.map { "by \($0) (\(credential))" } ?? "by \(credential)") }
    if let reason { words.append("[\(reason)]") }
    if let id { words.append("#\(id)") }
    if let detail { words.append("- \(detail)") }
    // What was never counted says nothing.
    for member in counters?.members ?? [] where member.value != 0 {
      words.append("\(member.key)=\(member.value.text())")
    }
    return words.joined(separator: " ")
  }
}
