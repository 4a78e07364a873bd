// The door controller (docs/cli.md, "latchkeyd").

import CommandLineTool
import POSIX

ProcessLimits.keepSecretsIn()
let program = Program(
  "latchkeyd", "A door that opens to a broadcast.",
  subcommands: [
    runCommand, replayCommand, checkCommand, statusCommand, healthCommand, radiosCommand,
    .notBuilt("test-lock", "Open and close a door's lock through the running daemon."),
    .notBuilt("log", "What a door has recorded."),
  ])

program.main()
