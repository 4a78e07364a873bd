import JSON
import POSIX
import TestSupport
import Testing

/// The program `latchkey` alone: arguments, exit code, output, and what is left on disk.
@Suite("latchkey's commands")
struct HolderCommandTests {
  // MARK: Without radio and state

  @Test("payload makes every vector in every form", arguments: try Vectors.records("cases"))
  func vectors(vector: VectorRecord) async throws {
    try await withWorkbench { bench in
      let plain = try vector.bytes("commandPlaintext")
      let names = ["unlock", "lock", "hold", "release", "status", "lockdown", "duress"]
      let freshness =
        try vector.text("mode") == "time"
        ? ["--at", WallTime(seconds: try vector.number("unixSeconds")).description]
        : ["--challenge", try vector.text("challenge")]
      let outcome = try bench.run(
        .latchkey,
        [
          "payload", "\(try vector.number("target"))", "--credential", try credentialFile(bench, vector),
          "--command", names[Int(plain[1]) - 1], "--argument", "\(plain[2])", "--sequence", "\(plain[0])",
          "--press", hexadecimalText([plain[4]]),
        ] + freshness + (plain[3] == 0 ? ["--no-answer"] : [])
      ).expecting(exit: 0)
      let carriers = try vector.record("carriers")
      let none = carriers.isNull("uuid16")
      let words = none ? JSONValue.null : .array(try carriers.texts("uuid16Words").map { .string($0.lowercased()) })
      let expected: JSONValue = [
        "frame": .string(try vector.text("commandFrame")), "uuid128": .string(try carriers.text("uuid128Text")),
        "name": .string(try carriers.text("nameText")), "uuid16": words,
        "advertisingData": [
          "uuid128": .string(try carriers.text("uuid128")), "name": .string(try carriers.text("name")),
          "uuid16": none ? .null : .string(try carriers.text("uuid16")),
        ],
      ]
      #expect(outcome.stdout == expected.text() + "\n")
      #expect(outcome.stderr == "")
    }
  }

  @Test("A frame is explained to who holds the credential")
  func decode() async throws {
    try await withWorkbench { bench in
      let alice = try credentialFile(bench, try firstVector())
      let name = "02010619094c4b47344a63344d764f617870704c466b59376b776c6951"
      let told =
        "flags: 06\nname: 4c4b47344a63344d764f617870704c466b59376b776c6951\n"
        + "frame 1b825ce0cbce6b1a692c5918ee4c2589 as name: "
      let command =
        "unlock, argument 0, of alice to door 2, time slot 0 (from 1970-01-01T00:00:00Z), sequence 1, press cc, "
        + "an answer is wanted\n"
      let foreign = "foreign: not of these credentials' doors, or not of this time or challenge\n"
      let scripts: [(arguments: [String], stdout: String, stderr: String)] = [
        ([name, "--at", "1970-01-01T00:00:00Z", "--credential", alice], told + command, ""),
        ([name, "--at", "1970-01-01T00:00:14Z", "--credential", alice], told + command, ""),
        ([name, "--at", "1970-01-01T00:00:15Z", "--credential", alice], told + foreign, ""),
        ([name, "--challenge", "8000000000000000", "--credential", alice], told + foreign, ""),
        ([name], told + foreign, "no --credential is given: only what everybody can see is told\n"),
        (["020106", "--credential", alice], "flags: 06\nno frame of the air protocol\n", ""),
        (
          ["8ea3fb43e4c0a0663339468651a6119f", "--credential", alice],
          "frame 8ea3fb43e4c0a0663339468651a6119f: beacon of door 300: locked, standing open, "
            + "challenge 8ea3fb43e4c0a066, clock not trusted, slot … 143 (mod 256)\n", ""
        ),
      ]
      for script in scripts {
        let outcome = try bench.run(.latchkey, ["decode"] + script.arguments).expecting(exit: 0)
        #expect(outcome.stdout == script.stdout)
        #expect(outcome.stderr == script.stderr)
      }
    }
  }

