import JSON
import TestSupport
import Testing

/// Frames of holders, and of who isn't one, on the air of a door.
@Suite("The air")
struct AirTests {
  @Test("Every carrier opens the door", arguments: ["uuid128", "name", "uuid16"])
  func carriers(carrier: String) async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      let outcome = try alice.latchkey("unlock", "front", "--carrier", carrier)
      let event = try door.await("granted", alice, ["command": "unlock", "argument": 0, "freshness": "time"])
      #expect(event["door"] == "front")
      #expect(event["holder"] == "Holder of alice")
      #expect(event["id"]?.integer != nil)
      try door.awaitOpening()
      try door.awaitClosing()
      #expect(outcome.exit == 0)
      try door.stop()
      #expect(door.openings() == 1, "a hundred copies of one press are one press")
    }
  }

  @Test("Each way of advertising opens the door", arguments: ["legacy", "extended"], ["legacy", "extended"])
  func families(commands: String, pdu: String) async throws {
    // Legacy commands know no extended PDUs.
    if commands == "legacy", pdu == "extended" { return }
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      try alice.latchkey("unlock", "front", "--radio-commands", commands, "--pdu", pdu)
      try door.await("granted", alice)
      try door.stop()
    }
  }

  @Test("A door on a serial line that begins with noise opens", .enabled(if: AirKind.isRootCanal))
  func serialDoor() async throws {
    try await withWorkbench { bench in
      let radio = try #require(try bench.air() as? RootCanal)
      let site = try Site(bench, air: radio)
      try site.addDoors("front")
      let alice = try site.issue("alice")
      // The rest of a report, and the beginning of a reply.
      let line = try SerialRadio(before: radio, noise: [0x3E, 0x2B, 0x02, 0x01, 0x04, 0x0E, 0x04])
      let door = try Door(site, radio: line.spec)
      try door.start()
      try alice.latchkey("unlock", "front")
      try door.await("granted", alice)
      #expect(try door.counter("skippedBytes") == 7)
      try door.stop()
    }
  }

  @Test("A door that is told so scans with legacy commands")
  func legacyDoor() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice")
      let door = try Door(site)
      try door.configure(extra: "radio-commands: legacy\n")
      try door.start()
      try alice.latchkey("unlock", "front")
      try door.await("granted", alice)
      try door.stop()
    }
  }

  @Test("Two holders at once both get in, each once")
  func twoHolders() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let holders = try ["alice", "bob"].map { try site.issue($0) }
      let door = try Door(site)
      try door.start()
      let senders = try holders.map { try $0.start("unlock", "front", "--timeout", "2s") }
      for sender in senders { #expect(try sender.waitForExit() == .exited(0)) }
      let daemon = try door.daemon
      let last = try door.stop()
      for holder in holders { #expect(granted(daemon, by: holder) == 1) }
      #expect(last["counters"]?["granted"] == 2)
    }
  }

  @Test("Two processes of one credential never send the same sequence")
  func twoProcessesOfOneCredential() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      let senders = try (0..<2).map { _ in try alice.start("unlock", "front", "--timeout", "1s", "--no-answer") }
      for sender in senders { #expect(try sender.waitForExit() == .exited(0)) }
      let last = try door.stop()
      // The air decides which comes first: the one with the higher sequence may make the other one late.
      let counters = try last["counters"].expected("counters")
      let handled = (counters["granted"]?.integer ?? 0) + (counters["replayed"]?.integer ?? 0)
      #expect(handled >= 2)
      #expect((counters["granted"]?.integer ?? 0) >= 1)
    }
  }

  @Test("A credential of another site is a stranger")
  func wrongKey() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      let elsewhere = try Site(bench, air: alice.site.air, name: "elsewhere")
      try elsewhere.addDoors("front")
      let mallory = try elsewhere.issue("alice")
      try mallory.payload().broadcast()
      try opensFor(alice, door)
      let last = try door.stop()
      #expect(door.openings() == 1)
      #expect((last["counters"]?["foreign"]?.integer ?? 0) > 0)
      #expect(last["counters"]?["forged"] == 0)
    }
  }

  @Test("A frame with a turned bit is counted, and nothing else")
  func forged() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      try alice.site.broadcast(try alice.payload().forged())
      try opensFor(alice, door)
      let last = try door.stop()
      #expect((last["counters"]?["forged"]?.integer ?? 0) > 0)
      #expect(last["counters"]?["granted"] == 1)
      #expect(last["counters"]?["replayed"] == 0)
      #expect(door.openings() == 1)
    }
  }

  @Test("A frame for one door opens no other")
  func wrongDoor() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front", "back")
      let alice = try site.issue("alice", doors: "front,back")
      let bob = try site.issue("bob", doors: "back")
      let door = try Door(site, ["front"])
      try door.start()
      try alice.payload("back").broadcast()
      try bob.payload("back").broadcast()
      try opensFor(alice, door)
      let last = try door.stop()
      #expect(door.openings() == 1)
      #expect(last["counters"]?["granted"] == 1)
    }
  }

  @Test("One daemon moves the lock of the door that was asked for")
  func twoDoors() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front", "back")
      let alice = try site.issue("alice", doors: "front,back")
      let door = try Door(site, ["front", "back"])
      try door.start()
      try alice.latchkey("unlock", "back")
      try door.await("granted", alice, ["door": "back"])
      try door.awaitOpening("back")
      try door.stop()
      #expect(door.openings("front") == 0)
      #expect(door.openings("back") == 1)
    }
  }

  @Test("Ten thousand junk adverts and one good one: the door opens within a second")
  func junkFlood() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice")
      let noise = try bench.noise(on: site.air)
      let door = try Door(site, radio: noise.radio)
      try door.start()
      let sender = try alice.start("unlock", "front", "--timeout", "3s")
      try noise.shout((0..<10_000).map { _ in junk() })
      try door.awaitOpening(within: .seconds(3))
      #expect(try sender.waitForExit() == .exited(0))
      let events = try door.daemon.lines.count
      let last = try door.stop()
      #expect((last["counters"]?["foreign"]?.integer ?? 0) > 1_000)
      #expect(last["counters"]?["granted"] == 1)
      #expect(events < 20, "noise on the air fills no log")
    }
  }

  private func junk() -> [UInt8] {
    [0x02, 0x01, 0x06, 17, 0x07] + (0..<16).map { _ in UInt8.random(in: 0...255) }
  }
}

/// A started door `front`, and a holder who may open it.
func oneDoor(_ bench: Workbench, settings: String = "", commands: String = "unlock,lock,status") throws -> (
  Door, Holder
) {
  let site = try Site(bench)
  try site.addDoors("front")
  let alice = try site.issue("alice", commands: commands)
  let door = try Door(site, settings: settings)
  try door.start()
  return (door, alice)
}

/// An honest press, after which all that was sent before has been heard too.
func opensFor(_ holder: Holder, _ door: Door) throws {
  try holder.latchkey("unlock", "front").expecting(exit: 0)
  try door.await("granted", holder, ["command": "unlock"])
  try door.awaitOpening()
}

/// How many grants of a holder a daemon has told.
func granted(_ daemon: RunningProcess, by holder: Holder) -> Int {
  daemon.events("granted").count { $0["credential"]?.string == holder.id }
}
