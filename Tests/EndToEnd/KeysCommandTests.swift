import Database
import JSON
import POSIX
import TestSupport
import Testing

/// latchkey-keys as scripts see it: arguments, exit code, output.
@Suite("latchkey-keys")
struct KeysCommandTests {
  @Test("init says where challenges live longer than a press is remembered")
  func longChallenges() async throws {
    try await withWorkbench { bench in
      try Transcript(
        """
        $ init --name HQ --timezone UTC --challenge-seconds 14
        > site “HQ” in site
        > *
        ! --challenge-seconds: a frame counts for twice as long, but a door remembers a press for 30 s: * take 13 at most, or longer slots
        """
      ).play(.keys, bench, ["--site", "site"])
    }
  }

  @Test("A site's life, in words")
  func life() async throws {
    try await play(
      """
      $ init --name "Büro" --timezone Europe/Berlin
      > site “Büro” in site
      > public key for latchkeyd.yaml: *
      $ door add front --name "Front door"
      > door front “Front door”: number 1
      $ door add back --target 7
      > door back “back”: number 7
      $ door add cellar
      > door cellar “cellar”: number 8
      $ door list
      > back                  7      0 credentials     back
      > cellar                8      0 credentials     cellar
      > front                 1      0 credentials     Front door
      $ issue alice-phone --holder Alice --doors front,back --out alice.key
      > credential alice-phone of Alice for back, front: alice.key
      > its doors learn it from their next bundle; the file holds its secret: bring it to its holder's device
      $ issue bob --holder Bob --doors front --commands lock,unlock --freshness either --from 2026-01-01T00:00:00+01:00 --until 2030-01-01T00:00:00Z --uses 1 --out bob.key
      > credential bob of Bob for front: bob.key
      > its doors *
      $ list
      > alice-phone           active    Alice  unlock,status  challenge  back, front
      > bob                   active    Bob  unlock,lock  either  front  from 2025-12-31T23:00:00Z, until 2030-01-01T00:00:00Z, 1 use a door
      $ show bob
      > credential bob of Bob
      >   status     active
      >   doors      front
      >   commands   unlock,lock
      >   freshness  either
      >   limits     from 2025-12-31T23:00:00Z, until 2030-01-01T00:00:00Z, 1 use a door
      >   issued     *Z
      >   changed    *Z
      $ disable bob
      > credential bob is disabled; doors learn it from their next bundle: front
      $ disable bob
      > credential bob is disabled already
      $ enable bob
      > credential bob is active; doors learn it from their next bundle: front
      $ revoke bob
      > credential bob is revoked; doors learn it from their next bundle: front
      $ enable bob
      ! latchkey-keys: credential bob is revoked, for good: issue a new one
      = 2
      $ export front --out front.bundle
      > bundle of door front, serial *, 2 credentials: front.bundle
      $ door show front
      > door front “Front door”
      >   number       1
      >   last bundle  serial *
      >   credentials  2
      $ door replace front
      > door front: number 1 is now 9; export a bundle for the new controller
      > the files of 2 credentials name number 1: issue them new credentials, for neither rotate nor beacons are built yet
      $ door remove back
      > door back is removed; its number 7 is never given again
      > lost by 1 credential: alice-phone
      $ door remove cellar
      > door cellar is removed; its number 8 is never given again
      > no credential was for it
      $ door add cellar
      > door cellar “cellar”: number 10
      """)
  }

