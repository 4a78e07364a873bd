import AccessControl
import AirProtocol
import HCI
import JSON
import LockHardware
import POSIX
import TestSupport
import Testing

@testable import DoorController

/// The metrics: valid text, every set of labels from the start, and the numbers that were counted.
@Suite struct MetricsTests {
  @Test func theTextIsValidAndCompleteFromTheStart() throws {
    let text = try ExpositionValidator(try wellStatus().metrics)
    for reason in Reason.allCases {
      let result = reason.answerResult == nil ? "ignored" : "denied"
      #expect(text.value("latchkey_decisions_total{result=\"\(result)\",reason=\"\(reason.rawValue)\"}") == 0)
    }
    #expect(text.value("latchkey_decisions_total{result=\"granted\",reason=\"none\"}") == 0)
    for condition in RadioCondition.allCases {
      #expect(text.value("latchkey_radio_state{state=\"\(condition.rawValue)\"}") == (condition == .on ? 1 : 0))
    }
    for (name, _) in RadioCounters().entries where name != "reports" {
      #expect(text.value("latchkey_radio_input_total{kind=\"\(name)\"}") == 0)
    }
    for problem in Health.Problem.allCases {
      #expect(text.value("latchkey_problem{problem=\"\(problem.rawValue)\"}") == 0)
    }
    #expect(text.value("latchkey_radio_last_report_age_seconds") == 0.25)
    #expect(text.value("latchkey_bundle_end_timestamp_seconds") == .infinity)
  }

  @Test func everyCounterOfTheSummaryIsThere() throws {
    let text = try ExpositionValidator(try wellStatus().metrics)
    for name in Counters().json.members.map(\.key) {
      let snake = name.map { $0.isUppercase ? "_\($0.lowercased())" : "\($0)" }.joined()
      let own = text.value("latchkey_\(snake)_total")
      #expect((own ?? text.value("latchkey_radio_input_total{kind=\"\(name)\"}")) == 0, "\(name)")
    }
  }

  @Test func noIdAndNoNameIsInIt() throws {
    var status = try wellStatus()
    status.doors = [try wellDoor("secret-door")]
    #expect(!status.metrics.contains("secret-door"))
  }

