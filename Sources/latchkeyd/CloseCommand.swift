internal import AccessControl
internal import CommandLineTool
internal import DoorController
internal import JSON
internal import Wording

private let configuration = Option("--config", "FILE", .path, required: true, "whose locks are closed")

let closeCommand = Subcommand(
  "close", "Close every lock of a configuration that no daemon is in charge of.", options: [configuration]
) { (arguments, output) throws(CommandError) in
  let report: LockClosing.Report
  do throws(DaemonError) {
    report = try LockClosing.run(configurationPath: arguments.path(configuration))
  } catch {
    throw CommandError(error)
  }
  for outcome in report.outcomes {
    var object: JSONObject = ["door": .string(outcome.door.text)]
    if outcome.isSiren {
      object["siren"] = outcome.failure == nil ? "off" : "failed"
    } else {
      object["closed"] = .bool(outcome.failure == nil)
    }
    if outcome.isOfLastRun { object["lastRun"] = true }
    object["problem"] = outcome.failure.map { .string($0) }
    output.emit(.object(object))
    let (name, state) = outcome.isSiren ? ("\(outcome.door)'s siren", "off") : ("\(outcome.door)", "closed")
    let remark = outcome.isOfLastRun ? " (as of the last run)" : ""
    output.say("\(name)\(remark) \(outcome.failure.map { "isn't \(state): \($0)" } ?? state)".printable)
  }
  let failed = report.outcomes.filter { $0.failure != nil }
  if failed.contains(where: { !$0.isSiren }) {
    throw CommandError(.lockFailed, "a lock couldn't be closed; see to it")
  }
  if !failed.isEmpty { throw CommandError(.lockFailed, "a siren couldn't be switched off; see to it") }
  if !report.warnings.isEmpty { throw CommandError(.lockFailed, report.warnings.joined(separator: "; ")) }
  if let problem = report.problem { throw CommandError(problem) }
  return .done
}
