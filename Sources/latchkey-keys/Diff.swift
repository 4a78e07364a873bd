import AccessControl
import CommandLineTool
import JSON
import Provisioning

private let first = Operand("A.bundle", .path, "the older bundle")
private let second = Operand("B.bundle", .path, "the newer bundle")

let diff = Subcommand(
  "diff", "what differs between two bundles; exit 1 where anything but serial and time of issue does",
  operands: [first, second]
) { (arguments, output) throws(CommandError) in
  let old = try bundle(try arguments.required(first))
  let new = try bundle(try arguments.required(second))
  let differences = old.differences(to: new)
  for difference in differences {
    output.emit(difference.json)
    if !output.json { output.say(difference.text) }
  }
  if differences.isEmpty { output.say("no difference: serials \(old.header.serial) and \(new.header.serial)") }
  return differences.isEmpty ? .done : .no
}

private func bundle(_ path: String) throws(CommandError) -> DoorBundle {
  do throws(BundleError) { return try DoorBundle.open(path) } catch { throw CommandError(error, path: path) }
}

extension BundleDifference {
  fileprivate var text: String {
    switch self {
    case .property(let name, let old, let new): "\(name): \(old) → \(new)"
    case .added(let rule): "credential \(rule.id) of \(rule.holder): only in the second"
    case .removed(let rule): "credential \(rule.id) of \(rule.holder): only in the first"
    case .changed(let id, let field, let old, let new): "credential \(id): \(field) \(old) → \(new)"
    }
  }

  fileprivate var json: JSONValue {
    switch self {
    case .property(let name, let old, let new):
      ["change": "property", "field": .string(name), "old": .string(old), "new": .string(new)]
    case .added(let rule): ["change": "added", "credential": .string(rule.id.text)]
    case .removed(let rule): ["change": "removed", "credential": .string(rule.id.text)]
    case .changed(let id, let field, let old, let new):
      [
        "change": "changed", "credential": .string(id.text), "field": .string(field), "old": .string(old),
        "new": .string(new),
      ]
    }
  }
}
