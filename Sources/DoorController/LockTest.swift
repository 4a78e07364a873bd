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
  /// The lock that is tried; a reload may give the door another.
  let lock: LockID
  private(set) var report: Report
  private let reply: (Report) -> Void
  /// Whether the lock did something for others during the test.
  private var wasJoined = false

  init(
    door: Identifier, lock: LockID, id: Int64, pulse: Duration, began: BootInstant, reply: @escaping (Report) -> Void
  ) {
    self.began = began
    self.lock = lock
    report = Report(door: door, id: id, pulse: pulse)
    self.reply = reply
  }

  /// When a lock that hasn't closed yet has failed.
  var deadline: BootInstant { began + report.pulse + Self.slack }

  /// Takes note of what the lock says; true where that ends the test.
  ///
  /// - Parameter isLockedDown: whether the door is.
  mutating func observe(_ lock: LockReport, isLockedDown: Bool) -> Bool {
    if report.moves.isEmpty, lock.cause?.event != report.id { return isOvertaken(lock, isLockedDown) }
    if lock.cause != nil, lock.cause?.event != report.id { wasJoined = true }
    switch lock.event {
    case .moved(let position), .stands(let position):
      // A door that was open for a moment more is told so by its next word.
      if report.moves.last?.position != position {
        report.moves.append(Report.Move(position: position, after: lock.at - began))
      }
      guard position == .closed else { return false }
      if let problem, wasJoined, isLate {
        fail(.alreadyOpen, "somebody else had it opened meanwhile, so that \(problem): try again")
      } else if let problem {
        failClosed(problem, isLockedDown)
      }
      return true
    case .failed(let position, let reason):
      fail(.lockFailed, "it didn't get \(position.rawValue), or didn't stay: \(reason)")
      return true
    case .battery, .output, .seen: return false
    }
  }

  /// Whether what the lock did for another command, before it opened for this test, ends the test.
  private mutating func isOvertaken(_ lock: LockReport, _ isLockedDown: Bool) -> Bool {
    // A slow lock may still be at what was wanted before.
    guard isNewer(lock.cause) else { return false }
    switch lock.event {
    case .moved(.open), .stands(.open):
      fail(.alreadyOpen, "it was opened for somebody else meanwhile: try again once it is closed")
    case .moved(.closed), .stands(.closed):
      failClosed("it was closed by another command before it opened", isLockedDown)
    case .failed(let position, let reason):
      fail(.lockFailed, "for another command it didn't get \(position.rawValue), or didn't stay: \(reason)")
    case .battery, .output, .seen: return false
    }
    return true
  }

  /// Whether a command came behind the test's; an exit did, or the door would have been open when the test began.
  private func isNewer(_ cause: LockCause?) -> Bool {
    guard let cause, let id = report.id else { return false }
    return cause.event.map { $0 > id } ?? (cause == .exit)
  }

  /// It was closed before its time; the lock did what it was told where the door is locked down.
  private mutating func failClosed(_ problem: String, _ isLockedDown: Bool) {
    if isLockedDown {
      fail(.lockdown, "the door was locked down meanwhile")
    } else {
      fail(.lockFailed, problem)
    }
  }

  /// Whether it was closed behind its time.
  private var isLate: Bool { report.moves.last.map { $0.after > report.pulse } ?? false }

  /// What is wrong with how it moved; nil: nothing.
  private var problem: String? {
    guard report.moves.count > 1, let opened = report.moves.first?.after, let closed = report.moves.last?.after else {
      return "it was closed before it opened"
    }
    // What a slow lock takes to open it may take to close, too.
    let late = Duration.seconds(1) + opened * 2
    if closed < report.pulse - .milliseconds(500) {
      return "it was closed before its time, by another command or by itself"
    }
    if closed > report.pulse + late { return "it was closed later than it should have been" }
    return nil
  }

  mutating func fail(_ failure: Report.Failure, _ detail: String) {
    report.failure = failure
    report.detail = detail
  }

  /// Answers who asked for it.
  func finish() { reply(report) }
}
