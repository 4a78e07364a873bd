import AirProtocol
import CommandLineTool
import Holder
import LatchkeyCrypto
import POSIX
import Provisioning

private let name = Option(
  "--command", "NAME",
  ValueReader(expected: "one of \(Command.names.joined(separator: ", "))", words: Command.names) {
    Command.names.contains($0) ? $0 : nil
  }, required: true, "unlock, lock, hold, release, status, lockdown or duress")
private let argument = Option("--argument", "N", .integer(in: UInt8(0)...255), "the command's argument; default: 0")
private let at = Option("--at", "T", .time, "the moment whose time slot makes it fresh")
private let challenge = Option("--challenge", "HEX", challengeReader, "the door's challenge that makes it fresh")
private let sequence = Option(
  "--sequence", "N", .integer(in: UInt8(0)...255), required: true, "rises with each new frame of a slot")
private let press = Option(
  "--press", "HEX", ValueReader<UInt8>.hexadecimal(digits: 2), required: true, "the number of the intent")
private let noAnswer = Flag("--no-answer", "ask for no answer")

/// A challenge is eight bytes whose first bit is 1; anything else could be a time slot.
let challengeReader = ValueReader<Challenge>(expected: "16 hexadecimal digits, the first 8 or more") { text in
  ValueReader<UInt64>.hexadecimal(digits: 16).read(text).flatMap(Challenge.init(bytes:))
}

/// A frame without radio and state: the one place where a caller chooses sequence and press.
let payload = Subcommand(
  "payload", "make a command frame in every form, without radio and state", operands: [doorOperand],
  options: [name, argument, at, challenge, sequence, press, noAnswer]
) { (arguments, output) throws(CommandError) in
  let door = try heldDoor(arguments)
  let name = try arguments.required(name)
  let argument = arguments[argument] ?? 0
  guard let command = Command(name: name, argument: argument) else {
    throw .usage("--argument: \(name) takes \(name == "lockdown" ? "0 or 1" : "0"), not \(argument)")
  }
  let plaintext = CommandPlaintext(
    sequence: try arguments.required(sequence), command: command, press: try arguments.required(press),
    wantsAnswer: !arguments[noAnswer])
  let freshness = try chosenFreshness(arguments, door)
  do throws(CryptoError) { output.print(try Payload(plaintext, to: door, under: freshness).json) } catch {
    throw CommandError(error)
  }
  return .done
}

private func chosenFreshness(_ arguments: Arguments, _ door: HeldDoor) throws(CommandError) -> Freshness {
  switch (arguments[at], arguments[challenge]) {
  case (let moment?, nil) where moment.seconds < 0:
    throw .usage("--at: expected a time from 1970 on; slots begin there")
  case (let moment?, nil): return .time(slot: door.credential.site.slotClock.slot(at: moment.seconds))
  case (nil, let challenge?): return .challenge(challenge)
  case (nil, nil): throw .usage("payload: expected --at T or --challenge HEX")
  case (_?, _?): throw .usage("payload: expected --at or --challenge, not both")
  }
}
