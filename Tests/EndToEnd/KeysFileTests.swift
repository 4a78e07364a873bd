import JSON
import TestSupport
import Testing

/// What latchkey-keys puts out for programs, and what it tells of files.
@Suite("latchkey-keys: JSON, inspect, diff")
struct KeysFileTests {
  @Test("--json: one object a line on stdout, words on stderr")
  func json() async throws {
    try await withSite { bench in
      let door = try object(bench, "door", "show", "front")
      #expect(door == ["id": "front", "name": "Front door", "target": 1, "serial": nil, "credentials": 2])
      let lines = try keys(bench, "list", "--json").lines
      let list = try lines.map { try JSONValue(parsing: $0) }
      #expect(list.map { $0["id"]?.string } == ["alice", "bob"])
      #expect(try object(bench, "show", "bob") == list[1])
      #expect(
        list[0]["commands"] == ["unlock", "status"] && list[0]["uses"] == 2 && list[1]["uses"] == nil as JSONValue)
      #expect(list[0]["doors"] == ["back", "front"] && list[0]["until"] == "2030-01-01T00:00:00Z")
      #expect(try object(bench, "revoke", "bob")["status"] == "revoked")
      let export = try keys(bench, "export", "front", "--out", "f", "--until", "2030-01-01T00:00:00Z", "--json")
      let bundle = try JSONValue(parsing: export.stdout)
      #expect(bundle["door"] == "front" && bundle["credentials"] == 2 && bundle["until"] == "2030-01-01T00:00:00Z")
      #expect(export.stderr.hasPrefix("bundle of door front"))
      #expect(try object(bench, "door", "remove", "back")["credentials"] == ["alice"])
      let key = try object(bench, "public-key")["publicKey"]?.string ?? ""
      #expect(Base64URL.decode(key)?.count == 32)
      #expect(try keys(bench, "public-key").stdout == key + "\n")
    }
  }

  @Test("The credential file is the contract's")
  func credentialFile() async throws {
    try await withSite { bench in
      let file = try JSONValue(parsing: bench.directory.text("alice.key"))
      #expect(file["format"] == "latchkey-credential/1")
      #expect(file.object?.members.map(\.key) == ["format", "site", "credential", "doors"])
      let site = try #require(file["site"])
      #expect(site["name"] == "Büro" && site["slotSeconds"] == 5 && site["skewSlots"] == 2)
      #expect(site["challengeSeconds"] == 2 && site["nameMarker"] == "LK" && site["uuid16Marker"] == 62975)
      #expect(site["id"]?.string?.count == 36 && Base64URL.decode(site["key"]?.string ?? "")?.count == 32)
      #expect(file["credential"]?["id"] == "alice")
      #expect(Base64URL.decode(file["credential"]?["secret"]?.string ?? "")?.count == 32)
      let front: JSONValue = [
        "id": "front", "name": "Front door", "target": 1, "freshness": "challenge", "commands": ["unlock", "status"],
      ]
      #expect(file["doors"]?.array?.last == front && file["doors"]?.array?.count == 2)
    }
  }

  @Test("inspect tells what a file holds, and whose it is")
  func inspect() async throws {
    try await withSite { bench in
      try Transcript(
        """
        $ --site site export front --out front.bundle
        > *
        $ --site site inspect front.bundle
        > bundle of door front “Front door”, number 1
        >   site         “Büro” *
        >   slots        5 s, 2 each way; challenges every 2 s
        >   markers      name LK, uuid16 F5FF
        >   time zone    Europe/Berlin
        >   serial       *
        >   issued       *Z
        >   valid until  no end
        >   signed by    * (this site)
        >   digest       *
        >   credentials  2
        >   alice                 active    Alice  unlock,status  challenge  until 2030-01-01T00:00:00Z, 2 uses a door
        >   bob                   active    Bob  unlock,status  challenge
        $ --site none inspect alice.key
        > credential alice
        >   site         “Büro” *
        >   slots        5 s, 2 each way; challenges every 2 s
        >   markers      name LK, uuid16 F5FF
        >   doors        2
        >   back                  2      Back door  unlock,status  challenge
        >   front                 1      Front door  unlock,status  challenge
        $ --site other init --name Other --timezone UTC
        > *
        > *
        """
      ).play(.keys, bench)
      let foreign = try bench.run(.keys, ["--site", "other", "inspect", "front.bundle"])
      #expect(foreign.stdout.contains("(NOT this site)"))
      let nowhere = try bench.run(.keys, ["--site", "none", "inspect", "front.bundle", "--json"])
      #expect(try JSONValue(parsing: nowhere.lines[0])["signerIsSite"] == .some(nil))
      #expect(nowhere.lines.count == 3)
    }
  }

  @Test("A bad file is named with what was expected: exit 65")
  func badFiles() async throws {
    try await withSite { bench in
      try keys(bench, "export", "front", "--out", "whole")
      let whole = try bench.directory.read("whole")
      try bench.directory.write("cut", bytes: whole.dropLast())
      try bench.directory.write("flipped", bytes: whole.dropLast() + [whole[whole.count - 1] ^ 1])
      try bench.directory.write("open", bytes: whole, mode: 0o644)
      try bench.directory.write("text", "hello")
      try bench.directory.write("empty", "")
      let credential = try bench.directory.text("alice.key")
      try bench.directory.write("mistyped", credential.replacingFirst("\"target\": 1", with: "\"target\": \"1\""))
      try Transcript(
        """
        $ inspect cut
        ! latchkey-keys: cut: damaged: expected \(whole.count) bytes, found \(whole.count - 1)
        = 65
        $ inspect flipped
        ! latchkey-keys: flipped: damaged or forged: the signature doesn't fit
        = 65
        $ diff whole flipped
        ! latchkey-keys: flipped: damaged or forged: the signature doesn't fit
        = 65
        $ diff alice.key whole
        ! latchkey-keys: alice.key: not a door bundle
        = 65
        $ inspect text
        ! latchkey-keys: text: neither a door bundle nor a credential file (line 1, column 5: not JSON)
        = 65
        $ inspect empty
        ! latchkey-keys: empty: neither a door bundle nor a credential file (empty, expected a JSON text)
        = 65
        $ inspect mistyped
        ! latchkey-keys: mistyped: doors[1].target: expected a whole number from 1 to 65535, found a string
        = 65
        $ inspect none
        ! latchkey-keys: can't read none: No such file or directory
        = 65
        $ inspect site
        ! latchkey-keys: site: not a regular file
        = 65
        $ inspect open
        ! latchkey-keys: open: others have access to it (mode 0644); run: chmod 600 open
        = 77
        """
      ).play(.keys, bench)
    }
  }

  @Test("diff names what differs and exits 1, or says that nothing does")
  func diff() async throws {
    try await withSite { bench in
      try keys(bench, "export", "front", "--out", "a")
      try keys(bench, "export", "front", "--out", "b")
      try keys(bench, "disable", "alice")
      try keys(bench, "issue", "carol", "--holder", "Carol", "--doors", "front", "--out", "carol.key")
      try keys(bench, "export", "front", "--out", "c", "--until", "2030-01-01T00:00:00Z")
      try Transcript(
        """
        $ diff a b
        > no difference: serials * and *
        $ diff a c
        > valid until: no limit → 2030-01-01T00:00:00Z
        > credential alice: status active → disabled
        > credential carol of Carol: only in the second
        = 1
        $ diff c a
        > valid until: 2030-01-01T00:00:00Z → no limit
        > credential alice: status disabled → active
        > credential carol of Carol: only in the first
        = 1
        $ diff a c --json
        > {"change":"property","field":"valid until","old":"no limit","new":"2030-01-01T00:00:00Z"}
        > {"change":"changed","credential":"alice","field":"status","old":"active","new":"disabled"}
        > {"change":"added","credential":"carol"}
        = 1
        $ diff a b --json
        ! no difference: serials * and *
        """
      ).play(.keys, bench)
    }
  }

  @Test("No command shows a secret")
  func noSecrets() async throws {
    try await withSite { bench in
      let file = try JSONValue(parsing: bench.directory.text("alice.key"))
      let secrets = try [
        #require(file["credential"]?["secret"]?.string), #require(file["site"]?["key"]?.string),
      ]
      let commands = [
        ["export", "front", "--out", "x1"], ["inspect", "x1"], ["inspect", "alice.key"], ["show", "alice"], ["list"],
        ["door", "show", "front"], ["door", "list"], ["public-key"], ["disable", "alice"], ["diff", "x1", "x1"],
        ["door", "replace", "front"], ["issue", "new", "--holder", "N", "--doors", "front", "--out", "x2"],
        ["door", "remove", "front"],
      ]
      for command in commands {
        for extra in command[0] == "export" || command[0] == "issue" || command[0] == "door" ? [[]] : [[], ["--json"]] {
          let outcome = try bench.run(.keys, ["--site", "site"] + command + extra).expecting(exit: 0)
          for secret in secrets {
            #expect(!outcome.stdout.contains(secret) && !outcome.stderr.contains(secret), "\(command)")
          }
        }
      }
    }
  }

  /// A site with two doors and two credentials.
  private func withSite(_ body: @escaping @Sendable (Workbench) throws -> Void) async throws {
    try await withWorkbench { bench in
      try keys(bench, "init", "--name", "Büro", "--timezone", "Europe/Berlin")
      try keys(bench, "door", "add", "front", "--name", "Front door")
      try keys(bench, "door", "add", "back", "--name", "Back door")
      try keys(
        bench, "issue", "alice", "--holder", "Alice", "--doors", "front,back", "--until", "2030-01-01T00:00:00Z",
        "--uses", "2", "--out", "alice.key")
      try keys(bench, "issue", "bob", "--holder", "Bob", "--doors", "front", "--out", "bob.key")
      try body(bench)
    }
  }

  private func object(_ bench: Workbench, _ arguments: String...) throws -> JSONValue {
    try JSONValue(parsing: bench.run(.keys, ["--site", "site"] + arguments + ["--json"]).expecting(exit: 0).stdout)
  }
}

@discardableResult
private func keys(_ bench: Workbench, _ arguments: String...) throws -> Outcome {
  try bench.run(.keys, ["--site", "site"] + arguments).expecting(exit: 0)
}

extension String {
  fileprivate func replacingFirst(_ text: String, with other: String) throws -> String {
    let parts = split(separator: text, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw TestError("no \(text)") }
    return parts.joined(separator: other)
  }
}
