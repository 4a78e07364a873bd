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
private enum FreshnessWord: String, CaseIterable {
  case time
  case challenge
  /// As the credential's file says.
  case auto
}

private let seconds = Option("--seconds", "N", .integer(in: UInt8(1)...255), "how long; default: the door's own pulse")
private let minutes = Option("--minutes", "N", .integer(in: UInt8(1)...255), "how long; default: until released")
private let end = Flag("--end", "end the lockdown")
private let carrier = Option<Carrier>("--carrier", "WORD", .word, "uuid128, name or uuid16; default: uuid128")
private let freshness = Option<FreshnessWord>(
  "--freshness", "WORD", .word, "time, challenge or auto, as the credential says; default: auto")
private let timeout = Option(
  "--timeout", "D", .duration(in: .milliseconds(50)...(.seconds(3_600))),
  "how long the door may take to answer; default: 3s")
private let noAnswer = Flag("--no-answer", "send for the whole time-out, and ask for no answer")

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
    name, summary, operands: [doorOrNearestOperand], options: options + [carrier, freshness, timeout, noAnswer]
  ) { (arguments, output) throws(CommandError) in
    let wanted = try wantedDoor(arguments)
    let command = command(arguments)
    let word = arguments[freshness] ?? .auto
    let wantsAnswer = !arguments[noAnswer]
    let radio = try radio(arguments)
    let duration = arguments[timeout] ?? .seconds(3)
    let carrier = arguments[carrier] ?? .uuid128
    let stateDirectory = try stateDirectory(arguments)
    // Without an answer or a beacon to wait for there is nothing to scan for.
    let listens = wantsAnswer || wanted.door.map { freshnessChoice(word, $0) != .time } ?? true
    var sent: (intent: Intent, outcome: Sending.Outcome)?
    // By what the last frame was fresh; nil: nothing has been sent.
    var freshness: Freshness?
    try onAir(radio, listens: listens) { (broadcast) throws(CommandError) in
      guard let (door, heard) = try find(wanted, within: duration, over: broadcast, output) else { return }
      let intent = Intent(
        command, to: door, carrier: carrier, wantsAnswer: wantsAnswer, stateDirectory: stateDirectory)
      let choice = freshnessChoice(word, door)
      warnIfRefused(intent, choice, output)
      do throws(SendingError) {
        let outcome = try Sending(for: duration).send(intent, by: choice, over: broadcast, heard: heard) { event in
          if case .onAir(let transmission, _) = event { freshness = transmission.freshness }
          tell(event, intent, asked: carrier, output)
        }
        sent = (intent, outcome)
      } catch {
        let known = CommandError(error)
        guard case .radio = error, freshness != nil else { throw known }
        throw CommandError(known.exit, "\(known.message); what the door did isn't known")
      }
    }
    guard let (intent, outcome) = sent else { return tellNoDoor(shownName(command), output) }
    return tellEnd(outcome, intent, by: freshness, wantsAnswer: wantsAnswer, duration, output)
  }
}

/// A credential that says challenge never falls back to time.
private func freshnessChoice(_ word: FreshnessWord, _ door: HeldDoor) -> FreshnessChoice {
  switch (word, door.listed?.freshness) {
  case (.time, _), (.auto, .time): .time
  case (.challenge, _), (.auto, .challenge): .challenge
  // A door that the file doesn't list may be either.
  case (.auto, _): .either
  }
}

/// Who looks over the holder's shoulder sees an unlock.
private func shownName(_ command: Command) -> String {
  command == .duress ? Command.unlock(seconds: 0).name : command.name
}

