import AccessControl
import AirProtocol
import CommandLineTool
import JSON
import Provisioning

private let door = Operand("ID", idReader, "the door's id")
private let name = Option("--name", "TEXT", .text, "its name for people (default: the id)")
private let target = Option(
  "--target", "N", .integer(in: UInt16(1)...65535), "its number on the air (default: the next never given)")

let doorCommands = [
  Subcommand("door add", "add a door", operands: [door], options: [name, target]) {
    (arguments, output) throws(CommandError) in
    let id = try arguments.required(door)
    let name = try displayName(arguments[name] ?? id.text, option: "--name")
    let number = arguments[target].flatMap(DoorNumber.init(rawValue:))
    let added = try withSite(arguments) { (site) throws(SiteError) in
      try site.addDoor(id, name: name, number: number, now: now())
    }
    output.say("door \(added.id) “\(added.name)”: number \(added.number)")
    output.emit(added.json)
    return .done
  },
  Subcommand("door list", "all doors") { (arguments, output) throws(CommandError) in
    let doors = try withSite(arguments) { (site) throws(SiteError) in try site.doors() }
    for door in doors {
      output.emit(door.json)
      if !output.json { output.say(door.line) }
    }
    return .done
  },
  Subcommand("door show", "one door", operands: [door]) { (arguments, output) throws(CommandError) in
    let id = try arguments.required(door)
    let door = try withSite(arguments) { (site) throws(SiteError) in try site.door(id) }
    output.emit(door.json)
    if output.json { return .done }
    output.say("door \(door.id) “\(door.name)”")
    output.say("  number       \(door.number)")
    output.say("  last bundle  \(door.serial == 0 ? "none" : "serial \(door.serial)")")
    output.say("  credentials  \(door.credentials)")
    return .done
  },
  Subcommand("door remove", "remove a door; its number is never given again", operands: [door]) {
    (arguments, output) throws(CommandError) in
    let id = try arguments.required(door)
    let (removed, credentials) = try withSite(arguments) { (site) throws(SiteError) in try site.removeDoor(id) }
    output.say("door \(id) is removed; its number \(removed.number) is never given again")
    if credentials.isEmpty {
      output.say("no credential was for it")
    } else {
      output.say("lost by \(counted(credentials.count, "credential")): \(joined(credentials))")
    }
    output.emit([
      "removed": .string(id.text), "target": .integer(Int64(removed.number.rawValue)),
      "credentials": .array(credentials.map { .string($0.text) }),
    ])
    return .done
  },
  Subcommand("door replace", "a new number, for a new controller in the old one's place", operands: [door]) {
    (arguments, output) throws(CommandError) in
    let id = try arguments.required(door)
    let (old, new) = try withSite(arguments) { (site) throws(SiteError) in try site.replaceDoor(id, now: now()) }
    output.say("door \(id): number \(old.number) is now \(new.number); export a bundle for the new controller")
    if new.credentials > 0 {
      let files = "the files of \(counted(new.credentials, "credential")) name number \(old.number)"
      output.say("\(files): issue them new credentials, for neither rotate nor beacons are built yet")
    }
    output.emit(new.json)
    return .done
  },
]

extension SiteDoor {
  fileprivate var json: JSONValue {
    [
      "id": .string(id.text), "name": .string(name.text), "target": .integer(Int64(number.rawValue)),
      "serial": serial == 0 ? .null : .integer(serial), "credentials": .integer(Int64(credentials)),
    ]
  }

  fileprivate var line: String {
    "\(padded(id.text, 20))  \(padded("\(number)", 5))  \(padded(counted(credentials, "credential"), 16))  \(name)"
  }
}
