internal import AccessControl
internal import JSON
internal import LockHardware
internal import POSIX

/// A lock that was opened for an operator who wants to see it move (`latchkeyd test-lock`).
///
/// It listens to what the lock says until the lock is closed again, and moves nothing itself.
struct LockTest {
  /// How long any may take: the longest pulse, and two movements of the slowest lock.
  static let longest = Duration.seconds(400)
  /// How long a lock may take for its two movements.
  static let slack = Duration.seconds(130)

  /// How one came out.
  struct Report: Sendable {
    /// Why a lock wasn't opened, or didn't do what it was told; the raw values are those on the socket.
    enum Failure: String, Sendable {
      case unknownDoor = "unknown-door"
      case lockdown
      case alreadyOpen = "already-open"
      case notRecorded = "not-recorded"
      case lockFailed = "lock-failed"
    }

    /// A movement, and how long after the test's beginning it was over.
    struct Move: Sendable {
      let position: LockPosition
      let after: Duration
    }

    let door: Identifier
    /// Number of the durable record; nil where there is none.
    var id: Int64?
    var pulse = Duration.zero
    var moves: [Move] = []
    var failure: Failure?
    /// The failure in words.
    var detail: String?

    var json: JSONObject {
      var object: JSONObject = ["door": .string(door.text)]
      object["id"] = id.map { .integer($0) }
      if id != nil { object["pulseMs"] = .integer(pulse.wholeMilliseconds) }
      object["moves"] = .array(
        moves.map { ["lock": .string($0.position.rawValue), "afterMs": .integer($0.after.wholeMilliseconds)] })
      object["failure"] = failure.map { .string($0.rawValue) }
      object["detail"] = detail.map { .string($0) }
      return object
    }
  }

  private let began: BootInstant
  private(set) var report: Report
  private let reply: (Report) -> Void

  init(door: Identifier, id: Int64, pulse: Duration, began: BootInstant, reply: @escaping (Report) -> Void) {
    self.began = began
    report = Report(door: door, id: id, pulse: pulse)
    self.reply = reply
  }

  /// When a lock that hasn't closed yet has failed.
  var deadline: BootInstant { began + report.pulse + Self.slack }

  /// Takes note of what the lock says; true where that ends the test.
  mutating func observe(_ lock: LockReport) -> Bool {
    switch lock.event {
    case .moved(let position), .stands(let position):
      // A door that was open for a moment more is told so by its next word.
      if report.moves.last?.position != position {
        report.moves.append(Report.Move(position: position, after: lock.at - began))
      }
      guard position == .closed else { return false }
      if report.moves.count == 1 { fail(.lockFailed, "it was closed before it opened") }
      return true
    case .failed(let position, let reason):
      fail(.lockFailed, "it didn't get \(position.rawValue), or didn't stay: \(reason)")
      return true
    case .battery, .output, .seen: return false
    }
  }

  mutating func fail(_ failure: Report.Failure, _ detail: String) {
    report.failure = failure
    report.detail = detail
  }

  /// Answers who asked for it.
  func finish() { reply(report) }
}
