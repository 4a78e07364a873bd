import JSON
import TestSupport
import Testing

/// What a holder's commands do to a door, by time frames.
@Suite("Commands on the air")
struct CommandTests {
  @Test("unlock asks for seconds, and the door caps them")
  func unlockForSeconds() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench, settings: "pulse: 1s\nlongest-pulse: 2s")
      try alice.latchkey("unlock", "front", "--seconds", "200").expecting(exit: 0)
      try door.await("granted", alice, ["argument": 200])
      try door.awaitOpening()
      try door.awaitClosing(within: .seconds(4))
    }
  }

  @Test("lock ends an opening at once")
  func lockEndsPulse() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench, settings: "pulse: 30s")
      try alice.latchkey("unlock", "front").expecting(exit: 0)
      try door.awaitOpening()
      try alice.latchkey("lock", "front").expecting(exit: 0)
      try door.await("granted", alice, ["command": "lock"])
      try door.awaitClosing(within: .seconds(10))
    }
  }

  @Test("status is granted and moves nothing")
  func status() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      try alice.latchkey("status", "front").expecting(exit: 0)
      try door.await("granted", alice, ["command": "status"])
      try door.stop()
      #expect(door.openings() == 0)
    }
  }

  @Test("duress opens like unlock, and raises a silent alarm")
  func duress() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench, commands: "unlock")
      let outcome = try alice.latchkey("duress", "front").expecting(exit: 0)
      try door.await("granted", alice, ["command": "duress"])
      try door.await("duress", alice)
      try door.awaitOpening()
      // Who looks over the holder's shoulder sees an unlock.
      #expect(!outcome.stdout.contains("duress") && !outcome.stderr.contains("duress"))
    }
  }

  @Test("hold, release and lockdown by time are denied unless the door allows them", arguments: ["hold", "lockdown"])
  func challengeRequired(command: String) async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench, commands: "unlock,hold,release,lockdown")
      try alice.latchkey(command, "front").expecting(exit: 3)
      try door.await("denied", alice, ["command": .string(command), "reason": "challenge-required"])
      try door.stop()
      #expect(door.openings() == 0)
    }
  }

  @Test("hold keeps open until released, over a restart too")
  func holdAndRelease() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(
        bench, settings: "allow-by-time: [hold, release]", commands: "unlock,hold,release")
      try alice.latchkey("hold", "front", "--minutes", "30").expecting(exit: 0)
      try door.await("granted", alice, ["command": "hold", "argument": 30])
      try door.awaitOpening()
      // A pulse within a hold changes nothing when it ends: the next close is the stop's.
      try alice.latchkey("unlock", "front").expecting(exit: 0)
      try door.await("granted", alice, ["command": "unlock"])
      try door.stop()
      try door.awaitClosing()
      try door.start()
      try door.awaitOpening()
      try alice.latchkey("release", "front").expecting(exit: 0)
      try door.await("granted", alice, ["command": "release"])
      try door.awaitClosing()
    }
  }

  @Test("lockdown closes, refuses to open, and ends only when told, over a restart too")
  func lockdown() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(
        bench, settings: "pulse: 30s\nallow-by-time: [lockdown]", commands: "unlock,lockdown")
      try alice.latchkey("unlock", "front").expecting(exit: 0)
      try door.awaitOpening()
      try alice.latchkey("lockdown", "front").expecting(exit: 0)
      try door.await("granted", alice, ["command": "lockdown", "argument": 0])
      try door.awaitClosing(within: .seconds(10))
      try alice.latchkey("unlock", "front").expecting(exit: 3)
      try door.await("denied", alice, ["command": "unlock", "reason": "lockdown"])
      try door.stop()
      try door.start()
      try alice.latchkey("unlock", "front").expecting(exit: 3)
      try door.await("denied", alice, ["command": "unlock", "reason": "lockdown"])
      try alice.latchkey("lockdown", "front", "--end").expecting(exit: 0)
      try door.await("granted", alice, ["command": "lockdown", "argument": 1])
      try alice.latchkey("unlock", "front").expecting(exit: 0)
      try door.await("granted", alice, ["command": "unlock"])
      try door.awaitOpening()
    }
  }

  @Test("Overlapping grants extend one opening")
  func overlappingGrants() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench, settings: "pulse: 2s")
      try alice.latchkey("unlock", "front", "--seconds", "1").expecting(exit: 0)
      try door.awaitOpening()
      try alice.latchkey("unlock", "front").expecting(exit: 0)
      try door.await("granted", alice, ["argument": 0])
      try door.awaitClosing()
      // One opening and one closing, besides the closing at the start.
      let movements = door.lock.lines.drop { $0 == "front close" }
      #expect(movements.count { $0 == "front close" } == 1)
    }
  }
}
