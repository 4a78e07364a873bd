import AirProtocol
import CommandLineTool
import HCI
import Holder
import LatchkeyCrypto
import POSIX
import Provisioning

private let credentialOption = Option(
  "--credential", "FILE", .path, repeats: true, "a credential file; default: $LATCHKEY_CREDENTIAL")
private let radioOption = Option(
  "--radio", "SPEC", .text, "the radio, for example tcp:127.0.0.1:6402; default: hci:0")
private let takeOverFlag = Flag(
  "--take-over", "takes an adapter that is up from the kernel's own host (bluetoothd), and gives it back at the end")
private let stateOption = Option(
  "--state", "DIR", .path, "what was used; default: $XDG_STATE_HOME/latchkey or ~/.local/state/latchkey")
private let commandsOption = Option<CommandChoice>(
  "--radio-commands", "WORD", .word, "auto, legacy or extended HCI commands; default: auto")
private let pduOption = Option<AdvertisingPDU>(
  "--pdu", "WORD", .word, "legacy or extended advertisements, which few receivers hear; default: legacy")
private let captureOption = Option("--capture", "FILE", .path, "writes what the radio says and hears, as btsnoop")

/// What every subcommand takes.
let commonOptions: [any DeclaredOption] = [
  credentialOption, radioOption, takeOverFlag, commandsOption, pduOption, stateOption, captureOption,
]

let doorOperand = Operand("DOOR", .text, "an id of the credential file, or a door number")
let doorOrNearestOperand = Operand(
  "DOOR", .text, "an id of the credential file, a door number, or nearest: the one that is heard best")

/// The credentials that the command line or the environment names; none where neither does.
func credentials(_ arguments: Arguments) throws(CommandError) -> [CredentialFile] {
  var paths = arguments.all(credentialOption)
  if paths.isEmpty, let path = ProcessEnvironment["LATCHKEY_CREDENTIAL"] { paths = [path] }
  var credentials: [CredentialFile] = []
  for path in paths {
    do throws(CredentialFileError) { credentials.append(try CredentialFile.load(path)) } catch {
      if case .file(let error) = error { throw CommandError(file: error) }
      throw CommandError(.badInput, "\(path): \(error)")
    }
  }
  return credentials
}

/// The credentials that the command line or the environment names, at least one.
func requiredCredentials(_ arguments: Arguments) throws(CommandError) -> [CredentialFile] {
  let credentials = try credentials(arguments)
  if credentials.isEmpty { throw .usage("expected --credential FILE, or $LATCHKEY_CREDENTIAL") }
  return credentials
}

/// What the command line means by DOOR.
enum WantedDoor {
  case held(HeldDoor)
  /// The one of these credentials' sites that is heard best.
  case nearest([CredentialFile])
}

/// The door that the command line names, or how it is found.
func wantedDoor(_ arguments: Arguments) throws(CommandError) -> WantedDoor {
  let text = try arguments.required(doorOrNearestOperand)
  let credentials = try requiredCredentials(arguments)
  // A door whose id this is can be reached by its number.
  if text == "nearest" { return .nearest(credentials) }
  return .held(try heldDoor(text, among: credentials))
}

/// The door that the command line names, for a command without radio.
func heldDoor(_ arguments: Arguments) throws(CommandError) -> HeldDoor {
  let text = try arguments.required(doorOperand)
  if text == "nearest" { throw .usage("DOOR: nearest takes a radio to be found: expected an id or a door number") }
  return try heldDoor(text, among: try requiredCredentials(arguments))
}

private func heldDoor(_ text: String, among credentials: [CredentialFile]) throws(CommandError) -> HeldDoor {
  do throws(DoorLookupError) { return try HeldDoor.find(text, among: credentials) } catch {
    throw .usage("DOOR: \(error)")
  }
}

/// Where states lie.
func stateDirectory(_ arguments: Arguments) throws(CommandError) -> String {
  if let directory = arguments[stateOption] { return directory }
  if let directory = ProcessEnvironment["XDG_STATE_HOME"] { return "\(directory)/latchkey" }
  if let home = ProcessEnvironment["HOME"] { return "\(home)/.local/state/latchkey" }
  throw .usage("expected --state DIR: neither XDG_STATE_HOME nor HOME is set")
}

/// The radio that the command line names, and how it is used.
struct ChosenRadio {
  let spec: RadioSpec
  let options: Radio.Options
  let pdu: AdvertisingPDU
}

/// The radio that the command line names.
func radio(_ arguments: Arguments) throws(CommandError) -> ChosenRadio {
  do throws(RadioError) {
    let spec = try RadioSpec(arguments[radioOption] ?? "hci:0")
    let options = Radio.Options(
      capturePath: arguments[captureOption], reconnects: false, commands: arguments[commandsOption] ?? .automatic,
      takesOver: arguments[takeOverFlag])
    return ChosenRadio(spec: spec, options: options, pdu: arguments[pduOption] ?? .legacy)
  } catch {
    throw CommandError(radio: error)
  }
}

extension CommandError {
  init(radio error: RadioError) {
    let exit: ExitCode =
      switch error {
      case .badSpec: .usage
      case .capture, .notACapture: .cantWrite
      default: error.isMissingPermission ? .permission : .radio
      }
    self.init(exit, "\(error)")
  }

  init(_ error: HolderStateError) {
    switch error {
    case .file(let error): self.init(file: error)
    case .busy: self.init(.busy, "\(error)")
    case .damaged, .newer: self.init(.badInput, "\(error)")
    case .tooLarge, .crypto: self.init(.cantWrite, "\(error)")
    }
  }

  init(_ error: TransmissionError) {
    switch error {
    case .state(let error): self.init(error)
    case .crypto, .advertising: self.init(.cantWrite, "\(error)")
    }
  }

  /// OpenSSL failed: no fault of the caller's, and nothing to be had in another way.
  init(_ error: CryptoError) { self.init(.cantWrite, "\(error)") }
}