  @Test("What can't be done is said in one line, with its exit code")
  func refusals() async throws {
    try await withWorkbench { bench in
      let alice = try credentialFile(bench, try firstVector(), doors: listedDoors)
      let bob = try credentialFile(bench, try firstVector(), id: "bob", doors: listedDoors)
      try bench.directory.write("open.json", bytes: try bench.directory.read("alice.json"), mode: 0o640)
      try bench.directory.write("broken.json", "{\n  \"format\": }")
      try bench.directory.write("other.json", "{\"format\": \"latchkey-credential/2\"}")
      let payload = ["payload", "front", "--command", "unlock", "--sequence", "0", "--press", "00"]
      let at = ["--at", "now"]
      let path = bench.directory.path
      let doors = "(front, back) or a door number from 1 to 65535"
      let scripts: [(arguments: [String], credentials: [String], exit: Int32, stderr: String)] = [
        ([], [], 2, "expected a command; see latchkey --help"),
        (["unlock", "front"], [], 2, "expected --credential FILE, or $LATCHKEY_CREDENTIAL"),
        (
          payload + ["--at", "1969-12-31T23:59:59Z"], [alice], 2,
          "--at: expected a time from 1970 on; slots begin there"
        ),
        (
          ["unlock", "frnt"], [alice], 2,
          "DOOR: expected a door of the credential file \(doors), not “frnt”; did you mean “front”?"
        ),
        (
          ["unlock", "front"], [alice, bob], 2,
          "DOOR: reached by several of the credentials (alice, bob): give one of them"
        ),
        (
          ["unlock", "front", "--seconds", "0"], [alice], 2, "--seconds: expected a whole number from 1 to 255, not “0”"
        ),
        (["unlock", "front", "--minutes", "1"], [alice], 2, "unknown option --minutes of unlock"),
        (["unlock", "front", "--timeout", "3"], [alice], 2, "--timeout: expected a duration from 50ms to 1h, not “3”"),
        (
          ["payload", "nearest", "--command", "unlock", "--sequence", "0", "--press", "00"] + at, [alice], 2,
          "DOOR: nearest takes a radio to be found: expected an id or a door number"
        ),
        (["unlock", "nearest"], [], 2, "expected --credential FILE, or $LATCHKEY_CREDENTIAL"),
        (["scan", "--seconds", "3"], [], 2, "expected --credential FILE, or $LATCHKEY_CREDENTIAL"),
        (
          ["scan", "--seconds", "0"], [alice], 2, "--seconds: expected seconds from 0.050 to 86400, not “0”"
        ),
        (
          ["unlock", "front", "--radio", "serial:\(path)/nothing,115200"], [alice], 5,
          "radio serial:\(path)/nothing,115200: there is no such device (No such file or directory); plug it in, or correct the path"
        ),
        (
          ["unlock", "front", "--radio", "tcp:nowhere"], [alice], 2,
          "radio \"tcp:nowhere\": expected tcp:HOST:PORT with a port of 1…65535, for example tcp:127.0.0.1:6402 or tcp:[::1]:6402"
        ),
        (
          ["unlock", "front", "--radio", "unix:\(path)/nothing"], [alice], 5,
          "radio unix:\(path)/nothing: there is no such socket (No such file or directory); start the virtual radio, or correct the path"
        ),
        (["broadcast", "0g"], [], 2, "HEX: expected bytes as hexadecimal digits, not “0g”"),
        (
          ["broadcast", String(repeating: "00", count: 33)], [], 2,
          "HEX: 2 bytes too many: 33, and advertising data has at most 31"
        ),
        (payload, [alice], 2, "payload: expected --at T or --challenge HEX"),
        (
          payload + at + ["--challenge", "8000000000000000"], [alice], 2,
          "payload: expected --at or --challenge, not both"
        ),
        (
          payload + ["--challenge", "7fffffffffffffff"], [alice], 2,
          "--challenge: expected 16 hexadecimal digits, the first 8 or more, not “7fffffffffffffff”"
        ),
        (
          payload + ["--at", "2026-02-30T00:00:00Z"], [alice], 2,
          "--at: expected a time like 2026-11-30T08:00:00+01:00, or now, not “2026-02-30T00:00:00Z”"
        ),
        (
          ["payload", "front", "--command", "lock", "--argument", "1", "--sequence", "0", "--press", "00"] + at,
          [alice],
          2, "--argument: lock takes 0, not 1"
        ),
        (payload + at, ["\(path)/none.json"], 65, "can't read \(path)/none.json: No such file or directory"),
        (payload + at, [path], 65, "\(path): not a regular file"),
        (payload + at, ["\(path)/broken.json"], 65, "\(path)/broken.json: line 2, column 13: not JSON"),
        (payload + at, ["\(path)/other.json"], 65, "\(path)/other.json: format: expected \"latchkey-credential/1\""),
        (
          payload + at, ["\(path)/open.json"], 77,
          "\(path)/open.json: others have access to it (mode 0640); run: chmod 600 \(path)/open.json"
        ),
      ]
      for script in scripts {
        let arguments = script.arguments + script.credentials.flatMap { ["--credential", $0] }
        let outcome = try bench.run(.latchkey, arguments, environment: ["HOME": path]).expecting(exit: script.exit)
        #expect(outcome.stdout == "")
        #expect(outcome.stderr == "latchkey: \(script.stderr)\n")
      }
      #expect(try bench.directory.names() == ["alice.json", "bob.json", "broken.json", "open.json", "other.json"])
    }
  }
}

/// A front door by time, and a back door by challenge.
let listedDoors = """
  {"id": "front", "name": "Front door", "target": 2, "freshness": "time", "commands": ["unlock"]},
  {"id": "back", "name": "Back door", "target": 3, "freshness": "challenge", "commands": ["unlock"]}
  """

/// The first of the vectors.
func firstVector() throws -> VectorRecord {
  guard let vector = try Vectors.records("cases").first else { throw TestError("no vectors") }
  return vector
}

/// Writes a credential with the keys of a vector; its slots are of the vector's seconds unless told otherwise.
func credentialFile(
  _ bench: Workbench, _ vector: VectorRecord, id: String = "alice", slotSeconds: Int64? = nil, doors: String = ""
) throws -> String {
  let key = Base64URL.encode(try vector.bytes("siteKey"))
  let secret = Base64URL.encode(try vector.bytes("secret"))
  return try bench.directory.write(
    "\(id).json",
    """
    { "format": "latchkey-credential/1",
      "site": { "id": "\(try vector.text("siteID"))", "name": "HQ", "key": "\(key)",
        "slotSeconds": \(try slotSeconds ?? vector.number("slotSeconds")), "skewSlots": 2, "challengeSeconds": 2,
        "nameMarker": "\(try vector.text("nameMarker"))", "uuid16Marker": \(try vector.number("uuid16Marker")) },
      "credential": { "id": "\(id)", "secret": "\(secret)" },
      "doors": [ \(doors) ] }
    """)
}
