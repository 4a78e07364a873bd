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
    var object: JSONObject = ["door": .string(outcome.door.text), "closed": .bool(outcome.failure == nil)]
    object["problem"] = outcome.failure.map { .string($0) }
    output.emit(.object(object))
    output.say("\(outcome.door) \(outcome.failure.map { "isn't closed: \($0)" } ?? "closed")".printable)
  }
  guard report.outcomes.allSatisfy({ $0.failure == nil }) else {
    throw CommandError(.lockFailed, "a lock couldn't be closed; see to it")
  }
  if let problem = report.problem { throw CommandError(problem) }
  return .done
}
