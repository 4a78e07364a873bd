internal import CommandLineTool
internal import DoorController
internal import HCI
internal import JSON
internal import POSIX

private let configuration = Option("--config", "FILE", .path, required: true, "the door's configuration")
private let capture = Option("--capture", "FILE", .path, "write all packets of the radio there (btsnoop)")
private let acceptClock = Flag(
  "--accept-clock", "take a clock that is behind the last record for right, this once")
private let takeOver = Flag(
  "--take-over", "take an adapter that is up from the kernel's own host (bluetoothd), and give it back at the end")

let runCommand = Subcommand(
  "run", "Be the door: listen, verify, decide, record, open.",
  options: [configuration, capture, acceptClock, takeOver]
) { (arguments, output) throws(CommandError) in
  do throws(DaemonError) {
    // The daemon comes first: it blocks the signals that it listens to, for all threads after it.
    let writer = Monitor<EventWriter?>(nil)
    let daemon = try Daemon(
      configurationPath: arguments.path(configuration), capturePath: arguments[capture],
      acceptsClock: arguments[acceptClock], takesOver: arguments[takeOver]
    ) { event in writer.withLock(waking: false) { $0 }?.add(event) }
    let events = try eventWriter(output)
    writer.withLock(waking: false) { $0 = events }
    defer { events.finish(within: .milliseconds(500)) }
    try daemon.run()
  } catch {
    throw CommandError(error)
  }
  return .done
}

/// Events have an output of their own: where their reader stalls, they hold its lock, and the command still ends.
private func eventWriter(_ output: Output) throws(DaemonError) -> EventWriter {
  do { return try EventWriter(Output(json: output.json)) } catch { throw .system("no thread for events: \(error)") }
}

/// An event as a line for people, or as a JSON object with `--json`.
func tell(_ event: DoorEvent, _ output: Output) {
  if output.json { output.emit(.object(event.json)) } else { output.say(event.line) }
}

extension Arguments {
  /// The path that a required option names; the parser has seen to it that it is there.
  func path(_ option: Option<String>) -> String { self[option] ?? "" }
}

extension CommandError {
  /// A daemon's error with the exit code of the contract.
  init(_ error: DaemonError) {
    if case .file(let error) = error {
      self.init(file: error)
      return
    }
    let exit: ExitCode =
      switch error {
      case .badInput, .file: .badInput
      case .unknownID: .usage
      case .radio(.capture), .radio(.notACapture): .cantWrite
      case .radio(let error): error.isMissingPermission ? .permission : .radio
      case .lockFailed: .lockFailed
      case .busy, .system: .busy
      case .cantWrite: .cantWrite
      case .permission: .permission
      }
    self.init(exit, "\(error)")
  }
}
