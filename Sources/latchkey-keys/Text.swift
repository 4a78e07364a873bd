import AccessControl
import JSON
import POSIX

/// The text with spaces behind it up to a width in characters.
func padded(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}

/// `1 door`, `2 doors`.
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

func joined(_ ids: [Identifier]) -> String { ids.map(\.text).joined(separator: ", ") }

/// A moment of the wall clock in UTC, to the second.
func moment(_ seconds: Int64) -> String { WallTime(seconds: seconds).rfc3339(milliseconds: false) }

/// A moment as a member of JSON; null where there is none.
func momentJSON(_ seconds: Int64?) -> JSONValue { seconds.map { .string(moment($0)) } ?? .null }

extension CredentialRule {
  /// Its members in JSON: those of every command that shows a credential.
  var json: JSONObject {
    [
      "id": .string(id.text), "holder": .string(holder.text), "status": .string("\(status)"),
      "commands": .array(permissions.words.map { .string($0) }), "freshness": .string(freshness.rawValue),
      "from": momentJSON(validFrom), "until": momentJSON(validUntil),
      "uses": uses.map { .integer(Int64($0)) } ?? .null,
    ]
  }

  /// Its limits in words, for example `until 2030-01-01T00:00:00Z, 3 uses`; nil where it has none.
  var limits: String? {
    let parts = [
      validFrom.map { "from \(moment($0))" }, validUntil.map { "until \(moment($0))" },
      uses.map { counted(Int($0), "use") + " a door" },
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// One line of a list: the id first, so that it can be cut out for the next command.
  func line(doors: String?) -> String {
    let fields = [
      padded(id.text, 20), padded("\(status)", 8), holder.text, "\(permissions)", freshness.rawValue, doors, limits,
    ]
    return fields.compactMap(\.self).joined(separator: "  ")
  }
}
