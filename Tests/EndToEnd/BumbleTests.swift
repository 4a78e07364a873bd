import JSON
import TestSupport
import Testing

/// Bumble, an independent Bluetooth host, on the same air: it builds and reads the advertising data by itself.
@Suite("A third party on the air", .enabled(if: AirKind.isRootCanal, "Bumble reaches RootCanal over TCP"))
struct BumbleTests {
  @Test("What Bumble sends opens the door", arguments: ["--uuid", "--name", "--uuid16"])
  func opens(carrier: String) async throws {
    try await withWorkbench { bench in
      let (door, alice) = try oneDoor(bench)
      // Bumble takes a second to start: the frame is made for when it will be on the air.
      let advertiser = try BumbleHost(alice.site, ["advertise", carrier])
      try advertiser.process.event("ready")
      let advert = try alice.payload()
      let text = carrier == "--uuid" ? advert.uuid : carrier == "--name" ? advert.name : try advert.uuid16Text()
      try advertiser.process.write(Array("\(text)\n".utf8))
      let sent = try advertiser.process.event("advertising")
      #expect(sent["data"]?.string == advert.data(["--uuid": "uuid128", "--name": "name"][carrier] ?? "uuid16"))
      try door.await("granted", alice, ["command": "unlock"])
      try door.awaitOpening()
    }
  }

  @Test("Bumble sees a holder's advert with the right fields, from a fresh private address each time")
  func sees() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      let alice = try site.issue("alice")
      let scanner = try BumbleHost(site, ["scan"])
      try scanner.process.event("scanning")
      var addresses: Set<String> = []
      var frames: Set<String> = []
      for carrier in ["uuid128", "name", "uuid16"] {
        try alice.shout("unlock", "front", "--carrier", carrier).expecting(exit: 0)
        let report = try scanner.process.json("an advert as \(carrier)") { $0[carrier].map(carriesSomething) ?? false }
        try checkFields(report)
        addresses.insert(report["address"]?.string ?? "")
        frames.insert(report["data"]?.string ?? "")
        switch carrier {
        case "uuid128": #expect(report["uuid128"]?.array?.count == 1)
        case "name": #expect(report["name"]?.string?.hasPrefix("LK") == true && report["name"]?.string?.count == 24)
        default: #expect(report["uuid16"]?.array?.count == 9 && report["uuid16"]?.array?.first == "F5FF")
        }
      }
      #expect(addresses.count == 3, "one address an intent")
      #expect(frames.count == 3)
    }
  }

  @Test("Bumble sees exactly the bytes that `broadcast` was given")
  func broadcast() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      let scanner = try BumbleHost(site, ["scan"])
      try scanner.process.event("scanning")
      let data = "020106110789254cee18592c691a6bcecbe05c821b"
      try site.broadcast(data)
      try scanner.process.event(
        "report", ["data": .string(data), "uuid128": ["1B825CE0-CBCE-6B1A-692C-5918EE4C2589"]])
    }
  }

  /// Non-connectable, undirected, legacy, from a non-resolvable private address; flags 06.
  private func checkFields(_ report: JSONValue) throws {
    #expect(report["connectable"] == false)
    #expect(report["scannable"] == false)
    #expect(report["legacy"] == true)
    #expect(report["flags"] == 6)
    #expect(report["addressType"] == 1)
    // The two highest bits of a non-resolvable private address are 0 (Core Specification Vol 6 Part B 1.3.2.2).
    let first = try UInt8(report["address"]?.string?.prefix(2) ?? "", radix: 16).expected("an address")
    #expect(first & 0xC0 == 0)
  }

  private func carriesSomething(_ value: JSONValue) -> Bool {
    if let list = value.array { !list.isEmpty } else { value.string != nil }
  }
}

/// A run of Tests/EndToEnd/bumble/air.py on a site's air.
struct BumbleHost {
  let process: RunningProcess

  init(_ site: Site, _ arguments: [String]) throws {
    let script = "\(Repository.root)/Tests/EndToEnd/bumble/air.py"
    let air = String(site.air.doorRadio.dropFirst("tcp:".count))
    process = try site.bench.start(
      executable: try Repository.python, [script] + arguments.prefix(1) + [air] + arguments.dropFirst())
  }
}

extension Advert {
  /// The nine words as one text with commas.
  fileprivate func uuid16Text() throws -> String {
    try words.expected("nine different words").joined(separator: ",")
  }
}
