internal import AccessControl
internal import CommandLineTool
internal import DoorController
internal import JSON
internal import Wording

private let door = Operand("DOOR", .identifier, "the door's id")
private let seconds = Option(
  "--seconds", "N", .integer(in: UInt8(1)...255), "open for so long, instead of the door's own pulse")

let testLockCommand = Subcommand(
  "test-lock", "Open and close a door's lock through the running daemon.", operands: [door],
  options: [seconds, configurationOption, controlOption]
) { (arguments, output) throws(CommandError) in
  let id = try arguments.required(door)
  let path = try arguments.controlPath()
  let report: JSONValue
  do throws(ControlError) {
    // A daemon whose door's thread hangs says so at once here, and not when the test's own time is over.
    _ = try ControlClient.ask(.health, at: path)
    report = try ControlClient.ask(.testLock(door: id, seconds: arguments[seconds] ?? 0), at: path)
  } catch {
    throw CommandError(error)
  }
  output.emit(report)
  for line in testText(report) { output.say(line.printable) }
  let detail = "door \(id): \(report["detail"]?.string ?? "it isn't known why")"
  switch report["failure"]?.string {
  case nil: return .done
  case "lockdown":
    output.say("lockdown: \(detail)".printable)
    return .denied
  case "unknown-door": throw CommandError(.usage, detail)
  case "already-open", "not-recorded": throw CommandError(.busy, detail)
  case "lock-failed", _: throw CommandError(.lockFailed, detail)
  }
}

/// What moved when, as lines for people.
private func testText(_ report: JSONValue) -> [String] {
  guard let id = report["id"]?.integer, let pulse = report["pulseMs"]?.integer else { return [] }
  let head = "test of \(report["door"]?.string ?? "the door"), #\(id), for \(pulse) ms"
  return [head]
    + (report["moves"]?.array ?? []).map { move in
      "\(move["lock"]?.string ?? "unknown") after \(move["afterMs"]?.integer ?? 0) ms"
    }
}
