import AccessControl
import HCI
import JSON
import LockHardware
import POSIX
import Testing

@testable import DoorController

/// What makes a door unwell, by table.
@Suite struct HealthTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let problems: [Health.Problem]
    var warnings: [Health.Warning] = []
    let spoil: @Sendable (inout DaemonStatus) -> Void

    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(name: "well", problems: []) { _ in },
    Row(name: "no radio", problems: [.radio]) { $0.radio.condition = .poweredOff },
    Row(name: "radio on its way", problems: [.radio]) { $0.radio.condition = .resetting },
    Row(name: "deaf", problems: [.deaf]) { $0.radio.condition = .deaf },
    Row(name: "on for long, never a report", problems: [.silent]) { $0.radio.lastReportAge = nil },
    Row(name: "on for long, no report for long", problems: [.silent]) { $0.radio.lastReportAge = .seconds(180) },
    Row(name: "a report just in time", problems: []) { $0.radio.lastReportAge = .milliseconds(179_999) },
    Row(name: "just on, never a report", problems: []) {
      $0.radio.age = .milliseconds(179_999)
      $0.radio.lastReportAge = nil
    },
    Row(name: "just on again after an hour", problems: []) {
      $0.radio.age = .seconds(5)
      $0.radio.lastReportAge = .seconds(3_600)
    },
    Row(name: "clock", problems: [.clock]) { $0.clock.doubt = "no time service" },
    Row(name: "clock, where nobody takes time", problems: [], warnings: [.clock]) {
      $0.clock.doubt = "no time service"
      $0.doors[0].freshness = .challenge
    },
    Row(name: "no beacons", problems: [.beacons]) {
      $0.beacons = DaemonStatus.Beacons(condition: .failed, problem: "the radio doesn't advertise while it scans")
    },
    Row(name: "a door that is no more stays open", problems: [.lock]) { $0.leftOpen = [$0.doors[0].id] },
    Row(name: "no beacons wanted", problems: []) { $0.beacons = DaemonStatus.Beacons(condition: .off) },
    Row(name: "the wait of a start is no problem", problems: []) {
      $0.clock.timeFramesFrom = WallTime(seconds: $0.time.seconds + 10)
    },
    Row(name: "ledger", problems: [.ledger]) { $0.recording.problem = "disk full" },
    Row(name: "lock not closed", problems: [.lock]) { $0.doors[0].lock = .failed(.closed, "exit code 1") },
    Row(name: "lock not opened", problems: [.lock]) { $0.doors[0].lock = .failed(.open, "exit code 1") },
    Row(name: "lock that closed behind an opening that failed", problems: [.lock]) {
      $0.doors[0].openingProblem = "exit code 1"
    },
    Row(name: "lock not opened, told once", problems: [.lock]) {
      $0.doors[0].lock = .failed(.open, "exit code 1")
      $0.doors[0].openingProblem = "exit code 1"
    },
    Row(name: "a door with nothing amiss", problems: []) {
      $0.doors[0].sight = DaemonStatus.Sight(contact: .open, exitAge: .seconds(299))
    },
    Row(name: "forced", problems: [.forced]) { $0.doors[0].sight = DaemonStatus.Sight(contact: .open, alarm: .forced) },
    Row(name: "held open", problems: [.heldOpen]) {
      $0.doors[0].sight = DaemonStatus.Sight(contact: .open, alarm: .heldOpen)
    },
    Row(name: "both inputs gone", problems: [.input, .input]) {
      $0.doors[0].sight = DaemonStatus.Sight(contact: .unknown, failures: [.sensor: "gone", .exit: "gone"])
    },
    Row(name: "a siren that fails", problems: [.siren]) {
      $0.doors[0].sight = DaemonStatus.Sight(siren: .failed("gone"))
    },
    Row(name: "a siren that sounds", problems: [.forced]) {
      $0.doors[0].sight = DaemonStatus.Sight(contact: .open, alarm: .forced, siren: .on)
    },
    Row(name: "an exit that is stuck", problems: [], warnings: [.exit]) {
      $0.doors[0].sight = DaemonStatus.Sight(exitAge: .seconds(300))
    },
    Row(name: "a radio that comes and goes", problems: [], warnings: [.unsteady]) { $0.radio.lossesLately = 5 },
    Row(name: "one that did so now and then", problems: []) { $0.radio.lossesLately = 4 },
    Row(name: "battery nearly empty", problems: [], warnings: [.battery]) { $0.doors[0].battery = 20 },
    Row(name: "battery not nearly empty", problems: []) { $0.doors[0].battery = 21 },
    Row(name: "bundle at its end", problems: [.bundleExpired]) { $0.doors[0].bundleEnd = $0.time.seconds },
    Row(name: "bundle ends in a second", problems: [], warnings: [.bundleEnding]) {
      $0.doors[0].bundleEnd = $0.time.seconds + 1
    },
    Row(name: "bundle ends within the week", problems: [], warnings: [.bundleEnding]) {
      $0.doors[0].bundleEnd = $0.time.seconds + 7 * 86_400 - 1
    },
    Row(name: "bundle ends in a week", problems: []) { $0.doors[0].bundleEnd = $0.time.seconds + 7 * 86_400 },
    Row(name: "volatile", problems: [], warnings: [.volatile]) { $0.recording.volatileIsLost = true },
    Row(name: "reload", problems: [], warnings: [.reload]) { $0.reloads.problem = "line 3" },
    Row(name: "metrics", problems: [], warnings: [.metrics]) { $0.metricsFile.problem = "disk full" },
    Row(name: "all at once", problems: [.radio, .clock, .ledger, .lock], warnings: [.reload]) {
      $0.radio.condition = .unauthorized
      $0.clock.doubt = "?"
      $0.recording.problem = "?"
      $0.doors[0].lock = .failed(.closed, "?")
      $0.reloads.problem = "?"
    },
  ]

  @Test(arguments: rows) func reasons(_ row: Row) throws {
    var status = try wellStatus()
    row.spoil(&status)
    let health = Health(status)
    #expect(health.problems.map(\.code) == row.problems)
    #expect(health.warnings.map(\.code) == row.warnings)
    #expect(health.isWell == row.problems.isEmpty)
    #expect(health.json["well"] == .bool(row.problems.isEmpty))
    #expect(health.json["problems"]?.array?.count == row.problems.count)
  }

  @Test func aRadioProblemSaysWhatToDo() throws {
    var status = try wellStatus()
    status.radio.condition = .poweredOff
    status.radio.problem = "rfkill unblock bluetooth"
    #expect(Health(status).problems.first?.words == "the radio is not on (powered-off): rfkill unblock bluetooth")
  }
}

