// The program of a holder: a gateway, a kiosk, a vehicle, an installer, a test (docs/cli.md, "latchkey").

import CommandLineTool
import POSIX

ProcessLimits.keepSecretsIn()
Program(
  "latchkey", "Opens doors by broadcast: a holder's program.", options: commonOptions,
  subcommands: doorCommands + [
    scan, payload, decode, broadcast,
  ]
).main()
