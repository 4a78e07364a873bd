internal import AccessControl
internal import CommandLineTool
internal import DoorController
internal import JSON
internal import LatchkeyCrypto
internal import POSIX

private let bundle = Option("--bundle", "FILE", .path, "the door's bundle, with --site-key")
private let siteKey = Option("--site-key", "KEY", .siteKey, "the site's public key, with --bundle")
private let configuration = Option("--config", "FILE", .path, "the door's configuration, instead of a bundle")
private let credential = Option("--credential", "ID", .identifier, required: true, "who")
private let door = Option("--door", "ID", .identifier, required: true, "where")
private let command = Option("--command", "NAME", .permission, required: true, "what: unlock, lock, hold and so on")
private let moment = Option("--at", "TIME", .time, required: true, "when: RFC 3339, or now")

let checkCommand = Subcommand(
  "check", "What the door would decide, and every rule that leads to it.",
  options: [bundle, siteKey, configuration, credential, door, command, moment]
) { (arguments, output) throws(CommandError) in
  let question = AccessCheck.Question(
    credential: try arguments.required(credential), door: try arguments.required(door),
    permission: try arguments.required(command), at: try arguments.required(moment))
  let decision = try decide(question, arguments)
  report(question, decision, output)
  if case .granted = decision.outcome { return .done }
  return .no
}

private func decide(_ question: AccessCheck.Question, _ arguments: Arguments) throws(CommandError) -> Decision {
  let ask: () throws(DaemonError) -> Decision
  switch (arguments[bundle], arguments[siteKey], arguments[configuration]) {
  case (let bundle?, let key?, nil):
    ask = { () throws(DaemonError) in try AccessCheck.run(bundlePath: bundle, siteKey: key, question) }
  case (nil, nil, let path?):
    ask = { () throws(DaemonError) in try AccessCheck.run(configurationPath: path, question) }
  default: throw .usage("expected either --bundle FILE and --site-key KEY, or --config FILE")
  }
  do throws(DaemonError) { return try ask() } catch { throw CommandError(error) }
}

private func report(_ question: AccessCheck.Question, _ decision: Decision, _ output: Output) {
  let (granted, reason): (Bool, Reason?) =
    switch decision.outcome {
    case .granted: (true, nil)
    case .denied(let reason): (false, reason)
    }
  for step in decision.trace {
    output.say("\(step.passed ? "yes" : "NO ")  \(step.rule.rawValue): \(step.found)")
  }
  output.say(granted ? "granted" : "denied: \(reason?.rawValue ?? "") (\(reason?.description ?? ""))")
  let rules = decision.trace.map { step -> JSONValue in
    ["rule": .string(step.rule.rawValue), "passed": .bool(step.passed), "found": .string(step.found)]
  }
  output.emit(
    [
      "door": .string(question.door.text), "credential": .string(question.credential.text),
      "command": .string(question.permission.rawValue), "at": .string(question.at.rfc3339(milliseconds: false)),
      "decision": .string(granted ? "granted" : "denied"), "reason": reason.map { .string($0.rawValue) } ?? nil,
      "rules": .array(rules),
    ])
}

extension ValueReader where Value == Identifier {
  static var identifier: ValueReader { ValueReader(expected: Identifier.expectation) { Identifier($0) } }
}

extension ValueReader where Value == Permission {
  fileprivate static var permission: ValueReader {
    let words = Permission.allCases.map(\.rawValue)
    return ValueReader(expected: "one of \(words.joined(separator: ", "))", words: words) { Permission(rawValue: $0) }
  }
}

extension ValueReader where Value == VerificationKey {
  fileprivate static var siteKey: ValueReader {
    ValueReader(expected: "the site's key as `latchkey-keys public-key` prints it, 43 characters of base64url") {
      VerificationKey(siteKeyText: $0)
    }
  }
}
