import JSON
import TestSupport
import Testing

/// SIGHUP: a new configuration and new bundles, all or nothing.
@Suite("Reload")
struct ReloadTests {
  @Test("A revocation counts from the reload on, without a restart")
  func revocation() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      let bob = try alice.site.issue("bob")
      try opensFor(alice, door)
      // An opening within an opening only makes it longer: the next one begins after this one's end.
      try door.awaitClosing()
      try alice.site.keys("revoke", "alice")
      try alice.site.export("front")
      try door.daemon.signal(.hangUp)
      try door.daemon.event("reloaded")
      try alice.latchkey("unlock", "front").expecting(exit: 3)
      try door.await("denied", alice, ["reason": "revoked"])
      try opensFor(bob, door)
    }
  }

  @Test("A frame that was handled before a reload is spent after it")
  func marksStay() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      _ = try alice.site.issue("aaron")
      try alice.site.export("front")
      let advert = try alice.payload(sequence: 1)
      try advert.broadcast()
      try door.await("granted", alice)
      try door.daemon.signal(.hangUp)
      try door.daemon.event("reloaded")
      try advert.broadcast()
      #expect(try door.counter("granted") == 1)
      try door.stop()
      #expect(door.openings() == 1)
    }
  }

  @Test("An opening goes on over a reload")
  func openingGoesOn() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench, settings: "pulse: 3s")
      try opensFor(alice, door)
      try door.daemon.signal(.hangUp)
      try door.daemon.event("reloaded")
      try door.awaitClosing()
      let movements = door.lock.lines.drop { $0 == "front close" }
      #expect(movements.count == 2, "opened once, closed once: \(Array(movements))")
    }
  }

  @Test("A lock program that hangs holds up neither a reload that replaces it nor the end")
  func hangingLock() async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench, settings: "pulse: 30s")
      try opensFor(alice, door)
      // The lock's program hangs from here on; the new configuration has another one.
      try bench.directory.rewrite("site.yaml") {
        $0.replacing("echo 'front close'", with: "test ! -e hang || sleep 60; echo 'front close'")
      }
      try door.daemon.signal(.hangUp)
      try door.daemon.event("reloaded")
      try door.awaitClosing()
      try bench.directory.write("hang", "")
      try bench.directory.rewrite("site.yaml") {
        $0.replacing("sleep 60", with: "sleep 61").replacing("-e hang", with: "-e other")
      }
      try door.daemon.signal(.hangUp)
      try door.daemon.event("reloaded", within: .seconds(3))
      let daemon = try door.daemon
      daemon.signal(.terminate)
      #expect(try daemon.waitForExit(within: .seconds(3)) == .exited(0))
    }
  }

  @Test("A door that leaves the configuration is closed; where it can't be, that is told, and the end says so")
  func removedDoor() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front", "back")
      let alice = try site.issue("alice", doors: "front,back", commands: "unlock,hold", freshness: "challenge")
      let door = try Door(site, ["front", "back"])
      let daemon = try door.start(waitsForTime: false)
      try alice.latchkey("hold", "back").expecting(exit: 0)
      try leaveOut("back", bench)
      daemon.signal(.hangUp)
      try daemon.event("reloaded")
      try daemon.event("lock", ["door": "back", "state": "closed"])
      try door.awaitClosing("back")
      daemon.signal(.terminate)
      #expect(try daemon.waitForExit() == .exited(0))
    }
  }

  @Test("A door that leaves the configuration and can't be closed")
  func removedDoorThatStaysOpen() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front", "back")
      let alice = try site.issue("alice", doors: "front,back", commands: "unlock,hold", freshness: "challenge")
      let door = try Door(site, ["front", "back"])
      try bench.directory.rewrite("site.yaml") {
        $0.replacing("echo 'back close'", with: "test ! -e broken && echo 'back close'")
      }
      let daemon = try door.start(waitsForTime: false)
      try alice.latchkey("hold", "back").expecting(exit: 0)
      try bench.directory.write("broken", "")
      try leaveOut("back", bench)
      daemon.signal(.hangUp)
      try daemon.event("lock-failed", ["door": "back", "state": "closed"])
      daemon.signal(.terminate)
      #expect(try daemon.waitForExit() == .exited(69))
      #expect(daemon.errorText.contains("door back: the lock couldn't be closed"))
    }
  }

  /// Takes the last door out of the configuration.
  private func leaveOut(_ door: String, _ bench: Workbench) throws {
    try bench.directory.rewrite("site.yaml") {
      $0.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0 != "  \(door):" }.joined(separator: "\n")
        + "\n"
    }
  }

  /// What can be wrong with what is reloaded, and what the complaint must name.
  enum Fault: String, CaseIterable, Sendable {
    case unknownKey
    case brokenYAML
    case missingBundle
    case damagedBundle
    case bundleOfAnotherSite
    case bundleOfAnotherDoor
    case olderBundle
    case otherContentOfSameSerial
  }

  @Test("What is wrong is refused with its place, and what ran goes on", arguments: Fault.allCases)
  func refused(fault: Fault) async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front", "back")
      let alice = try site.issue("alice", doors: "front,back")
      try site.export("front")
      try bench.directory.rename("site-front.bundle", to: "older.bundle")
      let bob = try site.issue("bob")
      let door = try Door(site)
      if fault == .otherContentOfSameSerial { try exportTwice(site) }
      try door.start()
      let named = try spoil(door, fault)
      let daemon = try door.daemon
      daemon.signal(.hangUp)
      let refusal = try daemon.event("reload-refused")
      #expect(refusal["detail"]?.string?.contains(named) == true, "\(refusal.text())")
      try opensFor(alice, door)
      try door.awaitClosing()
      try opensFor(bob, door)
      #expect(daemon.events("reloaded").isEmpty)
    }
  }

  /// Makes two bundles of one serial and different content, whatever second it is: one for the start, one to spoil.
  private func exportTwice(_ site: Site) throws {
    let folder = site.bench.directory
    try run(executable: "/bin/cp", ["-r", folder("site"), folder("copied")]).expecting(exit: 0)
    let copy = Site(copying: site, name: "copied")
    try copy.keys("disable", "bob")
    while true {
      try site.export("front")
      try copy.export("front")
      if try serial("site-front.bundle", site) == serial("copied-front.bundle", site) { return }
    }
  }

  private func serial(_ bundle: String, _ site: Site) throws -> JSONValue {
    let told = try site.keys("inspect", site.bench.directory(bundle), "--json")
    return try told.jsonLines.first?["serial"].expected("a serial") ?? nil
  }

  /// Spoils what the next reload reads; answers what the complaint must contain.
  private func spoil(_ door: Door, _ fault: Fault) throws -> String {
    let site = door.site
    let folder = site.bench.directory
    let bundle = "site-front.bundle"
    switch fault {
    case .unknownKey:
      try door.configure(extra: "  side:\n    bundel: side.bundle\n")
      return "bundel"
    case .brokenYAML:
      try door.configure(extra: "\t: {\n")
      return "site.yaml"
    case .missingBundle: try folder.removeTree(bundle)
    case .damagedBundle:
      var bytes = try folder.read(bundle)
      bytes[bytes.count / 2] ^= 1
      try folder.write(bundle, bytes: bytes)
    case .bundleOfAnotherSite:
      let elsewhere = try Site(site.bench, air: site.air, name: "elsewhere")
      try elsewhere.addDoors("front")
      try elsewhere.export("front")
      try folder.rename("elsewhere-front.bundle", to: bundle)
    case .bundleOfAnotherDoor:
      try site.export("back")
      try folder.rename("site-back.bundle", to: bundle)
    case .olderBundle: try folder.rename("older.bundle", to: bundle)
    case .otherContentOfSameSerial:
      // Two key keepers of one site, out of step: the copy goes its own way from serials that are ahead of the clock.
      try folder.rename("copied-front.bundle", to: bundle)
    }
    return fault == .otherContentOfSameSerial ? "front" : bundle
  }
}

extension Site {
  /// Another folder with the same site's data.
  init(copying site: Site, name: String) {
    bench = site.bench
    air = site.air
    self.name = name
  }
}
