internal import AccessControl
internal import HCI
internal import JSON
internal import LockHardware
internal import POSIX

extension DaemonStatus {
  /// As `status --json` prints it (cli.md, "status").
  var json: JSONObject {
    [
      "time": .string(time.description),
      "version": .string(Version.current),
      "started": .string(started.description),
      "uptimeSeconds": .integer(uptime.components.seconds),
      "health": .object(Health(self).json),
      "radio": .object(radio.json),
      "beacons": .object(beacons.json),
      "clock": .object(clock.json),
      "doors": .array(doors.map { .object($0.json) }),
      "ledger": .object(recording.json),
      "reloads": .object(reloads.json),
      "counters": .object(counters.json),
    ]
  }
}

extension DaemonStatus.Radio {
  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "spec": .string(spec), "state": .string(condition.rawValue), "deaf": .bool(condition == .deaf),
      "since": .string(since.description), "sinceSeconds": .integer(age.components.seconds),
      "lastReportAgeMs": lastReportAge.map { .integer($0.wholeMilliseconds) } ?? nil,
    ]
    object["problem"] = problem.map { .string($0) }
    if lossesLately > 0 { object["lossesLately"] = .integer(Int64(lossesLately)) }
    if let controller {
      object["controller"] = [
        "hciVersion": .integer(Int64(controller.hciVersion)), "manufacturer": .integer(Int64(controller.manufacturer)),
        "address": controller.address.map { .string("\($0)") } ?? nil, "commands": .string(controller.family.rawValue),
      ]
    }
    return object
  }
}

extension DaemonStatus.Beacons {
  fileprivate var json: JSONObject {
    var object: JSONObject = ["state": .string(condition.rawValue)]
    object["problem"] = problem.map { .string($0) }
    return object
  }
}

extension DaemonStatus.Clock {
  fileprivate var json: JSONObject {
    var object: JSONObject = ["trusted": .bool(doubt == nil)]
    object["problem"] = doubt.map { .string($0) }
    object["timeFramesFrom"] = timeFramesFrom.map { .string($0.rfc3339(milliseconds: false)) }
    return object
  }
}

extension DaemonStatus.Door {
  fileprivate var json: JSONObject {
    var object: JSONObject = ["id": .string(id.text), "name": .string(name.text), "mode": .string(state.modeWord)]
    object["freshness"] = .string(freshness.rawValue)
    if secondsUntilLocked > 0 {
      // 65535 says that no end is set, as in an answer frame.
      object["secondsLeft"] = secondsUntilLocked == .max ? .null : .integer(Int64(secondsUntilLocked))
    }
    switch lock {
    case .nothing: object["lock"] = "unknown"
    case .stands(let position): object["lock"] = .string(position.rawValue)
    case .failed(let position, let reason):
      object["lock"] = "failed"
      object["problem"] = .string("it didn't get \(position.rawValue): \(reason)")
    }
    object["openingProblem"] = openingProblem.map { .string($0) }
    object["battery"] = battery.map { .integer(Int64($0)) }
    if let sight { for member in sight.json.members { object[member.key] = member.value } }
    object["bundle"] = [
      "serial": .integer(bundleSerial),
      "until": bundleEnd.map { .string(WallTime(seconds: $0).rfc3339(milliseconds: false)) } ?? nil,
    ]
    object["credentials"] = .integer(Int64(credentials))
    return object
  }
}

extension DaemonStatus.Sight {
  fileprivate var json: JSONObject {
    var object: JSONObject = [:]
    object["contact"] = contact.map { .string($0.rawValue) }
    object["alarm"] = alarm.map { .string($0.rawValue) }
    object["exitSeconds"] = exitAge.map { .integer($0.components.seconds) }
    var problems: JSONObject = [:]
    for role in InputRole.allCases { problems[role.rawValue] = failures[role].map { .string($0) } }
    if !problems.members.isEmpty { object["inputProblems"] = .object(problems) }
    object["siren"] = siren.map { .string($0.word) }
    object["sirenProblem"] = siren?.problem.map { .string($0) }
    return object
  }
}

extension DaemonStatus.Recording {
  fileprivate var json: JSONObject {
    var object: JSONObject = ["failing": .bool(problem != nil)]
    object["problem"] = problem.map { .string($0) }
    object["lastRecord"] = last.map { .string($0.description) }
    object["lastID"] = lastID.map { .integer($0) }
    object["volatileLost"] = .bool(volatileIsLost)
    return object
  }
}

extension DaemonStatus.Reloads {
  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "done": .integer(Int64(clamping: done)), "refused": .integer(Int64(clamping: refused)),
      "lastSuccess": .string(lastSuccess.description),
    ]
    object["problem"] = problem.map { .string($0) }
    return object
  }
}
