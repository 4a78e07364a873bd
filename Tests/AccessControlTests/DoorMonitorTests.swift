import Testing

@testable import AccessControl

/// docs/door-monitor.md, a row each: what happens to a door, when, and what is told.
@Suite("Door monitor")
struct DoorMonitorTests {
  enum Happening: Sendable {
    case open
    /// It was opened at that second, and is told now.
    case opened(at: Int64)
    case close
    case lost
    /// Asked by a button that isn't held; its opening lasts 3 s.
    case exit
    case exitBegins
    case exitEnds
    case exitFound
    case grant(until: Int64)
    case hold
    case lock
    case relock
    /// Time passes.
    case look
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let steps: [(at: Int64, Happening, told: [DoorMonitor.Event])]
    var alarm: DoorMonitor.Alarm?
    var testDescription: String { name }
  }

  static let byGrant = DoorMonitor.Event.opened(.grant, record: 7)
  static let byExit = DoorMonitor.Event.opened(.exit, record: 8)
  static let unexplained = DoorMonitor.Event.opened(nil, record: nil)

  /// Shunt 10 s, warning after 20 s, alarm after 30 s.
  static let rows: [Row] = [
    Row(name: "found closed, nothing is told", steps: [(0, .close, []), (1, .close, [])]),
    Row(name: "found open is not forced", steps: [(0, .open, [unexplained]), (5, .close, [.closed])]),
    Row(
      name: "opened within a grant",
      steps: [(0, .close, []), (1, .grant(until: 6), []), (2, .open, [byGrant]), (7, .close, [.closed])]),
    Row(
      name: "opened just behind a grant",
      steps: [(0, .close, []), (1, .grant(until: 6), []), (16, .open, [byGrant]), (17, .close, [.closed])]),
    Row(
      name: "opened long behind a grant is forced",
      steps: [(0, .close, []), (1, .grant(until: 6), []), (17, .open, []), (18, .look, [unexplained, .forced])],
      alarm: .forced),
    Row(
      name: "opened behind a grant that was used is forced",
      steps: [
        (0, .close, []), (1, .grant(until: 6), []), (2, .open, [byGrant]), (4, .close, [.closed]),
        (5, .open, [byGrant]), (6, .close, [.closed]), (8, .open, []), (9, .look, [unexplained, .forced]),
      ], alarm: .forced),
    Row(
      name: "opened behind the closing that locked it again is forced",
      steps: [
        (0, .close, []), (1, .grant(until: 60), []), (2, .open, [byGrant]), (4, .close, [.closed]), (4, .relock, []),
        (5, .open, []), (6, .look, [unexplained, .forced]),
      ], alarm: .forced),
    Row(
      name: "opened behind a grant that a command ended",
      steps: [
        (0, .close, []), (1, .hold, []), (50, .lock, []), (61, .open, []), (62, .look, [unexplained, .forced]),
      ], alarm: .forced),
    Row(
      name: "seen late: judged by the moment in which it was opened",
      steps: [
        (0, .close, []), (1, .grant(until: 6), []), (40, .opened(at: 3), [byGrant]), (41, .close, [.closed]),
        (42, .grant(until: 50), []), (45, .opened(at: 41), []), (46, .look, [unexplained, .forced]),
      ], alarm: .forced),
    Row(
      name: "seen late, behind a newer grant: that one explains nothing",
      steps: [
        (0, .close, []), (1, .grant(until: 6), []), (30, .lock, []), (50, .grant(until: 60), []),
        (51, .opened(at: 20), []), (51, .look, [unexplained, .forced]),
      ], alarm: .forced),
    Row(
      name: "opened behind an exit",
      steps: [(0, .close, []), (5, .exit, []), (18, .open, [byExit]), (19, .close, [.closed])]),
    Row(
      name: "an exit that is over",
      steps: [(0, .close, []), (5, .exit, []), (19, .open, []), (20, .look, [unexplained, .forced])], alarm: .forced),
    Row(
      name: "an exit while another goes out is not used up by that one",
      steps: [
        (0, .close, []), (1, .exit, []), (2, .open, [byExit]), (3, .exit, []), (4, .close, [.closed]),
        (8, .open, [byExit]),
      ]),
    Row(
      name: "a contact that is a little faster than the handle's switch",
      steps: [(0, .close, []), (5, .open, []), (5, .exit, [byExit]), (6, .look, [])]),
    Row(
      name: "the exit is too late for that",
      steps: [(0, .close, []), (5, .open, []), (6, .exit, []), (6, .look, [unexplained, .forced])], alarm: .forced),
    Row(
      name: "whoever stands before the detector may go out, however often",
      steps: [
        (0, .close, []), (1, .exitBegins, []), (40, .open, [byExit]), (41, .close, [.closed]), (60, .open, [byExit]),
        (61, .close, [.closed]), (61, .exitEnds, []), (80, .open, []), (81, .look, [unexplained, .forced]),
      ], alarm: .forced),
    Row(
      name: "an exit that was on when it was looked at explains an opening",
      steps: [(0, .close, []), (0, .exitFound, []), (40, .open, [.opened(.exit, record: nil)])]),
    Row(
      name: "forced, and restored",
      steps: [
        (0, .close, []), (1, .open, []), (2, .look, [unexplained, .forced]), (3, .open, []), (60, .look, []),
        (61, .close, [.closed, .restored]), (62, .open, []), (63, .look, [unexplained, .forced]),
      ], alarm: .forced),
    Row(
      name: "forced and closed before anybody looked",
      steps: [(0, .close, []), (1, .open, []), (1, .close, [unexplained, .forced, .closed, .restored])]),
    Row(
      name: "held open: warned first, then the alarm, then restored",
      steps: [
        (0, .close, []), (1, .grant(until: 6), []), (2, .open, [byGrant]), (25, .look, []),
        (26, .look, [.heldOpenWarning]), (27, .look, []), (36, .look, [.heldOpen]), (50, .look, []),
        (51, .close, [.closed, .restored]),
      ]),
    Row(
      name: "warned, and closed in time: nothing to restore",
      steps: [(0, .open, [unexplained]), (20, .look, [.heldOpenWarning]), (25, .close, [.closed])]),
    Row(
      name: "looked at late, both are told",
      steps: [(0, .open, [unexplained]), (100, .look, [.heldOpenWarning, .heldOpen])], alarm: .heldOpen),
    Row(
      name: "a hold has no end to be late for, until it is ended",
      steps: [
        (0, .close, []), (1, .hold, []), (2, .open, [byGrant]), (5_000, .look, []), (5_001, .lock, []),
        (5_020, .look, []), (5_021, .look, [.heldOpenWarning]),
      ]),
    Row(
      name: "a grant takes over a door that was warned about",
      steps: [
        (0, .open, [unexplained]), (20, .look, [.heldOpenWarning]), (25, .grant(until: 41), []), (60, .look, []),
        (61, .look, [.heldOpenWarning]),
      ]),
    Row(
      name: "an exit is no leave to keep the door open",
      steps: [
        (0, .open, [unexplained]), (20, .look, [.heldOpenWarning]), (25, .exit, []), (30, .look, [.heldOpen]),
      ], alarm: .heldOpen),
    Row(
      name: "a grant doesn't end an alarm",
      steps: [(0, .close, []), (1, .open, []), (2, .look, [unexplained, .forced]), (3, .grant(until: 8), [])],
      alarm: .forced),
    Row(
      name: "the contact is lost in an alarm: it stays on until the door is seen closed",
      steps: [
        (0, .close, []), (1, .open, []), (2, .look, [unexplained, .forced]), (3, .lost, []), (90, .look, []),
        (91, .close, [.closed, .restored]),
      ]),
    Row(
      name: "the contact is lost before the opening was explained",
      steps: [(0, .close, []), (1, .open, []), (1, .lost, [unexplained, .forced])], alarm: .forced),
    Row(
      name: "the contact is lost and found",
      steps: [(0, .close, []), (1, .lost, []), (2, .open, [unexplained]), (3, .lost, []), (4, .close, [])]),
  ]

