internal import CommandLineTool
internal import DoorController
internal import JSON
internal import Wording

let healthCommand = Subcommand(
  "health", "Whether the running daemon is well: exit 0 or 1, and one line that says why not.",
  options: [configurationOption, controlOption]
) { (arguments, output) throws(CommandError) in
  let health: JSONValue
  let path = try arguments.controlPath()
  do throws(ControlError) { health = try ControlClient.ask(.health, at: path) } catch {
    // Who may not ask knows nothing of the daemon; one that doesn't answer isn't well.
    if case .notPermitted = error { throw CommandError(error) }
    health = [
      "well": false, "problems": [["problem": .string(error.code), "detail": .string("\(error)")]], "warnings": [],
    ]
  }
  output.emit(health)
  if !output.json { output.say(healthLine(health)) }
  return health["well"] == true ? .done : .no
}

/// One line: `well`, or every reason why not; warnings behind either.
func healthLine(_ health: JSONValue) -> String {
  let details = { (key: String) in (health[key]?.array ?? []).compactMap { $0["detail"]?.string } }
  let (problems, warnings) = (details("problems"), details("warnings"))
  let well = health["well"] == true
  var line = well ? "well" : "not well: " + (problems.isEmpty ? "no reason given" : problems.joined(separator: "; "))
  if !warnings.isEmpty { line += "; warning: " + warnings.joined(separator: "; ") }
  return line.printable
}
