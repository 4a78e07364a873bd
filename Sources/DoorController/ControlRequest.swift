internal import JSON

/// What can be asked of a running daemon over its control socket (cli.md, "The control socket").
///
/// The raw values are the words on the socket. The door's thread answers, so a case needs a place in
/// `DaemonWatch.answer`, and one in `ControlAnswer` if what it answers is new.
public enum ControlRequest: String, CaseIterable, Sendable {
  /// What the daemon is and does.
  case status
  /// Whether it is well.
  case health

  /// Reads a line, without its line break.
  init(parsing line: [UInt8]) throws(ControlRefusal) {
    do {
      let text = JSONReader(try JSONValue(parsing: line, limits: JSONLimits(size: line.count, depth: 4)))
      let words = Self.allCases.map(\.rawValue).joined(separator: ", ")
      self = try text.member("request").text("one of \(words)") { Self(rawValue: $0) }
    } catch {
      throw ControlRefusal(.badRequest, "\(error)")
    }
  }

  /// The line that asks for this.
  var line: [UInt8] { JSONValue.object(["request": .string(rawValue)]).encoded() + [UInt8(ascii: "\n")] }
}

/// What the door's thread answers; the control thread makes text of it.
enum ControlAnswer: Sendable {
  case status(DaemonStatus)
  case health(Health)

  /// One line with one member, named after the request.
  var line: [UInt8] {
    let object: JSONObject =
      switch self {
      case .status(let status): ["status": .object(status.json)]
      case .health(let health): ["health": .object(health.json)]
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

  /// One line: `{"error":CODE,"detail":TEXT}`.
  var line: [UInt8] {
    JSONValue.object(["error": .string(code.rawValue), "detail": .string(words)]).encoded() + [UInt8(ascii: "\n")]
  }
}
