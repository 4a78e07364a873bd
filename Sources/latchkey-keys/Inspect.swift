import AccessControl
import AirProtocol
import CommandLineTool
import JSON
import LatchkeyCrypto
import POSIX
import Provisioning
import Wording

private let file = Operand("FILE", .path, "a door bundle or a credential file")

let inspect = Subcommand("inspect", "what a bundle or a credential file holds, never a secret", operands: [file]) {
  (arguments, output) throws(CommandError) in
  let path = try arguments.required(file)
  do throws(BundleError) {
    show(try DoorBundle.open(path), siteKey(arguments), output)
  } catch .notABundle {
    do throws(CredentialFileError) { show(try CredentialFile.load(path), output) } catch {
      guard case .notJSON(let problem) = error else { throw CommandError(error, path: path) }
      throw CommandError(.badInput, "\(path): neither a door bundle nor a credential file (\(problem))")
    }
  } catch {
    throw CommandError(error, path: path)
  }
  return .done
}

/// The key of the site that is at hand, to compare a signer with; nil where there is none.
private func siteKey(_ arguments: Arguments) -> VerificationKey? {
  do throws(CommandError) {
    return try withSite(arguments) { (site) throws(SiteError) in site.verificationKey }
  } catch {
    return nil
  }
}

private func show(_ bundle: DoorBundle, _ siteKey: VerificationKey?, _ output: Output) {
  let header = bundle.header
  let key = Base64URL.encode(bundle.signer.rawRepresentation)
  if output.json {
    output.emit([
      "kind": "bundle", "door": .string(header.door.text), "name": .string(header.doorName.text),
      "target": .integer(Int64(header.number.rawValue)), "site": header.site.json,
      "timezone": .string(header.zone.name), "serial": .integer(header.serial), "issued": momentJSON(header.issuedAt),
      "until": momentJSON(header.validUntil), "signer": .string(key),
      "signerIsSite": siteKey.map { .bool($0 == bundle.signer) } ?? .null,
      "digest": .string(Hexadecimal.text(bundle.digest)), "credentials": .integer(Int64(bundle.rules.count)),
    ])
  } else {
    let whose = siteKey.map { $0 == bundle.signer ? "this site" : "NOT this site" } ?? "no site here to compare with"
    output.say(
      """
      bundle of door \(header.door) “\(header.doorName)”, number \(header.number)
      \(header.site.text)
        time zone    \(header.zone.name)
        serial       \(header.serial)
        issued       \(moment(header.issuedAt))
        valid until  \(header.validUntil.map(moment) ?? "no end")
        signed by    \(key) (\(whose))
        digest       \(Hexadecimal.text(bundle.digest))
        credentials  \(bundle.rules.count)
      """)
  }
  for index in 0..<bundle.rules.count {
    guard let rule = bundle.rules[index] else { continue }
    output.emit(.object(rule.json))
    if !output.json { output.say("  " + rule.line(doors: nil)) }
  }
}

private func show(_ credential: CredentialFile, _ output: Output) {
  if output.json {
    output.emit([
      "kind": "credential", "id": .string(credential.id.text), "site": credential.site.json,
      "doors": .array(credential.doors.map(\.json)),
    ])
    return
  }
  output.say("credential \(credential.id)\n\(credential.site.text)\n  doors        \(credential.doors.count)")
  for door in credential.doors {
    let fields = [
      padded(door.id.text, 20), padded("\(door.number)", 5), door.name.text, "\(door.commands)",
      door.freshness.rawValue,
    ]
    output.say("  " + fields.joined(separator: "  "))
  }
}

extension SiteProfile {
  fileprivate var json: JSONValue {
    [
      "id": .string("\(id)"), "name": .string(name.text), "slotSeconds": .integer(Int64(slotClock.slotSeconds)),
      "skewSlots": .integer(Int64(slotClock.skewSlots)), "challengeSeconds": .integer(Int64(challengeSeconds)),
      "nameMarker": .string(markers.nameText), "uuid16Marker": .integer(Int64(markers.uuid16)),
    ]
  }

  fileprivate var text: String {
    """
      site         “\(name)” \(id)
      slots        \(slotClock.slotSeconds) s, \(slotClock.skewSlots) each way; challenges every \(challengeSeconds) s
      markers      name \(markers.nameText), uuid16 \(String(markers.uuid16, radix: 16, uppercase: true))
    """
  }
}

extension CredentialFile.Door {
  fileprivate var json: JSONValue {
    [
      "id": .string(id.text), "name": .string(name.text), "target": .integer(Int64(number.rawValue)),
      "freshness": .string(freshness.rawValue), "commands": .array(commands.words.map { .string($0) }),
    ]
  }
}
