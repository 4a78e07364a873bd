internal import AccessControl
internal import HCI
internal import POSIX

// No label is an id or a name, not even a door's: who opened which door when is for the ledger. A metrics store is read
// by more people, kept for longer, and grows with every label value.
extension DaemonStatus {
  /// All metrics (operations.md, "Metrics"); every set of labels is there from the start.
  var metrics: String {
    var text = Exposition()
    addProcess(&text)
    addCounters(&text)
    addRadio(&text)
    addDoors(&text)
    addUpkeep(&text)
    return text.text
  }

  private func addProcess(_ text: inout Exposition) {
    text.add(.gauge, "latchkey_up", "1 while the daemon runs, 0 in the last text that it writes.", isRunning)
    text.add(
      .gauge, "latchkey_build_info", "Which version writes this.", by: "version", [(label: Version.current, value: 1)])
    // Not process_start_time_seconds: that name is node_exporter's own in the same scrape.
    text.add(
      .gauge, "latchkey_start_time_seconds", "Start of the daemon, in Unix seconds.", started.secondsText)
    let health = Health(self)
    let problems = Health.Problem.allCases.map { problem in
      (label: problem.rawValue, value: UInt64(health.problems.contains { $0.code == problem } ? 1 : 0))
    }
    text.add(.gauge, "latchkey_problem", "1 for each problem that `latchkeyd health` names.", by: "problem", problems)
  }

  private func addCounters(_ text: inout Exposition) {
    text.add(.counter, "latchkey_reports_total", "Advertising reports heard.", counters.radio.reports)
    text.add(.counter, "latchkey_foreign_total", "Frames that no key here expects now.", counters.foreign)
    text.add(.counter, "latchkey_repeated_total", "Copies of frames and presses handled before.", counters.repeated)
    text.add(
      .counter, "latchkey_forged_total", "Frames with a right hint and a wrong tag; chance makes some.", counters.forged
    )
    text.add(
      .counter, "latchkey_replayed_total", "Authentic frames that came again after their time.", counters.replayed)
    text.add(
      .counter, "latchkey_malformed_total", "Authentic frames that aren't a command of this version.",
      counters.malformed)
    text.add(.counter, "latchkey_granted_total", "Commands granted.", counters.granted)
    text.add(.counter, "latchkey_denied_total", "Commands denied.", counters.denied)
    text.add(.counter, "latchkey_answered_total", "Commands whose answer went on the air.", counters.answered)
    text.add(
      .counter, "latchkey_slow_down_total", "Commands beyond ten in ten seconds of one credential.", counters.slowDown)
    text.add(
      .counter, "latchkey_weak_total", "Frames weaker than their door's min-rssi, as if they hadn't been heard.",
      counters.weak)
    text.add(
      .counter, "latchkey_crypto_failures_total", "Frames that OpenSSL failed on.", counters.cryptoFailures)
    text.add(
      .counter, "latchkey_decisions_total", "What became of authentic frames: granted, denied, or not answered at all.",
      decisions)
    text.add(
      "latchkey_decision_latency_seconds", "From a frame's arrival to its decision.", counters.decisionLatency)
    text.add(
      "latchkey_record_latency_seconds", "From a frame's arrival to the durable record of its decision.",
      counters.recordLatency)
  }

  private var decisions: [(labels: [(String, String)], value: UInt64)] {
    let reasons = Reason.allCases.map { reason -> (labels: [(String, String)], value: UInt64) in
      let (result, count): (String, UInt64) =
        switch reason {
        case .replayed: ("ignored", counters.replayed)
        case .malformed: ("ignored", counters.malformed)
        case .slowDown: ("ignored", counters.slowDown)
        default: ("denied", counters.denials[reason] ?? 0)
        }
      return ([("result", result), ("reason", reason.rawValue)], count)
    }
    return [(labels: [("result", "granted"), ("reason", "none")], value: counters.granted)] + reasons
  }

