// The relay guard (docs/cli.md, "latchkey-relay"): holds one line for one lock, and nothing else.

import GPIO
import Glibc
import POSIX
import RelayGuard

/// How long a predecessor may take to let go of the line.
let patience = Duration.seconds(3)

/// Ends a guard that has no line.
func fail(_ complaint: String) -> Never {
  do throws(Errno) { try StandardStream.output.writeAll(Array(RelayAnswer.error(complaint).line.utf8)) } catch {}
  exit(69)
}

func requestLine(_ options: RelayOptions) -> GPIOLine {
  let limit = BootInstant.now() + patience
  while true {
    do throws(GPIOError) {
      return try GPIOLine(options.line, consumer: options.consumer)
    } catch {
      guard error.isBusy, BootInstant.now() < limit else { fail(error.description) }
      usleep(10_000)
    }
  }
}

/// Holds the line until the end.
func holdLine(_ options: RelayOptions) throws(Errno) -> GuardEnd {
  try Privileges.closeInherited()
  // From here on SIGKILL, SIGSTOP and the program's own faults alone come between an open line and its shutting.
  let signals = try SignalQueue(blocking: Signal.endingOrStopping)
  let line = requestLine(options)
  try Privileges.renounce(becoming: options.user, descriptors: 2)
  var relay = RelayGuard(
    line, heartbeat: options.heartbeat, input: FileDescriptor(takingOwnershipOf: STDIN_FILENO),
    output: FileDescriptor(takingOwnershipOf: STDOUT_FILENO))
  return relay.run(endingOn: signals)
}

guard let options = RelayOptions(arguments: Array(CommandLine.arguments.dropFirst())) else {
  do throws(Errno) { try StandardStream.error.writeAll(Array((RelayOptions.usage + "\n").utf8)) } catch {}
  exit(2)
}
do throws(Errno) {
  switch try holdLine(options) {
  case .released: exit(0)
  case .nonsense: exit(65)
  case .failed: exit(69)
  }
} catch {
  fail("the guard can't be one: \(error)")
}
