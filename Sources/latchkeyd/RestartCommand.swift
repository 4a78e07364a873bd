internal import CommandLineTool
internal import DoorController
internal import JSON
internal import Wording

let restartCommand = Subcommand(
  "restart", "Have the running daemon started anew as soon as every lock is closed.",
  options: [configurationOption, controlOption]
) { (arguments, output) throws(CommandError) in
  let answer: JSONValue
  let path = try arguments.controlPath()
  do throws(ControlError) { answer = try ControlClient.ask(.restart, at: path) } catch { throw CommandError(error) }
  output.emit(answer)
  let doors = (answer["waitsFor"]?.array ?? []).compactMap(\.string)
  output.say((doors.isEmpty ? "now" : "as soon as \(doors.joined(separator: ", ")) is closed").printable)
  return .done
}