  private func addRadio(_ text: inout Exposition) {
    text.add(
      .gauge, "latchkey_radio_state", "The radio's condition: 1 for the one it is in.", by: "state",
      RadioCondition.allCases.map { (label: $0.rawValue, value: $0 == radio.condition ? 1 : 0) })
    text.add(
      .gauge, "latchkey_radio_deaf", "Whether it is on and has heard nothing for long.", radio.condition == .deaf)
    text.add(
      .gauge, "latchkey_radio_last_report_age_seconds", "Since the last advert; +Inf: none since the start.",
      radio.lastReportAge.map(\.secondsText) ?? "+Inf")
    text.add(
      .gauge, "latchkey_beacons", "Beacons and answers: 1 for how it stands with them.", by: "state",
      DaemonStatus.Beacons.Condition.allCases.map { (label: $0.rawValue, value: $0 == beacons.condition ? 1 : 0) })
    text.add(
      .counter, "latchkey_radio_input_total", "Broken radio input, and what was done about it, by kind.", by: "kind",
      counters.radio.entries.filter { $0.name != "reports" }.map { (label: $0.name, value: $0.value) })
  }

  private func addDoors(_ text: inout Exposition) {
    text.add(
      .gauge, "latchkey_doors", "Doors by mode.", by: "mode",
      DoorState.allCases.map { state in
        (label: state.modeWord, value: UInt64(clamping: doors.count { $0.state == state }))
      })
    let failed = doors.count { door in
      if case .failed = door.lock { true } else { door.openingProblem != nil }
    }
    text.add(
      .gauge, "latchkey_locks_failed", "Locks that couldn't do what they were told last.", UInt64(clamping: failed))
    text.add(
      .counter, "latchkey_lock_failures_total", "Movements that a lock couldn't do.", counters.lockFailures)
    addSight(&text)
    text.add(
      .gauge, "latchkey_credentials", "Credentials in all bundles.",
      UInt64(clamping: doors.reduce(0) { $0 + $1.credentials }))
    text.add(
      .gauge, "latchkey_bundle_end_timestamp_seconds", "When the first bundle ends; +Inf: none does.",
      doors.compactMap(\.bundleEnd).min().map { "\($0)" } ?? "+Inf")
  }

  private func addSight(_ text: inout Exposition) {
    let sights = doors.compactMap(\.sight)
    text.add(
      .gauge, "latchkey_door_contacts", "Doors with a sensor, by what it says.", by: "state",
      DoorMonitor.Contact.allCases.map { state in
        (label: state.rawValue, value: UInt64(clamping: sights.count { $0.contact == state }))
      })
    text.add(
      .gauge, "latchkey_door_alarms", "Doors with an alarm that is on.", by: "alarm",
      DoorMonitor.Alarm.allCases.map { alarm in
        (label: alarm.rawValue, value: UInt64(clamping: sights.count { $0.alarm == alarm }))
      })
    text.add(
      .gauge, "latchkey_inputs_failed", "Inputs that can't be read.",
      UInt64(clamping: sights.reduce(0) { $0 + $1.failures.count }))
    text.add(
      .counter, "latchkey_door_events_total", "What doors saw of themselves.", by: "event",
      DoorEvent.Kind.seen.map { (label: $0.rawValue, value: counters.doorEvents[$0] ?? 0) })
  }

  private func addUpkeep(_ text: inout Exposition) {
    text.add(.gauge, "latchkey_clock_trusted", "Whether time frames are judged.", clock.doubt == nil)
    text.add(.gauge, "latchkey_ledger_failing", "Whether the last record failed.", recording.problem != nil)
    text.add(
      .counter, "latchkey_ledger_failures_total", "Records that couldn't be made; nothing opens then.",
      counters.ledgerFailures)
    text.add(
      .gauge, "latchkey_ledger_last_record_timestamp_seconds", "The last record, in Unix seconds; 0: none ever.",
      recording.last?.secondsText ?? "0")
    text.add(
      .counter, "latchkey_reloads_total", "Configurations loaded anew, by what became of them.", by: "result",
      [(label: "done", value: reloads.done), (label: "refused", value: reloads.refused)])
    text.add(
      .gauge, "latchkey_reload_last_success_timestamp_seconds", "When the running configuration was taken over.",
      reloads.lastSuccess.secondsText)
    text.add(
      .counter, "latchkey_metrics_write_failures_total", "Writings of this file that failed.", metricsFile.failures)
  }
}

extension Duration {
  /// As a decimal number of seconds.
  fileprivate var secondsText: String { "\(Double(wholeNanoseconds) / 1e9)" }
}

extension WallTime {
  /// Unix seconds with milliseconds.
  fileprivate var secondsText: String {
    let fraction = String(nanoseconds / 1_000_000)
    return "\(seconds)." + String(repeating: "0", count: 3 - fraction.utf8.count) + fraction
  }
}
