internal import CommandLineTool
internal import DoorController
internal import JSON

let statusCommand = Subcommand(
  "status", "What the running daemon is and does.", options: [configurationOption, controlOption]
) { (arguments, output) throws(CommandError) in
  let status: JSONValue
  let path = try arguments.controlPath()
  do throws(ControlError) { status = try ControlClient.ask(.status, at: path) } catch { throw CommandError(error) }
  if output.json {
    output.emit(status)
  } else {
    for line in statusText(status) { output.say(line) }
  }
  return .done
}
