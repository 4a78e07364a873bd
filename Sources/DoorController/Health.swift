internal import AccessControl
internal import HCI
internal import JSON
internal import LockHardware
internal import POSIX

/// Whether a daemon does what a door is for, and if not, why (operations.md, "Health").
struct Health: Hashable, Sendable {
  /// What can be wrong; the raw values are those of `health --json` and of the metrics.
  enum Problem: String, CaseIterable, Sendable {
    /// The radio isn't on.
    case radio
    /// It is on, and heard nothing for so long that it looks after itself.
    case deaf
    /// It is on, and heard nothing for longer than that.
    case silent
    /// Beacons and answers are wanted, and not on the air.
    case beacons
    /// Time frames are refused, and a door takes them.
    case clock
    /// Nothing can be recorded, so nothing opens.
    case ledger
    /// A lock couldn't do what it was told last, or couldn't open when it was to be open last.
    case lock
    /// An input of a door can't be read.
    case input
    /// A door's siren couldn't do what it was told last, or couldn't sound when it should last.
    case siren
    /// A door was opened without a grant and without an exit, and not closed since.
    case forced
    /// A door stands open for too long.
    case heldOpen = "held-open"
    /// A bundle's rules count no more.
    case bundleExpired = "bundle-expired"
  }

  /// What will be wrong, or what the door can do without; the raw values as above.
  enum Warning: String, CaseIterable, Sendable {
    /// The radio is lost again and again, so that it is well whenever one looks.
    case unsteady
    /// A bundle ends soon.
    case bundleEnding = "bundle-ending"
    /// The battery of a lock's board is nearly empty.
    case battery
    /// Somebody has been asking to get out for so long that nobody may be there.
    case exit
    /// The clock isn't trusted; no door takes time frames, but credentials with a limit in time are refused.
    case clock
    /// The next start will have to wait as after a boot.
    case volatile
    /// The newest configuration was refused.
    case reload
    /// The metrics file can't be written.
    case metrics
    /// A restart is asked for, and a lock is open.
    case restart
  }

  /// A problem or a warning with its words for people.
  struct Finding<Code: Hashable & Sendable>: Hashable, Sendable {
    let code: Code
    let words: String
  }

  /// A radio that is on for this long should have heard something, if only its own past: twice the time after which the
  /// radio calls itself deaf.
  static let silence = Duration.seconds(180)
  /// So many losses of the radio within ten minutes are more than a chance.
  static let fewLosses = 5
  /// A bundle that ends within this time is warned about.
  static let notice: Int64 = 7 * 86_400

  /// An exit that is on for so long may be stuck; no opening counts as forced meanwhile.
  static let longestExit = Duration.seconds(300)

  /// So much of a battery, in percent, or less, is warned about.
  static let lowBattery: UInt8 = 20

  private(set) var problems: [Finding<Problem>] = []
  private(set) var warnings: [Finding<Warning>] = []

  /// Whether there is no problem; warnings don't count.
  var isWell: Bool { problems.isEmpty }

  /// Looks at a status.
  init(_ status: DaemonStatus) {
    look(at: status.radio)
    if let problem = status.beacons.problem { add(.beacons, "no beacons, no answers: \(problem)") }
    if let doubt = status.clock.doubt {
      if status.doors.contains(where: { $0.freshness != .challenge }) {
        add(.clock, "clock untrusted: \(doubt)")
      } else {
        warn(.clock, "clock untrusted, so credentials with a limit in time are refused: \(doubt)")
      }
    }
    if let problem = status.recording.problem { add(.ledger, "the ledger can't record: \(problem)") }
    for door in status.doors { look(at: door, now: status.time) }
    for door in status.leftOpen {
      add(.lock, "door \(door): a lock that it had before, in another configuration, couldn't be closed")
    }
    if status.recording.volatileIsLost {
      warn(.volatile, "the volatile directory can't be written: the next start waits as after a reboot")
    }
    if let problem = status.reloads.problem { warn(.reload, "the newest configuration was refused: \(problem)") }
    if let problem = status.metricsFile.problem { warn(.metrics, "the metrics can't be written: \(problem)") }
    if status.isToRestart {
      let open = status.doors.filter { $0.secondsUntilLocked > 0 }.map { "door \($0.id) (\($0.state))" }
      warn(
        .restart, "a restart is asked for, and waits for \(open.isEmpty ? "the locks" : open.joined(separator: ", "))")
    }
  }