  @Test func troubleShows() throws {
    var status = try wellStatus()
    status.radio.condition = .deaf
    status.radio.lastReportAge = nil
    status.recording.problem = "disk full"
    status.clock.doubt = "no time service"
    status.doors = try [wellDoor("a"), wellDoor("b")]
    status.doors[0].lock = .failed(.closed, "exit code 1")
    status.doors[1].state = .heldOpen
    status.doors[1].bundleEnd = 1_800_000_000
    status.isRunning = false
    let text = try ExpositionValidator(status.metrics)
    let wanted: [String: Double] = [
      "latchkey_up": 0, "latchkey_radio_deaf": 1, "latchkey_radio_state{state=\"deaf\"}": 1,
      "latchkey_radio_last_report_age_seconds": .infinity, "latchkey_ledger_failing": 1, "latchkey_clock_trusted": 0,
      "latchkey_locks_failed": 1, "latchkey_doors{mode=\"held\"}": 1, "latchkey_doors{mode=\"closed\"}": 1,
      "latchkey_bundle_end_timestamp_seconds": 1_800_000_000, "latchkey_credentials": 6,
      "latchkey_problem{problem=\"deaf\"}": 1, "latchkey_problem{problem=\"lock\"}": 1,
      "latchkey_problem{problem=\"radio\"}": 0,
    ]
    for (series, value) in wanted { #expect(text.value(series) == value, "\(series)") }
  }

  @Test func decisionsAreCountedByReasonWithTheirTime() throws {
    let door = try TestDoor([rule("alice"), rule("bob", status: .revoked), rule("carol", status: .disabled)])
    #expect(try door.hear(door.frame("alice", slot: 2)).map(\.reason) == ["clock-untrusted"])
    door.pass(.seconds(3))
    for (number, id) in ["alice", "bob", "bob", "carol"].enumerated() {
      try door.hear(door.frame(id, sequence: UInt8(number), press: UInt8(10 + number)))
    }
    var status = try wellStatus()
    status.counters = try door.pipeline.snapshot()
    let text = try ExpositionValidator(status.metrics)
    let wanted: [String: Double] = [
      "latchkey_granted_total": 1, "latchkey_denied_total": 4,
      "latchkey_decisions_total{result=\"granted\",reason=\"none\"}": 1,
      "latchkey_decisions_total{result=\"denied\",reason=\"revoked\"}": 2,
      "latchkey_decisions_total{result=\"denied\",reason=\"disabled\"}": 1,
      "latchkey_decisions_total{result=\"denied\",reason=\"clock-untrusted\"}": 1,
      "latchkey_decision_latency_seconds_count": 5, "latchkey_record_latency_seconds_count": 5,
    ]
    for (series, value) in wanted { #expect(text.value(series) == value, "\(series)") }
  }

  @Test func aLedgerThatFailsIsKnownUntilItRecordsAgain() throws {
    let door = try TestDoor([rule("alice")])
    door.pass(.seconds(3))
    #expect(try door.pipeline.recordingStatus.problem == nil)
    try door.breakLedger()
    try door.hear(door.frame("alice"))
    #expect(try door.pipeline.recordingStatus.problem != nil)
    #expect(try door.pipeline.snapshot().ledgerFailures == 1)
    // A heartbeat is a record as well, and needs no table of events.
    door.pass(.seconds(61))
    #expect(try door.pipeline.recordingStatus.problem == nil)
  }

  @Test func theLocksBatteryIsKnownAndIsNoWordOfTheLock() throws {
    let door = try TestDoor([rule("alice")])
    try door.report(.moved(.closed))
    let events = door.events.count
    #expect(try door.pipeline.doorStatus.first?.battery == nil)
    try door.report(.battery(percent: 12))
    let status = try #require(try door.pipeline.doorStatus.first)
    #expect(status.battery == 12 && status.lock == .stands(.closed))
    try door.report(.battery(percent: nil))
    #expect(try door.pipeline.doorStatus.first?.battery == nil)
    #expect(door.events.count == events, "it is no event")
  }

  @Test func whatDoorsSeeIsCountedWithoutTheirNames() throws {
    var status = try wellStatus()
    var text = try ExpositionValidator(status.metrics)
    #expect(text.value("latchkey_door_contacts{state=\"closed\"}") == 0, "there is no sensor")
    #expect(text.value("latchkey_door_events_total{event=\"held-open-warning\"}") == 0)
    status.doors.append(try wellDoor("back"))
    status.doors[0].sight = DaemonStatus.Sight(contact: .open, alarm: .forced)
    status.doors[1].sight = DaemonStatus.Sight(contact: .unknown, failures: [.sensor: "gone", .exit: "gone"])
    status.counters.doorEvents = [.opened: 3, .forced: 1]
    text = try ExpositionValidator(status.metrics)
    let wanted: [String: Double] = [
      "latchkey_door_contacts{state=\"open\"}": 1, "latchkey_door_contacts{state=\"unknown\"}": 1,
      "latchkey_door_contacts{state=\"closed\"}": 0, "latchkey_door_alarms{alarm=\"forced\"}": 1,
      "latchkey_door_alarms{alarm=\"held-open\"}": 0, "latchkey_inputs_failed": 2,
      "latchkey_door_events_total{event=\"opened\"}": 3, "latchkey_door_events_total{event=\"forced\"}": 1,
      "latchkey_problem{problem=\"forced\"}": 1, "latchkey_problem{problem=\"input\"}": 1,
    ]
    for (series, value) in wanted { #expect(text.value(series) == value, "\(series)") }
  }

  @Test func theLocksLastWordIsKnown() throws {
    let door = try TestDoor([rule("alice")])
    let lock = try #require(try door.pipeline.doors.first?.numberedLock.id)
    #expect(try door.pipeline.doorStatus.first?.lock == .nothing)
    let failure = LockReport(.failed(.closed, reason: "exit code 1"), at: door.time.boot)
    try door.pipeline.lockReported(lock, failure)
    #expect(try door.pipeline.doorStatus.first?.lock == .failed(.closed, "exit code 1"))
    #expect(try door.pipeline.doorsLeftOpen.count == 1)
    try door.pipeline.lockReported(lock, LockReport(.moved(.closed), at: door.time.boot))
    #expect(try door.pipeline.doorStatus.first?.lock == .stands(.closed))
    #expect(try door.pipeline.snapshot().lockFailures == 1)
  }
}

@Suite struct LatencyHistogramTests {
  @Test func boundsAreInclusiveAndCumulative() {
    var histogram = LatencyHistogram()
    for bound in LatencyHistogram.bounds { histogram.count(.nanoseconds(bound.nanoseconds)) }
    #expect(histogram.cumulative == (1...UInt64(LatencyHistogram.bounds.count)).map { $0 })
    histogram.count(.seconds(6))
    histogram.count(.zero - .seconds(1))
    #expect(histogram.cumulative.first == 2)
    #expect(histogram.cumulative.last == UInt64(LatencyHistogram.bounds.count + 1))
    #expect(histogram.total == UInt64(LatencyHistogram.bounds.count + 2))
  }

  @Test func itsTextsAreItsBounds() {
    for (nanoseconds, text) in LatencyHistogram.bounds { #expect(Double(text) == Double(nanoseconds) / 1e9) }
  }

  @Test func theSumSaturates() {
    var histogram = LatencyHistogram()
    histogram.count(.seconds(Int64.max / 1_000_000_000))
    histogram.count(.seconds(Int64.max / 1_000_000_000))
    #expect(histogram.seconds > 9e9 && histogram.total == 2)
  }
}

@Suite struct ExpositionTests {
  @Test func helpAndLabelsAreEscaped() throws {
    var text = Exposition()
    text.add(.gauge, "a", "back\\slash\nand line", by: "b", [(label: "q\"\\\n", value: 1)])
    #expect(text.text == "# HELP a back\\\\slash\\nand line\n# TYPE a gauge\na{b=\"q\\\"\\\\\\n\"} 1\n")
    _ = try ExpositionValidator(text.text)
  }

  @Test(arguments: [
    "a 1\n", "# HELP a b\na 1\n", "# HELP a b\n# TYPE a gauge\n", "# HELP a b\n# TYPE a gauge\na 1",
    "# HELP a b\n# TYPE a gauge\na 1\na 1\n", "# HELP a b\n# TYPE a counter\na 1\n",
    "# HELP a b\n# TYPE a gauge\na{b=\"c} 1\n", "# HELP a b\n# TYPE a gauge\na one\n",
    "# HELP a b\n# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 1\n",
    "# HELP a b\n# TYPE a histogram\na_bucket{le=\"1\"} 1\na_sum 1\na_count 1\n",
  ])
  func theValidatorRefuses(_ text: String) { #expect(throws: TestError.self) { try ExpositionValidator(text) } }
}

@Suite struct MetricsWriterTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test func theFileIsWholeAndForEverybodyToRead() throws {
    let results = Monitor<[FileError?]>([])
    let writer = try MetricsWriter(path: folder("door.prom")) { failure in results.withLock { $0.append(failure) } }
    writer.write(try wellStatus())
    #expect(results.wait(until: .now() + .seconds(10)) { $0.isEmpty ? nil : $0 } == [nil])
    writer.finish(within: .seconds(10))
    _ = try ExpositionValidator(folder.text("door.prom"))
    #expect(try fileStatus(folder("door.prom"))?.permissions == 0o644)
    #expect(try folder.names() == ["door.prom"])
  }

  @Test func whatCanNotBeWrittenIsReportedAndTheNextIsTried() throws {
    let results = Monitor<[FileError?]>([])
    let writer = try MetricsWriter(path: folder("missing/door.prom")) { failure in
      results.withLock { $0.append(failure) }
    }
    writer.write(try wellStatus())
    let first = results.wait(until: .now() + .seconds(10)) { $0.first }
    #expect(first.flatMap { $0 }?.errno == .noEntry)
    try folder.makeDirectory("missing")
    writer.write(try wellStatus())
    #expect(results.wait(until: .now() + .seconds(10)) { $0.count < 2 ? nil : $0.last == .some(nil) } == true)
    writer.finish(within: .seconds(10))
  }

  @Test func aWriterThatIsStuckHoldsUpNobody() throws {
    // The report stands for a disk that doesn't come back.
    let release = Monitor(false)
    let writing = Monitor(false)
    let writer = try MetricsWriter(path: folder("door.prom")) { _ in
      writing.withLock { $0 = true }
      _ = release.wait(until: .now() + .seconds(20)) { $0 ? true : nil }
    }
    writer.write(try wellStatus())
    #expect(writing.wait(until: .now() + .seconds(10)) { $0 ? true : nil } == true)
    let start = BootInstant.now()
    for _ in 0..<1_000 { writer.write(try wellStatus()) }
    writer.finish(within: .milliseconds(50))
    #expect(BootInstant.now() - start < .seconds(5))
    release.withLock { $0 = true }
  }
}
