internal import CommandLineTool
internal import DoorController
internal import JSON

private let configuration = Option("--config", "FILE", .path, required: true, "the door's configuration")
private let state = Option("--state", "DIR", .path, "the folder of the state to go on from, instead of a fresh one")
private let capture = Operand("CAPTURE", .path, "a btsnoop capture, as --capture or btmon -w writes it")

let replayCommand = Subcommand(
  "replay", "Take recorded adverts the way of the air; the lock is a dry run.", operands: [capture],
  options: [configuration, state]
) { (arguments, output) throws(CommandError) in
  let path = try arguments.required(capture)
  let summary: JSONObject
  do throws(DaemonError) {
    summary = try Replay.run(
      configurationPath: arguments.path(configuration), capturePath: path, stateDirectory: arguments[state]
    ) { event in tell(event, output) }
  } catch {
    throw CommandError(error)
  }
  // The summary is the result in either form.
  let line = JSONValue.object(["summary": .object(summary)])
  if output.json { output.emit(line) } else { output.say(line.text()) }
  return .done
}
