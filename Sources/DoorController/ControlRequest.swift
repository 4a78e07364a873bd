public import AccessControl
internal import JSON
internal import POSIX

/// What can be asked of a running daemon over its control socket (cli.md, "The control socket").
///
/// The door's thread answers, so a case needs a place in `Daemon.answer`, and one in `ControlAnswer` if what it answers is new.
public enum ControlRequest: Hashable, Sendable {
  /// What the daemon is and does.
  case status
  /// Whether it is well.
  case health
  /// Open a door's lock, and tell how it moved once it is closed again; seconds: 0 is the door's own pulse.
  case testLock(door: Identifier, seconds: UInt8)
  /// End as soon as every lock is closed, for a service manager that starts it anew.
  case restart

  private static let words = ["status", "health", "test-lock", "restart"]

  /// The word on the socket, which the answer's member has as well.
  public var word: String {
    switch self {
    case .status: "status"
    case .health: "health"
    case .testLock: "test-lock"
    case .restart: "restart"
    }
  }

  /// How long the door's thread may take for the answer.
  ///
  /// It comes by once a second. A test takes as long as the longest
  /// pulse and the slowest lock's two movements.
  var answerLimit: Duration {
    switch self {
    case .testLock: LockTest.longest
    default: .seconds(3)
    }
  }

  /// Reads a line, without its line break.
  init(parsing line: [UInt8]) throws(ControlRefusal) {
    do {
      let object = JSONReader(try JSONValue(parsing: line, limits: JSONLimits(size: line.count, depth: 4)))
      let words = Self.words.joined(separator: ", ")
      switch try object.member("request").text("one of \(words)", as: { Self.words.contains($0) ? $0 : nil }) {
      case "status": self = .status
      case "health": self = .health
      case "restart": self = .restart
      default:
        self = .testLock(
          door: try object.member("door").text("a door's id") { Identifier($0) },
          seconds: UInt8(clamping: try object.optionalMember("seconds")?.integer(in: 0...255) ?? 0))
      }
    } catch {
      throw ControlRefusal(.badRequest, "\(error)")
    }
  }

  /// The line that asks for this.
  var line: [UInt8] {
    var object: JSONObject = ["request": .string(word)]
    if case .testLock(let door, let seconds) = self {
      object["door"] = .string(door.text)
      object["seconds"] = .integer(Int64(seconds))
    }
    return JSONValue.object(object).encoded() + [UInt8(ascii: "\n")]
  }
}

/// What the door's thread answers; the control thread makes text of it.
enum ControlAnswer: Sendable {
  case status(DaemonStatus)
  case health(Health)
  case testLock(LockTest.Report)
  /// The doors that a restart waits for.
  case restart([Identifier])
  case refused(ControlRefusal)

  /// One line with one member, named after the request.
  var line: [UInt8] {
    let object: JSONObject =
      switch self {
      case .status(let status): ["status": .object(status.json)]
      case .health(let health): ["health": .object(health.json)]
      case .testLock(let report): ["test-lock": .object(report.json)]
      case .restart(let doors): ["restart": ["waitsFor": .array(doors.map { .string($0.text) })]]
      case .refused(let refusal): refusal.json
      }
    return JSONValue.object(object).encoded() + [UInt8(ascii: "\n")]
  }
}

/// Gets the answer to a request, on the door's thread; it doesn't block.
typealias ControlReply = @Sendable (ControlAnswer) -> Void

/// Why a request isn't answered.
struct ControlRefusal: Error, Hashable, Sendable {
  /// The kinds of refusal; the raw values are those on the socket.
  enum Code: String, Sendable {
    /// It isn't a line with a request of this version.
    case badRequest = "bad-request"
    /// The other end is neither root nor the daemon's own user.
    case notPermitted = "not-permitted"
    /// Too many others are being served.
    case busy
    /// It can't be done as this daemon was started.
    case refused
    /// The door's thread didn't answer in time.
    case stuck
    /// Nothing came, or nothing was taken, for too long.
    case tooSlow = "too-slow"
  }

  let code: Code
  let words: String

  init(_ code: Code, _ words: String) {
    self.code = code
    self.words = words
  }

  /// `{"error":CODE,"detail":TEXT}`.
  var json: JSONObject { ["error": .string(code.rawValue), "detail": .string(words)] }

  /// The same as one line.
  var line: [UInt8] { JSONValue.object(json).encoded() + [UInt8(ascii: "\n")] }
}