/// Which states of a radio are worth a line.
@Suite struct RadioWatchTests {
  private static let info = ControllerInfo()
  private static let onlyScanning = {
    var info = ControllerInfo()
    info.onlyScans = true
    return info
  }()
  private static let refused = RadioError.cannotOpen(.tcp(host: "localhost", port: 1), .connectionRefused)

  /// Each state with whether it is told.
  static let histories: [[(state: RadioState, told: Bool)]] = [
    [(.opening, false), (.preparing, false), (.on(info), true)],
    // Unplugged, tried again and again for the same reason, and back: three lines.
    [
      (.on(info), true), (.waiting(.ended, retryAfter: .seconds(1)), true), (.opening, false),
      (.waiting(refused, retryAfter: .seconds(2)), true), (.opening, false),
      (.waiting(refused, retryAfter: .seconds(4)), false), (.opening, false), (.preparing, false),
      (.waiting(refused, retryAfter: .seconds(8)), false), (.opening, false), (.preparing, false), (.on(info), true),
    ],
    // A fault that a Reset mends.
    [(.on(info), true), (.preparing, true), (.on(info), true), (.on(info), false)],
    [(.on(info), true), (.deaf(info), true), (.deaf(info), false), (.preparing, true), (.on(info), true)],
    // The same condition for another reason.
    [
      (.on(info), true), (.waiting(.ended, retryAfter: .seconds(1)), true), (.opening, false), (.preparing, false),
      (.waiting(.noCredit, retryAfter: .seconds(1)), true),
    ],
    // The particulars of an error differ from attempt to attempt.
    [
      (.waiting(.badFraming(0xE0), retryAfter: .seconds(1)), true), (.opening, false), (.preparing, false),
      (.waiting(.badFraming(0x9B), retryAfter: .seconds(2)), false), (.opening, false), (.preparing, false),
      (.waiting(.ended, retryAfter: .seconds(4)), true), (.opening, false), (.preparing, false),
      (.waiting(.failed(.connectionRefused), retryAfter: .seconds(8)), false),
    ],
    [(.on(info), true), (.stopping, false), (.ended(nil), true)],
    // It was found later that it doesn't send while it scans.
    [(.on(info), true), (.on(onlyScanning), true), (.on(onlyScanning), false)],
    [(.opening, false), (.ended(.notACapture("x")), true)],
  ]