  private func monitor() throws -> DoorMonitor {
    DoorMonitor(
      try #require(
        DoorMonitor.Settings(shunt: .seconds(10), heldOpenWarning: .seconds(20), heldOpenAlarm: .seconds(30))))
  }

  static func at(_ second: Int64) -> Duration { .seconds(1_000 + second) }

  private func happen(_ happening: Happening, to monitor: inout DoorMonitor, at now: Duration) -> [DoorMonitor.Event] {
    switch happening {
    case .open: return monitor.observe(isOpen: true, at: now)
    case .opened(let second): return monitor.observe(isOpen: true, at: Self.at(second))
    case .close: return monitor.observe(isOpen: false, at: now)
    case .lost: return monitor.observe(isOpen: nil, at: now)
    case .exit:
      let events = monitor.requestExit(for: .seconds(3), record: 8, at: now)
      monitor.endExit(at: now)
      return events
    case .exitBegins: return monitor.requestExit(for: .seconds(3), record: 8, at: now)
    case .exitEnds: monitor.endExit(at: now)
    case .exitFound: monitor.findExit(at: now)
    case .grant(let second): monitor.grant(until: .until(Self.at(second)), record: 7, now: now)
    case .hold: monitor.grant(until: .indefinite, record: 7, now: now)
    case .lock: monitor.limit(to: .none, now: now)
    case .relock: monitor.relock(now: now)
    case .look: return monitor.expire(now: now)
    }
    return []
  }

  @Test(arguments: rows) func told(row: Row) throws {
    var monitor = try monitor()
    for (number, step) in row.steps.enumerated() {
      let events = happen(step.1, to: &monitor, at: Self.at(step.at))
      #expect(events == step.told, "step \(number)")
    }
    #expect(monitor.alarm == row.alarm)
  }

  @Test("deadlines are those of the next word")
  func deadlines() throws {
    var monitor = try monitor()
    #expect(monitor.nextDeadline == nil)
    _ = monitor.observe(isOpen: false, at: .seconds(1))
    _ = monitor.observe(isOpen: true, at: .seconds(5))
    #expect(monitor.nextDeadline == .seconds(5) + DoorMonitor.patience)
    _ = monitor.observe(isOpen: false, at: .seconds(6))
    #expect(monitor.nextDeadline == nil)
    monitor.grant(until: .until(.seconds(10)), record: nil, now: .seconds(6))
    _ = monitor.observe(isOpen: true, at: .seconds(7))
    #expect(monitor.nextDeadline == .seconds(30))
    _ = monitor.expire(now: .seconds(30))
    #expect(monitor.nextDeadline == .seconds(40))
    _ = monitor.expire(now: .seconds(40))
    #expect(monitor.nextDeadline == nil)
  }

  @Test("any number of grants and exits is borne")
  func manyPermits() throws {
    var monitor = try monitor()
    _ = monitor.observe(isOpen: false, at: .zero)
    for second in 1...100 {
      monitor.grant(until: .indefinite, record: 1, now: .seconds(second))
      _ = monitor.requestExit(for: .seconds(1), record: 2, at: .seconds(second))
    }
    monitor.endExit(at: .seconds(100))
    monitor.limit(to: .none, now: .seconds(100))
    #expect(monitor.observe(isOpen: true, at: .seconds(200)).isEmpty)
    #expect(monitor.expire(now: .seconds(201)) == [Self.unexplained, .forced])
  }

  @Test("a timed hold outlasts any number of exits")
  func holdAmongExits() throws {
    var monitor = try monitor()
    _ = monitor.observe(isOpen: false, at: .zero)
    monitor.grant(until: .until(.seconds(3_600)), record: 7, now: .seconds(1))
    for second in stride(from: 10, through: 400, by: 5) {
      _ = monitor.requestExit(for: .seconds(3), record: 8, at: .seconds(second))
      monitor.endExit(at: .seconds(second))
    }
    #expect(monitor.observe(isOpen: true, at: .seconds(2_000)) == [Self.byGrant])
    #expect(monitor.expire(now: .seconds(3_619)).isEmpty)
    #expect(monitor.expire(now: .seconds(3_620)) == [.heldOpenWarning])
  }

  @Test("exits behind a grant that is over bring its alarm no nearer")
  func exitsBehindGrant() throws {
    var monitor = try monitor()
    _ = monitor.observe(isOpen: false, at: .zero)
    monitor.grant(until: .until(.seconds(500)), record: 7, now: .seconds(1))
    #expect(monitor.observe(isOpen: true, at: .seconds(2)) == [Self.byGrant])
    for second in 501...519 {
      _ = monitor.requestExit(for: .seconds(3), record: 8, at: .seconds(second))
      monitor.endExit(at: .seconds(second))
      #expect(monitor.expire(now: .seconds(second)).isEmpty)
    }
    #expect(monitor.expire(now: .seconds(520)) == [.heldOpenWarning])
  }

  @Test("an exit that goes on outlasts any number of grants")
  func exitAmongGrants() throws {
    var monitor = try monitor()
    _ = monitor.observe(isOpen: false, at: .zero)
    _ = monitor.requestExit(for: .seconds(3), record: 8, at: .seconds(1))
    for second in 2...40 {
      monitor.grant(until: .until(.seconds(second) + .milliseconds(500)), record: 7, now: .seconds(second))
    }
    #expect(monitor.observe(isOpen: true, at: .seconds(100)) == [Self.byExit])
  }

  @Test("settings without a warning or an alarm, and settings that make no sense")
  func settings() throws {
    let silent = DoorMonitor.Settings(shunt: .zero, heldOpenWarning: nil, heldOpenAlarm: nil)
    var monitor = DoorMonitor(try #require(silent))
    _ = monitor.observe(isOpen: true, at: .zero)
    #expect(monitor.nextDeadline == nil)
    #expect(monitor.expire(now: .seconds(100_000)).isEmpty)
    let alarmOnly = DoorMonitor.Settings(shunt: .zero, heldOpenWarning: nil, heldOpenAlarm: .seconds(9))
    monitor.adopt(try #require(alarmOnly))
    #expect(monitor.expire(now: .seconds(100_000)) == [.heldOpen])
    #expect(DoorMonitor.Settings(shunt: .seconds(-1), heldOpenWarning: nil, heldOpenAlarm: nil) == nil)
    #expect(DoorMonitor.Settings(shunt: .zero, heldOpenWarning: .seconds(8), heldOpenAlarm: .seconds(8)) == nil)
  }
}