  @Test("Wrong usage and unknown ids: exit 2, one line, nothing changed")
  func wrongUsage() async throws {
    try await play(
      """
      $ init --name HQ --timezone Europe/Berln
      ! latchkey-keys: --timezone: unknown time zone “Europe/Berln”; did you mean “Europe/Berlin”?
      = 2
      $ init --name HQ --timezone ../etc/passwd
      ! latchkey-keys: expected an IANA time zone like Europe/Berlin, not “../etc/passwd”
      = 2
      $ init --name "" --timezone UTC
      ! latchkey-keys: --name: expected a name with at least one character to see
      = 2
      $ init --name HQ --timezone UTC --slot-seconds 61
      ! latchkey-keys: --slot-seconds: expected a whole number from 1 to 60, not “61”
      = 2
      $ init --name HQ --timezone UTC --name-marker L-
      ! latchkey-keys: --name-marker: expected 2 to 4 characters of A-Z a-z 0-9, not “L-”
      = 2
      $ list
      ! latchkey-keys: no site in site: run latchkey-keys init, or name the site with --site
      = 2
      $ init --name HQ --timezone UTC --slot-seconds 1 --skew-slots 5 --challenge-seconds 3 --name-marker AB1 --uuid16-marker ABCD
      > site “HQ” in site
      > *
      $ door add front
      > door front “front”: number 1
      $ door add front
      ! latchkey-keys: there is a door front already
      = 2
      $ door add back --name front
      ! latchkey-keys: door front has the name “front” already
      = 2
      $ door add back --target 1
      ! latchkey-keys: number 1 was given to door front: a number is never given again
      = 2
      $ door add back --target 0
      ! latchkey-keys: --target: expected a whole number from 1 to 65535, not “0”
      = 2
      $ door add Back
      ! latchkey-keys: ID: expected an id of 1 to 64 characters a-z 0-9 . _ - that starts with a letter or digit, not “Back”
      = 2
      $ door show back
      ! latchkey-keys: no door back
      = 2
      $ issue alice --holder Alice --doors front,back --out alice.key
      ! latchkey-keys: no door back
      = 2
      $ issue alice --holder Alice --doors front,front --out alice.key
      ! latchkey-keys: --doors: front stands twice
      = 2
      $ issue alice --holder Alice --doors front --commands duress --out alice.key
      ! latchkey-keys: --commands: duress is permitted wherever unlock is: name unlock instead
      = 2
      $ issue alice --holder Alice --doors front --from 2030-01-01T00:00:00Z --until 2030-01-01T00:00:00Z --out alice.key
      ! latchkey-keys: --from, --until: expected an end that is later than the start
      = 2
      $ issue alice --holder Alice --doors front --until 2030-02-30T00:00:00Z --out alice.key
      ! latchkey-keys: --until: expected a time like 2026-11-30T08:00:00+01:00, or now, not “2030-02-30T00:00:00Z”
      = 2
      $ issue alice --holder Alice --doors front --uses 0 --out alice.key
      ! latchkey-keys: --uses: expected a whole number from 1 to 4294967295, not “0”
      = 2
      $ issue alice --holder Alice --doors front
      ! latchkey-keys: issue: expected --out FILE
      = 2
      $ issue alice --holder Alice --doors front --schedule work --out alice.key
      ! latchkey-keys: --schedule: not built yet
      = 2
      $ export front --out front.bundle --until 2020-01-01T00:00:00Z
      ! latchkey-keys: --until: expected a moment to come, not 2020-01-01T00:00:00Z
      = 2
      $ export back --out back.bundle
      ! latchkey-keys: no door back
      = 2
      $ revoke alice
      ! latchkey-keys: no credential alice
      = 2
      $ list
      $ door list
      > front                 1      0 credentials     front
      """, leaving: ["site"])
  }

  @Test(
    "What later versions bring is refused whatever follows",
    arguments: [
      "group add g --doors front", "group list", "group show g", "group set g", "group remove g", "door set front",
      "schedule set s x", "schedule list", "schedule show s", "schedule remove s", "holiday add 2030-01-01",
      "holiday list", "holiday show x", "holiday set x", "holiday remove x", "set alice --holder x",
      "rotate alice --out f", "uri f", "qr f --svg g", "import f.csv --dry-run", "backup f", "restore f",
    ])
  func notBuilt(command: String) async throws {
    let words = command.split(separator: " ").map(String.init)
    let name = ["group", "schedule", "holiday", "door"].contains(words[0]) ? words[0...1] : words[0...0]
    try await play("$ \(command)\n! latchkey-keys: \(name.joined(separator: " ")): not built yet\n= 2", leaving: [])
  }

