// The door controller (docs/cli.md, "latchkeyd").

import CommandLineTool
import POSIX

ProcessLimits.keepSecretsIn()
Signal.hearChildrenEnd()
// What a lock's program needs it gets by its user's groups; the radio's capabilities are none of it.
Privileges.bequeathNothing()
let program = Program(
  "latchkeyd", "A door that opens to a broadcast.",
  subcommands: [
    runCommand, replayCommand, checkCommand, statusCommand, healthCommand, testLockCommand,
    restartCommand, closeCommand, radiosCommand,
    .notBuilt("log", "What a door has recorded."),
  ])

program.main()