/// The door decides, and the file may be older than its rules: this is no reason not to send.
private func warnIfRefused(_ intent: Intent, _ choice: FreshnessChoice, _ output: Output) {
  guard let listed = intent.door.listed else { return }
  if choice == .time, listed.freshness == .challenge {
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

/// The last words, and what they are to a script.
private func tellEnd(
  _ outcome: Sending.Outcome, _ intent: Intent, by freshness: Freshness?, wantsAnswer: Bool, _ duration: Duration,
  _ output: Output
) -> ExitCode {
  let name = shownName(intent.command)
  var object: JSONObject = [
    "event": "ended", "door": .string(intent.door.id), "target": .integer(Int64(intent.door.number.rawValue)),
    "command": .string(name),
  ]
  defer { output.emit(.object(object)) }
  switch outcome {
  case .answered(let answer):
    object["answer"] = answer.json
    output.say("\(title(intent.door)): \(answer.words(to: name))")
    if answer.result == .freshnessRefused, let sent = freshness {
      output.note(
        "the door takes no \(sent.isSlot ? "time frame" : "challenge") now; the other way is --freshness \(sent.isSlot ? "challenge" : "time")"
      )
    }
    return answer.result.exit
  case .noBeacon:
    object["answer"] = .some(.null)
    output.say(
      "no beacon of \(title(intent.door)) in \(duration.text): nothing was sent; is the door near, and does it send beacons?"
    )
    return .noAnswer
  case .noFreshChallenge:
    object["answer"] = .some(.null)
    output.say(
      "\(title(intent.door)) still shows a challenge that was used, and showed no other in \(duration.text): nothing was sent; try "
        + "again in a moment")
    return .busy
  case .over where wantsAnswer:
    object["answer"] = .some(.null)
    output.say("no answer from \(title(intent.door)) in \(duration.text): what it did isn't known")
    return .noAnswer
  case .over, .cancelled:
    object["answer"] = .some(.null)
    output.say("broadcast \(name) for \(duration.text); no answer was asked for")
    return .done
  }
}

extension Freshness {
  fileprivate var isSlot: Bool { if case .time = self { true } else { false } }
}

extension AnswerResult {
  /// What it is to a script (docs/cli.md, "exit").
  fileprivate var exit: ExitCode {
    switch self {
    case .done: .done
    case .lockFailed: .lockFailed
    default: .denied
    }
  }
}

extension Answer {
  fileprivate func words(to command: String) -> String {
    let how = detail == 0 ? "" : detail == Answer.noEnd ? ", until it is ended" : ", for \(detail) s"
    return "\(command) \(result); it is \(state.state)\(how)\(state.doorOpen ? ", and stands open" : "")"
  }

  fileprivate var json: JSONValue {
    [
      "result": .integer(Int64(result.rawValue)), "meaning": .string("\(result)"), "state": .string("\(state.state)"),
      "clockTrusted": .bool(state.clockTrusted), "doorOpen": .bool(state.doorOpen), "detail": .integer(Int64(detail)),
    ]
  }
}

/// How a door is named to people.
func title(_ door: HeldDoor) -> String {
  door.listed.map { "\($0.id) (\($0.name))" } ?? "door \(door.number)"
}

private func json(_ transmission: Transmission, _ intent: Intent) -> JSONValue {
  let plaintext = transmission.plaintext
  var object: JSONObject = [
    "event": "broadcast", "door": .string(intent.door.id),
    "target": .integer(Int64(intent.door.number.rawValue)),
    "credential": .string("\(intent.door.credential.id)"),
    "command": .string(shownName(intent.command)), "argument": .integer(Int64(plaintext.argument)),
  ]
  object.add(transmission.freshness)
  object["sequence"] = .integer(Int64(plaintext.sequence))
  object["press"] = .string(Hexadecimal.text([plaintext.press]))
  object["carrier"] = .string(transmission.carrier.rawValue)
  object["frame"] = .string("\(transmission.frame)")
  object["advertisingData"] = .string(Hexadecimal.text(transmission.data.bytes))
  return .object(object)
}

extension JSONObject {
  /// By what a frame is fresh.
  mutating func add(_ freshness: Freshness) {
    switch freshness {
    case .time(let slot):
      self["freshness"] = "time"
      self["slot"] = .integer(Int64(clamping: slot))
    case .challenge(let challenge):
      self["freshness"] = "challenge"
      self["challenge"] = .string("\(challenge)")
    }
  }
}

extension CommandError {
  init(_ error: SendingError) {
    switch error {
    case .radio(let error): self.init(radio: error)
    case .transmission(let error): self.init(error)
    case .clockOff(let slots):
      self.init(
        .busy,
        "this device's clock is \(abs(slots)) time slots \(slots > 0 ? "behind" : "ahead of") the door's, or further by a multiple of 256: "
          + "the door wouldn't take its frames; correct the clock, or use --freshness challenge")
    case .usedUp(let moment):
      self.init(
        .busy,
        "no time frame may be sent before \(moment): a challenge was used just before, or the clock is behind this "
          + "credential's last use; use a challenge, correct the clock, or try then")
    }
  }
}
