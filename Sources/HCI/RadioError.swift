public import POSIX

/// Why a radio isn't usable; the description says why in words, and what to do.
public enum RadioError: Error, Hashable, Sendable {
  /// The text names no radio.
  case badSpec(String, expected: String)
  /// The host's name has no address; the text is the resolver's own.
  case unknownHost(RadioSpec, reason: String)
  /// The radio couldn't be reached.
  case cannotOpen(RadioSpec, Errno)
  /// The adapter of the kernel can't be used, or not any more.
  case adapter(RadioSpec, AdapterProblem)
  /// The radio ended the stream.
  case ended
  /// Reading or writing failed.
  case failed(Errno)
  /// The stream holds something that begins no HCI packet.
  case badFraming(UInt8)
  /// A command had no reply in time.
  case noReply(Opcode)
  /// The controller gave no leave to send the next command in time.
  case noCredit
  /// The controller refused a command.
  case refused(Opcode, ControllerStatus)
  /// The controller knows no Bluetooth Low Energy.
  case noLowEnergy
  /// Extended advertising was asked for, which the controller doesn't know, or isn't to be told.
  case noExtendedAdvertising
  /// The controller reported a fault of its own (Hardware Error event).
  case hardwareError(UInt8)
  /// The capture file couldn't be written.
  case capture(String, Errno)
  /// The capture's path holds something that is no capture, and isn't overwritten.
  case notACapture(String)
  /// The system gave no thread or descriptor for the radio.
  case noResources(Errno)
  /// The radio isn't on the air in the time given.
  case notReady
  /// The radio was stopped before it was on the air.
  case stopped
}

extension RadioError {
  /// Whether trying again can't help: what was asked for has to change first.
  public var isPermanent: Bool {
    switch self {
    case .badSpec, .capture, .notACapture, .noLowEnergy, .noExtendedAdvertising, .stopped: true
    case .adapter(_, let problem): problem.isPermanent
    default: false
    }
  }

  /// Whether it is a permission that is missing: a capability, or access to a socket or device.
  public var isMissingPermission: Bool {
    switch self {
    case .adapter(_, .missingCapability), .cannotOpen(_, .permissionDenied), .cannotOpen(_, .notPermitted): true
    default: false
    }
  }
}

extension RadioError {
  /// Which kind of error it is, without its particulars: equal for what a door needs to hear of once.
  public var kind: String {
    switch self {
    case .ended, .failed: "ended"
    case .badFraming: "framing"
    case .noReply, .noCredit, .refused: "commands"
    case .hardwareError: "hardware"
    default: "\(self)"
    }
  }
}

extension RadioError: CustomStringConvertible {
  /// One line: what happened, and what to do about it.
  public var description: String {
    switch self {
    case .badSpec(let text, let expected): "radio \"\(text)\": expected \(expected)"
    case .unknownHost(let spec, let reason): "radio \(spec): the host has no address (\(reason)); correct its name"
    case .cannotOpen(let spec, let errno): "radio \(spec): \(openAdvice(spec, errno))"
    case .adapter(let spec, let problem): "radio \(spec): \(problem)"
    case .ended: "the radio ended the connection; see whether it still runs"
    case .failed(let errno): "the connection to the radio failed: \(errno)"
    case .badFraming(let byte):
      "the radio sent a packet of unknown type 0x\(hexadecimal(byte)); is there an HCI H4 stream at this place?"
    case .noReply(let opcode): "the radio didn't answer \(opcode) in time; reset or reconnect it"
    case .noCredit: "the radio accepts no more commands; reset or reconnect it"
    case .refused(let opcode, let status): "the radio refused \(opcode): \(status)"
    case .noLowEnergy: "the controller knows no Bluetooth Low Energy; use an adapter of Bluetooth 4.0 or later"
    case .noExtendedAdvertising:
      "the radio can't send extended advertisements: they need a controller of Bluetooth 5.0 and its extended commands"
    case .hardwareError(let code): "the radio reported a hardware error 0x\(hexadecimal(code)); reset or reconnect it"
    case .capture(let path, let errno): "capture \(path): \(errno)"
    case .notACapture(let path): "capture \(path): holds something else and isn't overwritten; name another file"
    case .noResources(let errno): "the system has no thread or descriptor left for the radio: \(errno)"
    case .notReady: "the radio isn't ready in time; see whether it still runs"
    case .stopped: "the radio was stopped"
    }
  }
}

/// What a failed attempt to open a radio means, and what to do.
private func openAdvice(_ spec: RadioSpec, _ errno: Errno) -> String {
  if case .serial = spec { return serialAdvice(errno) }
  return switch errno {
  case .connectionRefused: "nothing listens there (\(errno)); start the virtual radio, or correct the radio's text"
  case .noEntry: "there is no such socket (\(errno)); start the virtual radio, or correct the path"
  case .permissionDenied, .notPermitted: "no permission (\(errno)); see the socket's owner and mode"
  case .timedOut: "no answer (\(errno)); see whether the host is on and reachable"
  default: "\(errno)"
  }
}

private func serialAdvice(_ errno: Errno) -> String {
  switch errno {
  case .noEntry, .noSuchDevice: "there is no such device (\(errno)); plug it in, or correct the path"
  case .permissionDenied, .notPermitted: "no permission (\(errno)); put the user into the group of the device (dialout)"
  case .busy: "another process has the line open (\(errno)); end that (fuser names it)"
  case .notTerminal: "this is no serial line (\(errno)); correct the path"
  case .invalidArgument: "the device doesn't do this speed or flow control (\(errno)); try another, or none"
  case .inputOutput: "the device doesn't answer (\(errno)); unplug it and plug it in"
  default: "\(errno)"
  }
}
