import AccessControl
import Advertising
import AirProtocol
import CommandLineTool
import Holder
import JSON
import POSIX
import Provisioning
import Wording

/// How the freshness of a frame is chosen.
private enum FreshnessChoice: String, CaseIterable {
  case time
  case challenge
  case auto
}

private let seconds = Option("--seconds", "N", .integer(in: UInt8(1)...255), "how long; default: the door's own pulse")
private let minutes = Option("--minutes", "N", .integer(in: UInt8(1)...255), "how long; default: until released")
private let end = Flag("--end", "end the lockdown")
private let carrier = Option<Carrier>("--carrier", "WORD", .word, "uuid128, name or uuid16; default: uuid128")
private let freshness = Option<FreshnessChoice>(
  "--freshness", "WORD", .word, "time, challenge (not built yet) or auto, as the credential says; default: auto")
private let timeout = Option(
  "--timeout", "D", .duration(in: .milliseconds(50)...(.seconds(3_600))), "how long it is on the air; default: 3s")
private let noAnswer = Flag("--no-answer", "ask for no answer; answers aren't built yet, so none is asked for anyway")

/// The subcommands that broadcast a command to a door.
let doorCommands: [Subcommand] = [
  doorCommand("unlock", "open the door for a while", [seconds]) { .unlock(seconds: $0[seconds] ?? 0) },
  doorCommand("lock", "close the door") { _ in .lock },
  doorCommand("hold", "keep the door open", [minutes]) { .hold(minutes: $0[minutes] ?? 0) },
  doorCommand("release", "end a hold") { _ in .release },
  doorCommand("status", "ask how the door stands") { _ in .status },
  doorCommand("lockdown", "let nobody in, or end that", [end]) { .lockdown(end: $0[end]) },
  doorCommand("duress", "open the door as if nothing were wrong, and raise a silent alarm") { _ in .duress },
]

private func doorCommand(
  _ name: String, _ summary: String, _ options: [any DeclaredOption] = [],
  _ command: @escaping @Sendable (Arguments) -> Command
) -> Subcommand {
  Subcommand(
    name, summary, operands: [doorOperand], options: options + [carrier, freshness, timeout, noAnswer]
  ) { (arguments, output) throws(CommandError) in
    let door = try heldDoor(arguments)
    try requireTime(arguments[freshness] ?? .auto, door)
    let radio = try radio(arguments)
    let duration = arguments[timeout] ?? .seconds(3)
    let carrier = arguments[carrier] ?? .uuid128
    // Flag bit 0 stays 0 until doors answer.
    let intent = Intent(
      command(arguments), to: door, carrier: carrier, wantsAnswer: false,
      stateDirectory: try stateDirectory(arguments))
    warnIfRefused(intent, output)
    try onAir(radio) { (broadcast) throws(CommandError) in
      do throws(SendingError) {
        _ = try Sending(for: duration).send(intent, over: broadcast) { event in
          tell(event, intent, asked: carrier, output)
        }
      } catch {
        throw CommandError(error)
      }
    }
    tellEnd(intent, duration, output)
    return .done
  }
}

/// A credential that says challenge never falls back to time; one that says either does, for beacons aren't heard yet.
private func requireTime(_ choice: FreshnessChoice, _ door: HeldDoor) throws(CommandError) {
  switch (choice, door.listed?.freshness) {
  case (.challenge, _): throw .notBuilt("--freshness challenge")
  case (.auto, .challenge): throw .notBuilt("\(door.id) asks for challenges: --freshness challenge")
  case (.auto, _), (.time, _): break
  }
}

/// Who looks over the holder's shoulder sees an unlock.
private func shownName(_ command: Command) -> String {
  command == .duress ? Command.unlock(seconds: 0).name : command.name
}

/// The door decides, and the file may be older than its rules: this is no reason not to send.
private func warnIfRefused(_ intent: Intent, _ output: Output) {
  guard let listed = intent.door.listed else { return }
  if listed.freshness == .challenge {
    output.note("the credential's file says that \(listed.id) asks for challenges: it may refuse a time frame")
  }
  if let permission = Permission(rawValue: intent.command.name), !listed.commands.permits(permission) {
    let name = shownName(intent.command)
    output.note("the credential's file doesn't list \(name) for \(listed.id): the door may refuse it")
  }
}

private func tell(_ event: Sending.Event, _ intent: Intent, asked: Carrier, _ output: Output) {
  let name = shownName(intent.command)
  switch event {
  case .waiting(let moment):
    output.note("this time slot is used up or was before the state began: waiting until \(moment)")
  case .onAir(let transmission, let slotsBehind):
    if let slots = slotsBehind {
      let seconds = slots.multipliedReportingOverflow(by: UInt64(intent.door.credential.site.slotClock.slotSeconds))
      output.note(
        "the clock is \(seconds.overflow ? UInt64.max : seconds.partialValue) s behind this credential's last "
          + "use: it is wrong, or it was; the door may refuse the frame")
    }
    if transmission.carrier != asked {
      output.note("\(asked.rawValue) can't carry this frame: it goes as \(transmission.carrier.rawValue)")
    }
    output.say("broadcasting \(name) to \(title(intent.door)) as \(transmission.carrier.rawValue)")
    output.emit(json(transmission, intent))
  }
}

private func tellEnd(_ intent: Intent, _ duration: Duration, _ output: Output) {
  output.say(
    "broadcast \(shownName(intent.command)) for \(duration.text); doors don't answer yet, so what the door did isn't known"
  )
  output.emit([
    "event": "ended", "door": .string(intent.door.id), "target": .integer(Int64(intent.door.number.rawValue)),
    "command": .string(shownName(intent.command)), "answer": nil,
  ])
}

private func title(_ door: HeldDoor) -> String {
  door.listed.map { "\($0.id) (\($0.name))" } ?? "door \(door.number)"
}

private func json(_ transmission: Transmission, _ intent: Intent) -> JSONValue {
  let plaintext = transmission.plaintext
  var object: JSONObject = [
    "event": "broadcast", "door": .string(intent.door.id),
    "target": .integer(Int64(intent.door.number.rawValue)),
    "credential": .string("\(intent.door.credential.id)"),
    "command": .string(shownName(intent.command)), "argument": .integer(Int64(plaintext.argument)),
    "freshness": "time",
  ]
  if case .time(let slot) = transmission.freshness { object["slot"] = .integer(Int64(clamping: slot)) }
  object["sequence"] = .integer(Int64(plaintext.sequence))
  object["press"] = .string(Hexadecimal.text([plaintext.press]))
  object["carrier"] = .string(transmission.carrier.rawValue)
  object["frame"] = .string("\(transmission.frame)")
  object["advertisingData"] = .string(Hexadecimal.text(transmission.data.bytes))
  return .object(object)
}

extension CommandError {
  fileprivate init(_ error: SendingError) {
    switch error {
    case .radio(let error): self.init(radio: error)
    case .transmission(let error): self.init(error)
    case .usedUp(let moment):
      self.init(
        .busy,
        "the clock is behind this credential's last use, and every time slot until \(moment) is used up: "
          + "correct the clock, or try then")
    }
  }
}
