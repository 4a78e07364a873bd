internal import JSON
internal import Wording

/// A status as lines for people; what it doesn't hold is left out.
func statusText(_ status: JSONValue) -> [String] {
  var lines = [
    "latchkeyd \(text(status["version"])), since \(text(status["started"])) (\(span(status["uptimeSeconds"])))",
    healthLine(status["health"] ?? .null),
  ]
  lines += radioText(status["radio"] ?? .null)
  lines += beaconText(status["beacons"] ?? .null)
  lines += clockText(status["clock"] ?? .null)
  for door in status["doors"]?.array ?? [] { lines += doorText(door) }
  lines += ledgerText(status["ledger"] ?? .null)
  lines += reloadText(status["reloads"] ?? .null)
  lines.append("counters\(counterText(status["counters"] ?? .null))")
  // What comes from a socket steers no terminal.
  return lines.map(\.printable)
}

private func radioText(_ radio: JSONValue) -> [String] {
  var lines = [
    "radio \(text(radio["spec"])): \(text(radio["state"])) for \(span(radio["sinceSeconds"])), last report "
      + (radio["lastReportAgeMs"]?.integer.map { "\(span(.integer($0 / 1_000))) ago" } ?? "never")
  ]
  if let problem = radio["problem"]?.string { lines.append("  problem: \(problem)") }
  if let controller = radio["controller"] {
    lines.append(
      "  controller: HCI version \(text(controller["hciVersion"])), manufacturer \(text(controller["manufacturer"])), "
        + "address \(text(controller["address"])), \(text(controller["commands"])) commands")
  }
  return lines
}

private func beaconText(_ beacons: JSONValue) -> [String] {
  guard let state = beacons["state"]?.string else { return [] }
  return ["beacons and answers: \(state)" + (beacons["problem"]?.string.map { "; \($0)" } ?? "")]
}

private func clockText(_ clock: JSONValue) -> [String] {
  var line = clock["trusted"] == true ? "clock trusted" : "clock untrusted"
  if let problem = clock["problem"]?.string { line += ": \(problem)" }
  if let moment = clock["timeFramesFrom"]?.string { line += "; time frames count from \(moment) on" }
  return [line]
}

private func doorText(_ door: JSONValue) -> [String] {
  var line = "door \(text(door["id"])) (\(text(door["name"]))): \(text(door["mode"]))"
  if let seconds = door["secondsLeft"], door["mode"] == "lockdown" {
    // The lockdown itself has no end.
    line += ", open for another \(span(seconds)) for who gets out"
  } else if let seconds = door["secondsLeft"] {
    line += seconds == .null ? " until somebody ends it" : " for another \(span(seconds))"
  }
  line += ", lock \(text(door["lock"]))"
  if let problem = door["problem"]?.string { line += " (\(problem))" }
  if let problem = door["openingProblem"]?.string { line += ", COULDN'T OPEN the last time (\(problem))" }
  if let percent = door["battery"]?.integer { line += ", its battery at \(percent) %" }
  if let contact = door["contact"]?.string {
    line += contact == "unknown" ? ", door not seen yet" : ", door \(contact)"
  }
  if let alarm = door["alarm"]?.string { line += ", ALARM: \(alarm)" }
  if let seconds = door["exitSeconds"] { line += ", somebody has asked to get out for \(span(seconds))" }
  for problem in door["inputProblems"]?.object?.members ?? [] {
    line += ", \(problem.key) can't be read (\(text(problem.value)))"
  }
  if let siren = door["siren"]?.string {
    line += siren == "failed" ? ", its siren FAILS (\(text(door["sirenProblem"])))" : ", siren \(siren)"
  }
  let end = door["bundle"]?["until"]?.string.map { ", ends \($0)" } ?? ""
  let bundle = "bundle \(text(door["bundle"]?["serial"]))\(end), \(credentialText(door["credentials"]))"
  return [line, "  \(bundle); takes \(freshnessText(door["freshness"]))"]
}

private func credentialText(_ count: JSONValue?) -> String {
  count == 1 ? "1 credential" : "\(text(count)) credentials"
}

private func freshnessText(_ freshness: JSONValue?) -> String {
  switch freshness?.string {
  case "either": "time and challenges"
  case "challenge": "challenges"
  default: text(freshness)
  }
}

private func ledgerText(_ ledger: JSONValue) -> [String] {
  var line = "ledger: last record \(ledger["lastRecord"]?.string ?? "none")"
  if let id = ledger["lastID"]?.integer { line += " (#\(id))" }
  if let problem = ledger["problem"]?.string { line += "; failing: \(problem)" }
  return [line]
}

private func reloadText(_ reloads: JSONValue) -> [String] {
  var line = "configuration of \(text(reloads["lastSuccess"]))"
  if let problem = reloads["problem"]?.string { line += "; a newer one was refused: \(problem)" }
  return [line]
}

/// What was never counted says nothing.
private func counterText(_ counters: JSONValue) -> String {
  let counted = (counters.object?.members ?? []).filter { $0.value != 0 }
  return counted.isEmpty ? ": all 0" : counted.map { " \($0.key)=\($0.value.text())" }.joined()
}

private func text(_ value: JSONValue?) -> String {
  switch value {
  case .string(let text): text
  case nil, .null: "unknown"
  case .some(let value): value.text()
  }
}

/// Seconds as people say them: `3 d 4 h`, `5 m 2 s`.
private func span(_ value: JSONValue?) -> String {
  guard let seconds = value?.integer else { return "unknown" }
  if seconds >= 86_400 { return "\(seconds / 86_400) d \(seconds / 3_600 % 24) h" }
  if seconds >= 3_600 { return "\(seconds / 3_600) h \(seconds / 60 % 60) m" }
  return seconds >= 60 ? "\(seconds / 60) m \(seconds % 60) s" : "\(seconds) s"
}
