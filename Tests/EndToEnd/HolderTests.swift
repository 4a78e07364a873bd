import JSON
import TestSupport
import Testing

/// The program `latchkey`: what it says, and what it remembers.
@Suite("A holder")
struct HolderTests {
  @Test("payload makes the frame of the published vectors' shape")
  func payload() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice")
      let first = try alice.payload(at: "2027-01-15T08:00:00Z", sequence: 3, press: "2a")
      let again = try alice.payload(at: "2027-01-15T08:00:00.9Z", sequence: 3, press: "2a")
      let other = try alice.payload(at: "2027-01-15T08:00:01Z", sequence: 3, press: "2a")
      #expect(first.frame.count == 32)
      #expect(first.frame == again.frame, "the same intent in the same slot is the same frame")
      #expect(first.frame != other.frame)
      #expect(first.uuid.replacing("-", with: "").lowercased() == first.frame)
      #expect(first.name.hasPrefix("LK") && first.name.utf8.count == 24)
      let reversed = String(
        stride(from: 30, through: 0, by: -2).map { offset in
          let start = first.frame.index(first.frame.startIndex, offsetBy: offset)
          return String(first.frame[start...].prefix(2))
        }.joined())
      #expect(first.data() == "0201061107" + reversed)
    }
  }

  @Test("decode tells what a frame is to who holds the credential")
  func decode() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let (alice, bob) = (try site.issue("alice"), try site.issue("bob"))
      let advert = try alice.payload(at: "2027-01-15T08:00:00Z", sequence: 3, press: "2a")
      for carrier in ["uuid128", "name", "uuid16"] {
        guard let data = advert.data(carrier) else { continue }
        let arguments = ["decode", data, "--at", "2027-01-15T08:00:00Z", "--json", "--credential"]
        let hers = try bench.run(.latchkey, arguments + [alice.file]).expecting(exit: 0)
        #expect(hers.stdout.contains("unlock"))
        let his = try bench.run(.latchkey, arguments + [bob.file])
        #expect(!his.stdout.contains("unlock"))
      }
    }
  }

  @Test(
    "A command without an answer says so, not that the door opened",
    arguments: [
      (["--no-answer"], Int32(0), "broadcast"), ([], 4, "no answer"), (["--freshness", "challenge"], 4, "no beacon"),
    ])
  func saysWhatItKnows(options: [String], exit: Int32, word: String) async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice")
      let outcome = try bench.run(
        .latchkey,
        [
          "unlock", "front", "--credential", alice.file, "--radio", try site.air.holderRadio(), "--state",
          bench.directory("holders"), "--timeout", "200ms",
        ] + options
      ).expecting(exit: exit)
      let said = outcome.stdout + outcome.stderr
      #expect(said.lowercased().contains(word))
      #expect(!said.lowercased().contains("opened"))
    }
  }

  @Test("A state that is killed at any moment never gives a sequence twice")
  func durableState() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      for round in 0..<6 {
        let sender = try alice.start("unlock", "front", "--timeout", "5s")
        if round % 2 == 0 { try door.await("granted", alice) } else { waitMilliseconds(round * 10) }
        sender.signal(.kill)
        try sender.waitForExit()
      }
      try opensFor(alice, door)
      let daemon = try door.daemon
      try door.stop()
      let used = daemon.events("granted").compactMap { event in event["id"]?.integer }
      #expect(Set(used).count == used.count)
      #expect(daemon.events("replayed").isEmpty, "what is sent anew is new")
    }
  }
}
