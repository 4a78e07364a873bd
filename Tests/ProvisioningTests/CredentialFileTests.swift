import AccessControl
import AirProtocol
import JSON
import TestSupport
import Testing

@testable import Provisioning

@Suite struct CredentialFileTests {
  static let secret = String(repeating: "A", count: 42) + "E"
  static let key = String(repeating: "B", count: 42) + "I"
  /// The example of docs/cli.md.
  static let text = """
    { "format": "latchkey-credential/1",
      "site": { "id": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "name": "HQ", "key": "\(key)", "slotSeconds": 5,
        "skewSlots": 2, "challengeSeconds": 2, "nameMarker": "LK", "uuid16Marker": 62975 },
      "credential": { "id": "alice-phone", "secret": "\(secret)" },
      "doors": [ { "id": "front", "name": "Front door", "target": 1, "freshness": "challenge",
        "commands": ["unlock", "status"] } ] }
    """

  @Test func theExampleIsRead() throws {
    let file = try CredentialFile(parsing: Array(Self.text.utf8))
    #expect(file.site.id.description == "6ba7b810-9dad-11d1-80b4-00c04fd430c8" && file.site.name.text == "HQ")
    #expect(file.site.slotClock == SlotClock() && file.site.challengeSeconds == 2 && file.site.markers == .standard)
    #expect(file.siteKey.bytes.array == Base64URL.decode(Self.key))
    #expect(file.secret.bytes.array == Base64URL.decode(Self.secret))
    let door = try #require(file.doors.first)
    #expect(file.doors.count == 1 && door.id == "front" && door.name.text == "Front door")
    #expect(door.number.rawValue == 1 && door.freshness == .challenge && door.commands == [.unlock, .status])
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    let file = try CredentialFile(parsing: Array(Self.text.utf8))
    #expect(try CredentialFile(parsing: file.encoded()) == file)
    #expect(try JSONValue(parsing: file.encoded()) == JSONValue(parsing: Self.text))
  }

  @Test func unknownMembersAreIgnoredAndDoorsMayBeFew() throws {
    var value = try JSONValue(parsing: Self.text)
    value = value.setting("extra", to: ["a": 1]).setting("site.extra", to: 1).setting("doors", to: [])
    #expect(try CredentialFile(parsing: value.encoded()).doors == [])
  }

  @Test(
    arguments: [
      ("format", "latchkey-credential/2", "expected \"latchkey-credential/1\""),
      ("format", nil, "missing, expected \"latchkey-credential/1\""), ("site", nil, "missing, expected an object"),
      ("site.id", "6ba7b810", "expected a UUID"), ("site.id", 7, "expected a UUID, found a whole number"),
      ("site.name", "a\u{202E}b", "expected a name without control or direction characters, found U+202E"),
      ("site.name", nil, "missing, expected a name"), ("site.key", nil, "missing, expected base64url of 32 bytes"),
      ("site.key", .string(String(key.dropLast())), "expected base64url of 32 bytes"),
      ("site.key", .string(key + "A"), "expected base64url of 32 bytes"),
      ("site.slotSeconds", 0, "expected a whole number from 1 to 60"),
      ("site.slotSeconds", 61, "expected a whole number from 1 to 60"),
      ("site.slotSeconds", 5.5, "expected a whole number from 1 to 60, found a number"),
      ("site.skewSlots", -1, "expected a whole number from 0 to 5"),
      ("site.challengeSeconds", 0, "expected a whole number from 1 to 60"),
      ("site.nameMarker", "L", "expected 2 to 4 characters of A-Z a-z 0-9"),
      ("site.nameMarker", "L-", "expected 2 to 4 characters of A-Z a-z 0-9"),
      ("site.uuid16Marker", 65536, "expected a whole number from 0 to 65535"),
      ("credential.id", "Alice", "expected an id of 1 to 64 characters"), ("credential.id", nil, "missing"),
      ("credential.secret", true, "expected base64url of 32 bytes, found true or false"),
      ("credential.secret", .string(secret + "="), "expected base64url of 32 bytes"),
      ("doors", nil, "missing, expected an array"), ("doors", [1], "doors[0]: expected an object"),
      ("doors.0.target", 0, "doors[0].target: expected a whole number from 1 to 65535"),
      ("doors.0.freshness", "soon", "doors[0].freshness: expected one of challenge, time, either"),
      ("doors.0.commands", [], "doors[0].commands: expected at least one of unlock,lock"),
      ("doors.0.commands", ["open"], "doors[0].commands: expected commands of unlock,lock"),
      ("doors.0.commands", [1], "doors[0].commands[0]: expected a command, found a whole number"),
      ("doors.0.name", "", "doors[0].name: expected a name with at least one character"),
    ] as [(String, JSONValue?, String)])
  func aBadMemberIsNamed(path: String, value: JSONValue?, complaint: String) throws {
    let text = try JSONValue(parsing: Self.text).setting(path, to: value).encoded()
    let error = failure { () throws(CredentialFileError) in _ = try CredentialFile(parsing: text) }
    let expected = complaint.hasPrefix("doors[") ? complaint : "\(path): \(complaint)"
    #expect(error?.description.hasPrefix(expected) == true, "\(String(describing: error))")
  }

  @Test(arguments: [
    ("id", "doors[1].id: expected each door once"), ("target", "doors[1].target: expected each number once"),
  ])
  func doorsStandOnce(same: String, complaint: String) throws {
    let value = try JSONValue(parsing: Self.text)
    let door = try #require(value["doors"]?.array?.first)
    var other: JSONObject = try #require(door.object)
    other[same == "id" ? "target" : "id"] = same == "id" ? 2 : "back"
    let text = value.setting("doors", to: [door, .object(other)]).encoded()
    let error = failure { () throws(CredentialFileError) in _ = try CredentialFile(parsing: text) }
    #expect(error?.description == complaint)
  }

  @Test func everyTruncationIsRefusedAndNoSecretIsShown() throws {
    let bytes = Array(Self.text.utf8)
    for length in bytes.indices {
      let error = failure { () throws(CredentialFileError) in
        _ = try CredentialFile(parsing: Array(bytes.prefix(length)))
      }
      #expect(error.map { !"\($0)".contains("AAAA") && !"\($0)".contains("BBBB") } == true)
    }
    let file = try CredentialFile(parsing: bytes)
    for shown in ["\(file)", String(reflecting: file), "\([file])", "\(Optional(file) as Any)"] {
      #expect(!shown.contains("AAAA") && !shown.contains("BBBB"))
    }
  }

  @Test func aFileThatOthersCanReadIsRefused() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write("alice.key", Self.text, mode: 0o644)
    let error = failure { () throws(CredentialFileError) in _ = try CredentialFile.load(path) }
    #expect(error?.description.hasSuffix("run: chmod 600 \(path)") == true)
    try folder.write("bob.key", Self.text)
    #expect(try CredentialFile.load(folder("bob.key")).id == "alice-phone")
  }
}

extension JSONValue {
  /// The value with the member at a path like `doors.0.id` replaced, or taken out.
  fileprivate func setting(_ path: String, to value: JSONValue?) -> JSONValue {
    let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
    let rest = parts.count > 1 ? parts[1] : nil
    if case .array(var elements) = self, let index = Int(parts[0]) {
      elements[index] = rest.map { elements[index].setting($0, to: value) } ?? value ?? .null
      return .array(elements)
    }
    guard case .object(var object) = self else { return self }
    object[parts[0]] = rest.map { (object[parts[0]] ?? [:]).setting($0, to: value) } ?? value
    return .object(object)
  }
}