  /// One line for people: `well`, or every reason why not; warnings behind either.
  var line: String {
    let words = problems.map(\.words)
    let line = isWell ? "well" : "not well: \(words.joined(separator: "; "))"
    return warnings.isEmpty ? line : "\(line); warning: \(warnings.map(\.words).joined(separator: "; "))"
  }

  private mutating func look(at radio: DaemonStatus.Radio) {
    if radio.lossesLately >= Self.fewLosses {
      warn(
        .unsteady, "the radio was lost \(radio.lossesLately) times within ten minutes: look at its cable, hub and power"
      )
    }
    switch radio.condition {
    case .on:
      guard radio.age >= Self.silence else { return }
      // What it heard before it was on again says nothing of now.
      if let age = radio.lastReportAge, age < Self.silence { return }
      let silence = min(radio.age, radio.lastReportAge ?? radio.age)
      add(.silent, "the radio is on and has heard nothing for \(silence.components.seconds) s")
    case .deaf: add(.deaf, "the radio is deaf: it has heard nothing for long")
    default:
      let problem = radio.problem.map { ": \($0)" } ?? ""
      add(.radio, "the radio is not on (\(radio.condition.rawValue))\(problem)")
    }
  }

  private mutating func look(at door: DaemonStatus.Door, now: WallTime) {
    if case .failed(let position, let reason) = door.lock {
      add(.lock, "door \(door.id): its lock didn't get \(position.rawValue): \(reason)")
    } else if let reason = door.openingProblem {
      add(.lock, "door \(door.id): its lock didn't get open when it was told to last: \(reason)")
    }
    if let battery = door.battery, battery <= Self.lowBattery {
      warn(.battery, "door \(door.id): its lock's battery is at \(battery) %")
    }
    if let sight = door.sight { look(at: sight, of: door.id) }
    guard let end = door.bundleEnd else { return }
    let text = WallTime(seconds: end).rfc3339(milliseconds: false)
    if end <= now.seconds {
      add(.bundleExpired, "door \(door.id): its bundle ended at \(text)")
    } else if end - now.seconds < Self.notice {
      warn(.bundleEnding, "door \(door.id): its bundle ends at \(text)")
    }
  }

  private mutating func look(at sight: DaemonStatus.Sight, of door: Identifier) {
    for role in InputRole.allCases {
      if let problem = sight.failures[role] {
        add(.input, "door \(door): its \(role.rawValue) can't be read: \(problem)")
      }
    }
    if case .failed(let reason) = sight.siren { add(.siren, "door \(door): its siren fails: \(reason)") }
    switch sight.alarm {
    case nil: break
    case .forced: add(.forced, "door \(door) was forced open")
    case .heldOpen: add(.heldOpen, "door \(door) stands open for too long")
    }
    if let age = sight.exitAge, age >= Self.longestExit {
      warn(
        .exit,
        "door \(door): its request-to-exit has been on for \(age.components.seconds) s; nothing counts as forced meanwhile"
      )
    }
  }

  private mutating func add(_ problem: Problem, _ words: String) {
    problems.append(Finding(code: problem, words: words))
  }
  private mutating func warn(_ warning: Warning, _ words: String) {
    warnings.append(Finding(code: warning, words: words))
  }

  /// As `health --json` prints it.
  var json: JSONObject {
    [
      "well": .bool(isWell),
      "problems": .array(problems.map { ["problem": .string($0.code.rawValue), "detail": .string($0.words)] }),
      "warnings": .array(warnings.map { ["warning": .string($0.code.rawValue), "detail": .string($0.words)] }),
    ]
  }
}
