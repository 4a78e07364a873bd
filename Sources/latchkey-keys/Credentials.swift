import AccessControl
import CommandLineTool
import JSON
import Provisioning

private let credential = Operand("ID", idReader, "the credential's id")

let show = Subcommand("show", "one credential, without its secret", operands: [credential]) {
  (arguments, output) throws(CommandError) in
  let id = try arguments.required(credential)
  let found = try withSite(arguments) { (site) throws(SiteError) in try site.credential(id) }
  output.emit(found.json)
  if !output.json { output.say(found.description) }
  return .done
}

let list = Subcommand("list", "all credentials, without their secrets") { (arguments, output) throws(CommandError) in
  // All of them first: a reader of the output that takes its time must not keep others from writing.
  let credentials = try withSite(arguments) { (site) throws(SiteError) in
    var credentials: [SiteCredential] = []
    try site.forEachCredential { credentials.append($0) }
    return credentials
  }
  for credential in credentials {
    output.emit(credential.json)
    if !output.json { output.say(credential.rule.line(doors: joined(credential.doors))) }
  }
  return .done
}

let statusCommands = [
  statusCommand("disable", .disabled, "refuse a credential until it is enabled again"),
  statusCommand("enable", .active, "let a disabled credential count again"),
  statusCommand("revoke", .revoked, "refuse a credential for good"),
]

private func statusCommand(_ name: String, _ status: CredentialStatus, _ summary: String) -> Subcommand {
  Subcommand(name, summary, operands: [credential]) { (arguments, output) throws(CommandError) in
    let id = try arguments.required(credential)
    let (isNew, found) = try withSite(arguments) { (site) throws(SiteError) in
      (try site.setStatus(status, of: id, now: now()), try site.credential(id))
    }
    output.emit(found.json)
    guard isNew else {
      output.say("credential \(id) is \(status) already")
      return .done
    }
    let doors =
      found.doors.isEmpty ? "it is for no door" : "doors learn it from their next bundle: \(joined(found.doors))"
    output.say("credential \(id) is \(status); \(doors)")
    return .done
  }
}

extension SiteCredential {
  /// What every command that shows a credential of the site puts out.
  var json: JSONValue {
    var members = rule.json
    members["doors"] = .array(doors.map { .string($0.text) })
    members["issued"] = momentJSON(issuedAt)
    members["changed"] = momentJSON(changedAt)
    return .object(members)
  }

  fileprivate var description: String {
    """
    credential \(rule.id) of \(rule.holder)
      status     \(rule.status)
      doors      \(doors.isEmpty ? "none" : joined(doors))
      commands   \(rule.permissions)
      freshness  \(rule.freshness.rawValue)
      limits     \(rule.limits ?? "none")
      issued     \(moment(issuedAt))
      changed    \(moment(changedAt))
    """
  }
}
