import CommandLineTool

/// Commands of the contract (docs/cli.md) that this version doesn't do yet; they say so with exit 2.
let laterCommands =
  [
    ("door set", "change a door"), ("group add", "add a group of doors"), ("schedule set", "set permitted times"),
    ("holiday add", "add a holiday"),
  ].map(Subcommand.notBuilt) + ["group", "schedule", "holiday"].flatMap(common)
  + [
    ("set", "change a credential"), ("rotate", "give a credential a new secret"),
    ("uri", "a credential as one line"), ("qr", "a credential as a QR code"), ("import", "issue many from a CSV file"),
    ("backup", "save the site's data"), ("restore", "bring back saved data"),
  ].map(Subcommand.notBuilt)

private func common(_ kind: String) -> [Subcommand] {
  let names = kind == "schedule" ? ["list", "show", "remove"] : ["list", "show", "set", "remove"]
  return names.map { .notBuilt("\(kind) \($0)", "\($0) \(kind)s") }
}