  @Test(arguments: histories.indices) func oneLineAChange(_ number: Int) {
    var watch = RadioWatch(boot: .now(), wall: .now())
    for (step, (state, told)) in Self.histories[number].enumerated() {
      #expect(watch.observe(state, boot: .now(), wall: .now()) == told, "step \(step): \(state)")
    }
  }

  @Test func aRadioThatIsTriedAgainKeepsItsConditionAndItsError() {
    let start = BootInstant.now()
    var watch = RadioWatch(boot: start, wall: .now())
    #expect(watch.condition == .unknown && watch.problem == nil)
    _ = watch.observe(.on(Self.info), boot: start + .seconds(1), wall: .now())
    #expect(watch.condition == .on && watch.since.boot == start + .seconds(1) && watch.controller != nil)
    _ = watch.observe(.waiting(.ended, retryAfter: .seconds(1)), boot: start + .seconds(2), wall: .now())
    _ = watch.observe(.opening, boot: start + .seconds(3), wall: .now())
    #expect(watch.condition == RadioState.waiting(.ended, retryAfter: .zero).condition)
    #expect(watch.since.boot == start + .seconds(2) && watch.problem == "\(RadioError.ended)")
    _ = watch.observe(.on(Self.info), boot: start + .seconds(4), wall: .now())
    #expect(watch.problem == nil && watch.since.boot == start + .seconds(4))
  }

  @Test func whatKeptAStreamFromStandingIsOverOnceItStands() {
    var watch = RadioWatch(boot: .now(), wall: .now())
    _ = watch.observe(.waiting(Self.refused, retryAfter: .seconds(1)), boot: .now(), wall: .now())
    _ = watch.observe(.opening, boot: .now(), wall: .now())
    #expect(watch.problem != nil)
    _ = watch.observe(.preparing, boot: .now(), wall: .now())
    #expect(watch.problem == nil && watch.condition == .resetting)
  }

  @Test func lossesAreCountedForTenMinutes() {
    let start = BootInstant.now()
    var watch = RadioWatch(boot: start, wall: .now())
    for minute in 0..<5 {
      let now = start + .seconds(60 * minute)
      _ = watch.observe(.on(Self.info), boot: now, wall: .now())
      _ = watch.observe(.waiting(.ended, retryAfter: .seconds(1)), boot: now + .seconds(1), wall: .now())
      _ = watch.observe(.opening, boot: now + .seconds(2), wall: .now())
      _ = watch.observe(.preparing, boot: now + .seconds(3), wall: .now())
    }
    #expect(watch.lossesLately(at: start + .seconds(300)) == 5)
    #expect(watch.lossesLately(at: start + .seconds(661)) == 3)
    _ = watch.observe(.on(Self.info), boot: start + .seconds(700), wall: .now())
    _ = watch.observe(.stopping, boot: start + .seconds(701), wall: .now())
    #expect(watch.lossesLately(at: start + .seconds(701)) == 3, "an end is no loss")
  }

  @Test func whatIsGivenUpSaysSo() {
    var watch = RadioWatch(boot: .now(), wall: .now())
    _ = watch.observe(.ended(.notACapture("x")), boot: .now(), wall: .now())
    #expect(watch.problem?.hasSuffix("given up until a restart") == true)
  }
}
