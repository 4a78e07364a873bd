import JSON
import POSIX
import TestSupport

/// A site of one test: its keys, its holders, its doors' configuration, and the air they share.
///
/// Everything is done with the programs alone, as an installer would do it.
struct Site: Sendable {
  let bench: Workbench
  let air: any VirtualAir
  let name: String

  /// Slots of one second make the wait after a first start three seconds.
  init(_ bench: Workbench, air: (any VirtualAir)? = nil, name: String = "site") throws {
    self.bench = bench
    self.air = try air ?? bench.air()
    self.name = name
    try keys("init", "--name", "Test", "--timezone", "Europe/Berlin", "--slot-seconds", "1", "--skew-slots", "2")
  }

  /// Runs latchkey-keys on this site; anything but success fails the test.
  @discardableResult
  func keys(_ arguments: String...) throws -> Outcome {
    try bench.run(.keys, ["--site", bench.directory(name)] + arguments).expecting(exit: 0)
  }

  /// Adds doors.
  func addDoors(_ ids: String...) throws {
    for id in ids { try keys("door", "add", id, "--name", "Door \(id)") }
  }

  /// Issues a credential, and answers who holds it.
  ///
  /// - Parameters:
  ///   - freshness: by time unless a test is about challenges: most look at single frames.
  ///   - options: more options of `issue`.
  func issue(
    _ id: String, doors: String = "front", commands: String = "unlock,lock,status", freshness: String = "time",
    _ options: String...
  ) throws -> Holder {
    let file = bench.directory("\(name)-\(id).json")
    let fixed = [
      "issue", id, "--holder", "Holder of \(id)", "--doors", doors, "--commands", commands, "--freshness", freshness,
      "--out", file,
    ]
    try bench.run(.keys, ["--site", bench.directory(name)] + fixed + options).expecting(exit: 0)
    return Holder(site: self, id: id, file: file)
  }

  /// The site's public key, as latchkeyd.yaml wants it.
  func publicKey() throws -> String {
    let outcome = try keys("public-key")
    return outcome.stdout.split(separator: "\n").first.map(String.init) ?? ""
  }

  /// Puts out a door's bundle over the one before, as a key keeper's script would: beside it, and then renamed.
  func export(_ door: String) throws {
    let fresh = bench.directory("\(name)-\(door).new")
    try keys("export", door, "--out", fresh)
    try bench.directory.rename("\(name)-\(door).new", to: "\(name)-\(door).bundle")
  }
}

/// Somebody with a credential and the program `latchkey`.
struct Holder: Sendable {
  let site: Site
  let id: String
  let file: String

  private func fixed() throws -> [String] {
    ["--credential", file, "--radio", try site.air.holderRadio(), "--state", site.bench.directory("holders")]
  }

  /// Runs a command of `latchkey` that goes on the air, to its end: until the door answers, or what `arguments` say.
  @discardableResult
  func latchkey(_ arguments: String...) throws -> Outcome {
    try site.bench.run(.latchkey, fixed() + arguments + ["--json", "--timeout", "5s"])
  }

  /// Runs such a command for some tenths of a second, whatever the door says: it asks for no answer.
  @discardableResult
  func shout(_ arguments: String...) throws -> Outcome {
    try site.bench.run(.latchkey, fixed() + arguments + ["--json", "--no-answer", "--timeout", "400ms"])
  }

  /// Starts a command of `latchkey` and goes on.
  func start(_ arguments: String...) throws -> RunningProcess {
    try site.bench.start(.latchkey, fixed() + arguments + ["--json"])
  }

  /// Makes an advert without sending it.
  ///
  /// - Parameters:
  ///   - at: RFC 3339 text, or `now`.
  ///   - sequence: a test that sends several frames in a slot counts them itself.
  func payload(
    _ door: String = "front", command: String = "unlock", argument: Int = 0, at: String = "now", sequence: Int = 0,
    press: String = "01"
  ) throws -> Advert {
    let outcome = try site.bench.run(
      .latchkey,
      [
        "payload", door, "--credential", file, "--command", command, "--argument", "\(argument)", "--at", at,
        "--sequence", "\(sequence)", "--press", press, "--no-answer", "--json",
      ]
    ).expecting(exit: 0)
    return Advert(site: site, json: try JSONValue(parsing: outcome.stdout))
  }
}

/// What `latchkey payload` printed.
struct Advert: Sendable {
  let site: Site
  let json: JSONValue

  /// The frame in lower-case hex.
  var frame: String { json["frame"]?.string ?? "" }
  /// The frame as the text of a service UUID.
  var uuid: String { json["uuid128"]?.string ?? "" }
  /// The frame as a local name.
  var name: String { json["name"]?.string ?? "" }
  /// The nine words of 16 bits; nil where they aren't all different.
  var words: [String]? { json["uuid16"]?.array?.compactMap(\.string) }

  /// The advertising data of a carrier in hex; nil where this frame can't be carried so.
  func data(_ carrier: String = "uuid128") -> String? { json["advertisingData"]?[carrier]?.string }

  /// Puts it on the air for half a second.
  func broadcast(_ carrier: String = "uuid128") throws {
    try site.broadcast(try data(carrier).expected("advertising data for \(carrier)"))
  }

  /// Its advertising data with one bit of the frame's last byte, a part of the tag, turned.
  func forged() throws -> String {
    // The frame stands reversed in a 128-bit UUID: its last byte is the first one behind flags and header.
    var bytes = Array(try data().expected("advertising data"))
    let place = 10
    bytes[place + 1] = bytes[place + 1] == "0" ? "1" : "0"
    return String(bytes)
  }
}

extension Site {
  /// Puts advertising data on the air for half a second, from a holder without any credential.
  func broadcast(_ hex: String) throws {
    try bench.run(.latchkey, ["broadcast", hex, "--radio", try air.holderRadio(), "--seconds", "0.5"]).expecting(
      exit: 0)
  }
}

extension Optional {
  /// The value, or an error that says what was expected.
  func expected(_ what: String) throws -> Wrapped {
    guard let self else { throw TestError("expected \(what)") }
    return self
  }
}
