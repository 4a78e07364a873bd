import AirProtocol
import CommandLineTool
import HCI
import Holder
import JSON
import POSIX
import Provisioning
import Wording

/// The door that is wanted, with its beacons heard meanwhile; nil where it couldn't be told, or the search was cancelled.
func find(
  _ wanted: WantedDoor, within limit: Duration, over broadcast: Broadcast, _ output: Output
) throws(CommandError) -> (door: HeldDoor, heard: BeaconLog)? {
  let credentials: [CredentialFile]
  switch wanted {
  case .held(let door): return (door, BeaconLog())
  case .nearest(let all): credentials = all
  }
  let found: NearestDoor.Outcome
  do throws(SendingError) { found = try NearestDoor(within: limit).find(among: credentials, over: broadcast) } catch {
    throw CommandError(error)
  }
  switch found {
  case .door(let nearest, let rivals):
    tell(nearest, rivals, output)
    return (nearest.door, nearest.log)
  case .unclear(let doors):
    let names = doors.prefix(8).map { title($0.door) }.joined(separator: ", ") + (doors.count > 8 ? ", …" : "")
    output.note(
      "this radio doesn't tell how strong a signal is, and several doors are heard (\(names)): name the one that you "
        + "want")
  case .nothing: output.note("no beacon of any door in \(limit.text): is one near, and does it send beacons?")
  case .cancelled: break
  }
  return nil
}

/// Which door it is, always: whoever says “nearest” doesn't know.
private func tell(_ nearest: ScannedDoor, _ rivals: [ScannedDoor], _ output: Output) {
  output.say("nearest is \(title(nearest.door)), \(nearest.signalText)")
  if let rival = rivals.first {
    let others = rivals.count > 1 ? ", and \(rivals.count - 1) more" : ""
    output.note("\(title(rival.door)) is about as near, \(rival.signalText)\(others)")
  }
  output.emit([
    "event": "nearest", "door": .string(nearest.door.id), "target": .integer(Int64(nearest.door.number.rawValue)),
    "credential": .string("\(nearest.door.credential.id)"),
    "rssi": nearest.strength.map { .integer(Int64($0)) } ?? .null,
    "rivals": .array(rivals.map { .string($0.door.id) }),
  ])
}

/// The last words where no door was found: nothing was sent.
func tellNoDoor(_ command: String, _ output: Output) -> ExitCode {
  output.say("nothing was sent")
  output.emit(["event": "ended", "door": nil, "command": .string(command), "answer": nil])
  return .noAnswer
}

extension WantedDoor {
  /// The door where it is known before anything is heard.
  var door: HeldDoor? { if case .held(let door) = self { door } else { nil } }
}

extension ScannedDoor {
  /// For people, for example `-54 dBm`.
  var signalText: String { strength.map { "\($0) dBm" } ?? "signal unknown" }
}
