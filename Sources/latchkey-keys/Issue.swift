import AccessControl
import CommandLineTool
import JSON
import POSIX
import Provisioning
import Wording

private let credential = Operand("ID", idReader, "the new credential's id: one for each device")
private let holder = Option("--holder", "TEXT", .text, required: true, "whose it is, for lists and logs")
private let doors = Option("--doors", "ID,ID", idReader.list, required: true, "the doors it is for")
private let commands = Option(
  "--commands", "LIST", .text, "what it may do: of \(PermissionSet.all) (default unlock,status)")
private let freshness = Option(
  "--freshness", "KIND", ValueReader<FreshnessPolicy>.word,
  "challenge, time or either (default challenge)")
private let from = Option("--from", "T", .time, "valid from this moment on")
private let until = Option("--until", "T", .time, "valid until just before this moment")
private let uses = Option("--uses", "N", .integer(in: UInt32(1)...UInt32.max), "opens each door so often at most")
private let file = Option("--out", "FILE", .path, required: true, "the holder's credential file; never overwritten")

let issue = Subcommand(
  "issue", "issue a credential and write its holder's file", operands: [credential],
  options: [
    holder, doors, commands, freshness, UnbuiltOption("--schedule", "ID", "the permitted times"), from, until, uses,
    file,
  ]
) { (arguments, output) throws(CommandError) in
  let request = try request(arguments)
  let path = try arguments.required(file)
  let issued = try withSite(arguments) { (site) throws(SiteError) in
    _ = try site.issue(request, into: path, now: now())
    return try site.credential(request.rule.id)
  }
  let rule = issued.rule
  output.say("credential \(rule.id) of \(rule.holder) for \(joined(issued.doors)): \(path.printable)")
  output.say("its doors learn it from their next bundle; the file holds its secret: bring it to its holder's device")
  if let end = rule.validUntil, end <= now() { output.note("--until: \(moment(end)) is past: it opens nothing") }
  if case .object(var members) = issued.json {
    members["file"] = .string(path)
    output.emit(.object(members))
  }
  return .done
}

private func request(_ arguments: Arguments) throws(CommandError) -> CredentialRequest {
  let ids = try arguments.required(doors)
  var seen: Set<Identifier> = []
  for id in ids where !seen.insert(id).inserted { throw .usage("--doors: \(id) stands twice") }
  let holder = try displayName(try arguments.required(holder), option: "--holder")
  let permissions: PermissionSet
  do throws(PermissionSetError) { permissions = try PermissionSet(text: arguments[commands] ?? "unlock,status") } catch
  {
    throw .usage("--commands: \(error)")
  }
  let id = try arguments.required(credential)
  do throws(CredentialRuleError) {
    let rule = try CredentialRule(
      id: id, holder: holder, status: .active, permissions: permissions,
      freshness: arguments[freshness] ?? .challenge, validFrom: arguments[from]?.seconds,
      validUntil: arguments[until]?.seconds, uses: arguments[uses])
    return CredentialRequest(rule: rule, doors: ids)
  } catch {
    throw .usage("--from, --until: \(error)")
  }
}
