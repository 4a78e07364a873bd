// The door controller (docs/cli.md, "latchkeyd").

import CommandLineTool
import POSIX

ProcessLimits.keepSecretsIn()
let program = Program(
  "latchkeyd", "A door that opens to a broadcast.",
  subcommands: [
    runCommand, replayCommand, checkCommand, radiosCommand,
    .notBuilt("test-lock", "Open and close a door's lock through the running daemon."),
    .notBuilt("status", "What the running daemon does."),
    .notBuilt("health", "Whether the running daemon is well."),
    .notBuilt("log", "What a door has recorded."),
  ])

program.main()