  @Test("--out never overwrites, and what can't be written leaves nothing behind")
  func noOverwriting() async throws {
    try await withWorkbench { bench in
      try bench.directory.write("there", "mine")
      try Transcript(
        """
        $ init --name HQ --timezone UTC
        > *
        > *
        $ init --name HQ --timezone UTC
        ! latchkey-keys: site holds a site already
        = 73
        $ door add front
        > *
        $ issue alice --holder Alice --doors front --out there
        ! latchkey-keys: can't create there: File exists
        = 73
        $ issue alice --holder Alice --doors front --out absent/alice.key
        ! latchkey-keys: can't create absent/alice.key: No such file or directory
        = 73
        $ export front --out there
        ! latchkey-keys: can't create there: File exists
        = 73
        $ list
        $ door show front
        > *
        > *
        >   last bundle  none
        > *
        """
      ).play(.keys, bench, ["--site", "site"])
      #expect(try bench.directory.text("there") == "mine")
      #expect(try bench.directory.names() == ["site", "there"])
    }
  }

  @Test("The site is named by option, variable or default, and kept from others")
  func places() async throws {
    try await withWorkbench { bench in
      try Transcript("$ init --name HQ --timezone UTC\n> site “HQ” in ./keys/site\n> *").play(.keys, bench)
      try Transcript("$ init --name HQ --timezone UTC\n> site “HQ” in other\n> *").play(
        .keys, bench, environment: ["LATCHKEY_SITE": "other"])
      let directory = bench.directory("keys/site")
      #expect(try fileStatus(directory)?.permissions == 0o700)
      #expect(try fileStatus(directory + "/site.db")?.permissions == 0o600)
      for (path, mode, mend) in [(directory, "755", "700"), (directory + "/site.db", "640", "600")] {
        try bench.run(executable: "/usr/bin/chmod", mode, path)
        let outcome = try bench.run(.keys, ["public-key"]).expecting(exit: 77)
        #expect(outcome.stderr.contains("run: chmod \(mend) ./keys/site"), "\(outcome)")
        try bench.run(executable: "/usr/bin/chmod", mend, path)
      }
      try bench.run(.keys, ["public-key"]).expecting(exit: 0)
    }
  }

  @Test("Without zone data it says what to install")
  func noZoneData() async throws {
    try await withWorkbench { bench in
      let message =
        "! latchkey-keys: no time zone data in /nonexistent: install the package tzdata (apt-get install tzdata)"
      try Transcript("$ init --name HQ --timezone UTC\n\(message)\n= 65").play(
        .keys, bench, ["--site", "site"], environment: ["TZDIR": "/nonexistent"])
      #expect(try bench.directory.names() == [])
    }
  }

  @Test("Several key keepers at once: each change is made whole, or the last one is told to come again")
  func severalAtOnce() async throws {
    try await withWorkbench { bench in
      try Transcript("$ init --name HQ --timezone UTC\n> *\n> *").play(.keys, bench, ["--site", "site"])
      let others = try (1...6).map { try bench.start(.keys, ["--site", "site", "door", "add", "d\($0)", "--json"]) }
      for other in others { #expect(try other.waitForExit() == .exited(0), "\(other.report)") }
      let numbers = try others.map { try JSONValue(parsing: $0.lines.joined())["target"]?.integer ?? 0 }
      #expect(numbers.sorted() == [1, 2, 3, 4, 5, 6])

      let holder = try Connection(path: bench.directory("site/site.db"))
      try holder.execute("BEGIN IMMEDIATE")
      let outcome = try bench.run(.keys, ["--site", "site", "door", "add", "late"]).expecting(exit: 75)
      #expect(outcome.stderr.hasSuffix("another process holds this database; try later\n"))
      #expect(try bench.run(.keys, ["--site", "site", "door", "list"]).expecting(exit: 0).lines.count == 6)
      try holder.execute("ROLLBACK")
    }
  }

  private func play(_ text: String, leaving names: [String]? = nil) async throws {
    try await withWorkbench { bench in
      try Transcript(text).play(.keys, bench, ["--site", "site"])
      if let names { #expect(try bench.directory.names() == names) }
    }
  }
}

extension Workbench {
  fileprivate func run(executable: String, _ arguments: String...) throws {
    try TestSupport.run(executable: executable, arguments, directory: directory.path).expecting(exit: 0)
  }
}
