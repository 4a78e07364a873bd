import AirProtocol
import CommandLineTool
import HCI
import Holder
import JSON
import LatchkeyCrypto
import POSIX
import Provisioning
import Wording

private let seconds = Option(
  "--seconds", "N", .seconds(in: .milliseconds(50)...(.seconds(86_400))),
  "how long; default: until interrupted on a terminal, else 10")

/// The doors nearby: a list that is drawn anew on a terminal, else a JSON line for each change and a table at the end.
let scan = Subcommand(
  "scan", "doors nearby and their state, by their beacons", options: [seconds]
) { (arguments, output) throws(CommandError) in
  let credentials = try requiredCredentials(arguments)
  var scan: DoorScan
  do throws(CryptoError) { scan = try DoorScan(credentials) } catch { throw CommandError(error) }
  let namesSites = Set(credentials.map(\.site.id)).count > 1
  let limit = arguments[seconds] ?? (output.isLive ? nil : .seconds(10))
  var heard = 0
  var live = output.isLive ? LiveText(output) : nil
  try onAir(try radio(arguments), listens: true) { (broadcast) throws(CommandError) in
    let end = limit.map { BootInstant.now() + $0 }
    var next = BootInstant.now()
    while true {
      if BootInstant.now() >= next {
        next = .now() + .milliseconds(250)
        live?.draw([headline(scan, limit)] + table(scan.doors, namesSites))
      }
      var changes: [DoorScan.Change] = []
      let listening: Listening
      do throws(RadioError) {
        listening = try broadcast.listen(until: min(next, end ?? next)) { data, rssi in
          changes += scan.take(data, rssi: rssi, at: .now(), wall: .now())
          return !changes.isEmpty
        }
      } catch {
        throw CommandError(radio: error)
      }
      changes += scan.expire(at: .now())
      for change in changes {
        if case .appeared = change { heard += 1 }
        if live == nil { output.print(json(change)) }
      }
      if listening == .cancelled { return }
      if let end, BootInstant.now() >= end { return }
    }
  }
  let rows = table(scan.doors, namesSites)
  live?.draw(rows)
  if live == nil {
    for line in rows { output.note(line) }
    output.print(["event": "ended", "doors": .integer(Int64(scan.doors.count))])
  }
  if heard > 0 { return .done }
  output.note("no beacon of these credentials' sites: is a door near, and does it send beacons?")
  return .noAnswer
}

private func headline(_ scan: DoorScan, _ limit: Duration?) -> String {
  let count = scan.doors.count
  let doors = count == 1 ? "1 door" : "\(count) doors"
  return "\(doors), \(limit.map { "for \($0.text)" } ?? "until Ctrl-C")"
}

/// A row for each door, the columns below each other.
private func table(_ doors: [ScannedDoor], _ namesSites: Bool) -> [String] {
  if doors.isEmpty { return [] }
  let rows = [["door", "name", "state", "signal", "takes", ""]] + doors.map { cells($0, namesSites) }
  let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
  return rows.map { row in
    let line = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
    return String(line.reversed().drop { $0 == " " }.reversed())
  }
}

private func cells(_ door: ScannedDoor, _ namesSites: Bool) -> [String] {
  let site = door.door.credential.site
  let name = door.door.listed.map { "\($0.name)" } ?? ""
  var remarks: [String] = []
  if door.beacon.state.doorOpen { remarks.append("stands open") }
  if let slots = door.slotsAhead, !door.clockAgrees {
    let seconds = abs(slots) * site.slotClock.slotSeconds
    remarks.append("its clock is \(seconds) s or more \(slots > 0 ? "ahead of" : "behind") this one")
  }
  if namesSites { remarks.append("at \(site.name)") }
  return [
    door.door.id, name, "\(door.beacon.state.state)", door.signalText, door.freshnessWords.joined(separator: ", "),
    remarks.joined(separator: ", "),
  ]
}

private func json(_ change: DoorScan.Change) -> JSONValue {
  let (event, door): (String, ScannedDoor) =
    switch change {
    case .appeared(let door): ("appeared", door)
    case .changed(let door): ("changed", door)
    case .gone(let door): ("gone", door)
    }
  let held = door.door
  return [
    "time": .string(WallTime.now().description), "event": .string(event), "site": .string("\(held.credential.site.id)"),
    "door": .string(held.id), "target": .integer(Int64(held.number.rawValue)),
    "name": held.listed.map { .string("\($0.name)") } ?? .null, "credential": .string("\(held.credential.id)"),
    "state": .string("\(door.beacon.state.state)"), "doorOpen": .bool(door.beacon.state.doorOpen),
    "freshness": .array(door.freshnessWords.map(JSONValue.string)),
    "rssi": door.strength.map { .integer(Int64($0)) } ?? .null,
    "challenge": .string("\(door.beacon.challenge)"),
    "slotsAhead": door.slotsAhead.map { .integer(Int64($0)) } ?? .null,
  ]
}

extension ScannedDoor {
  /// What the door says it takes: a challenge always, for it shows one.
  fileprivate var freshnessWords: [String] { takesTime ? ["challenge", "time"] : ["challenge"] }
}
