import Advertising
import AirProtocol
import CommandLineTool
import Holder
import JSON
import LatchkeyCrypto
import POSIX
import Provisioning
import Wording

private let dataOperand = Operand(
  "HEX", ValueReader<[UInt8]>.bytes(1...1_650), "a frame of 16 bytes, or advertising data")
private let at = Option("--at", "T", .time, "explain by the time slots around this moment; default: now")
private let challenge = Option("--challenge", "HEX", challengeReader, "explain by this challenge of a door")

/// What advertising data or a frame is, for the given credentials.
let decode = Subcommand(
  "decode", "explain a frame or advertising data by the given credentials", operands: [dataOperand],
  options: [at, challenge]
) { (arguments, output) throws(CommandError) in
  let bytes = try arguments.required(dataOperand)
  let credentials = try credentials(arguments)
  if credentials.isEmpty { output.note("no --credential is given: only what everybody can see is told") }
  if arguments[at] != nil, arguments[challenge] != nil {
    throw .usage("decode: expected --at or --challenge, not both")
  }
  let frames = findFrames(in: bytes, credentials)
  tellStructures(bytes, output)
  var told: [JSONValue] = []
  do throws(CryptoError) {
    for (frame, carrier) in frames {
      let explanation = try Explanation(of: frame, to: credentials) { freshnesses(of: $0, arguments) }
      output.say("frame \(frame)\(carrier.map { " as \($0.rawValue)" } ?? ""): \(explanation.text)")
      told.append(json(frame, carrier, explanation))
    }
  } catch {
    throw CommandError(error)
  }
  if frames.isEmpty { output.say("no frame of the air protocol") }
  output.emit(["bytes": .integer(Int64(bytes.count)), "frames": .array(told)])
  return .done
}

/// The frames in 16 bytes, which are one, or in advertising data, which has 18 and more when it holds one.
private func findFrames(in bytes: [UInt8], _ credentials: [CredentialFile]) -> [(frame: Frame, carrier: Carrier?)] {
  if let frame = Frame(bytes: bytes) { return [(frame, nil)] }
  var frames: [(frame: Frame, carrier: Carrier?)] = []
  var markers = credentials.map(\.site.markers)
  if markers.isEmpty { markers = [.standard] }
  for markers in Set(markers) {
    FrameSearch.forEachFrame(in: bytes.span, markers: markers, limit: bytes.count) { frame, carrier in
      if !frames.contains(where: { $0.frame == frame && $0.carrier == carrier }) { frames.append((frame, carrier)) }
    }
  }
  return frames
}

private func freshnesses(of credential: CredentialFile, _ arguments: Arguments) -> [Freshness] {
  if let challenge = arguments[challenge] { return [.challenge(challenge)] }
  let moment = arguments[at] ?? .now()
  return credential.site.slotClock.acceptedSlots(at: moment.seconds).map { .time(slot: $0) }
}

private func tellStructures(_ bytes: [UInt8], _ output: Output) {
  if bytes.count == Frame.size { return }
  ADStructures.forEach(in: bytes.span) { type, content in
    output.say("\(type): \(Hexadecimal.text(content.indices.map { content[$0] }))")
  }
}

extension Explanation {
  /// For people, on one line.
  fileprivate var text: String {
    switch self {
    case .command(let plaintext, let door, let freshness):
      let command = plaintext.command.map { "\($0.name), argument \($0.argument)," }
      let malformed = "malformed (command \(plaintext.code), argument \(plaintext.argument), flags \(plaintext.flags))"
      return "\(command ?? malformed) of \(door.credential.id) to door \(door.id), \(text(of: freshness, door)), "
        + "sequence \(plaintext.sequence), press \(Hexadecimal.text([plaintext.press])), "
        + (plaintext.wantsAnswer ? "an answer is wanted" : "no answer is wanted")
    case .beacon(let beacon, let credential):
      let door = HeldDoor(beacon.door, of: credential)
      return
        "beacon of door \(door.id): \(beacon.state.state)\(beacon.state.doorOpen ? ", standing open" : ""), challenge \(beacon.challenge), clock "
        + "\(beacon.state.clockTrusted ? "trusted" : "not trusted"), slot … \(beacon.slotLow) (mod 256)"
    case .answer(let door, let freshness):
      return "an answer of door \(door.id) to \(door.credential.id), \(text(of: freshness, door)), by its hint; "
        + "reading it takes the command frame"
    case .foreign: return "foreign: not of these credentials' doors, or not of this time or challenge"
    }
  }

  private func text(of freshness: Freshness, _ door: HeldDoor) -> String {
    switch freshness {
    case .challenge(let challenge): return "challenge \(challenge)"
    case .time(let slot):
      let start = WallTime(seconds: door.credential.site.slotClock.start(ofSlot: slot))
      return "time slot \(slot) (from \(start.rfc3339(milliseconds: false)))"
    }
  }
}

private func json(_ frame: Frame, _ carrier: Carrier?, _ explanation: Explanation) -> JSONValue {
  var object: JSONObject = ["frame": .string("\(frame)"), "carrier": carrier.map { .string($0.rawValue) } ?? .null]
  switch explanation {
  case .command(let plaintext, let door, let freshness):
    object["kind"] = .string(plaintext.command == nil ? "malformed" : "command")
    add(door, freshness, to: &object)
    object["sequence"] = .integer(Int64(plaintext.sequence))
    object["command"] = plaintext.command.map { .string($0.name) } ?? .integer(Int64(plaintext.code))
    object["argument"] = .integer(Int64(plaintext.argument))
    object["answerWanted"] = .bool(plaintext.wantsAnswer)
    object["press"] = .string(Hexadecimal.text([plaintext.press]))
  case .beacon(let beacon, let credential):
    object["kind"] = "beacon"
    add(HeldDoor(beacon.door, of: credential), .challenge(beacon.challenge), to: &object)
    object["state"] = .string("\(beacon.state.state)")
    object["clockTrusted"] = .bool(beacon.state.clockTrusted)
    object["doorOpen"] = .bool(beacon.state.doorOpen)
    object["slotLow"] = .integer(Int64(beacon.slotLow))
  case .answer(let door, let freshness):
    object["kind"] = "answer"
    add(door, freshness, to: &object)
  case .foreign: object["kind"] = "foreign"
  }
  return .object(object)
}

private func add(_ door: HeldDoor, _ freshness: Freshness, to object: inout JSONObject) {
  object["credential"] = .string("\(door.credential.id)")
  object["door"] = .string(door.id)
  object["target"] = .integer(Int64(door.number.rawValue))
  object.add(freshness)
}
