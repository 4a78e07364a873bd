// The key keeper of a site (docs/cli.md): its doors and credentials, the holders' files and the doors' bundles.

import CommandLineTool
import POSIX

ProcessLimits.keepSecretsIn()
let program = Program(
  "latchkey-keys", "The key keeper of a site: its doors, its credentials, and the bundles that doors run on.",
  options: [siteOption],
  subcommands: [initialize, publicKey] + doorCommands + [issue, show, list] + statusCommands
    + [export, inspect, diff] + laterCommands)
program.main()
