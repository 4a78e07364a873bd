import HCI
import POSIX
import TestSupport
import Testing

@testable import DoorController

/// Paths of a configuration: where they point, and what they must not be.
@Suite struct ConfigurationPathTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func load(_ lines: String..., lock: String = "dry-run: {}") throws -> DoorConfiguration {
    let text =
      (["site-key: \(String(repeating: "A", count: 43))"] + lines + [
        "doors: { front: { bundle: front.bundle, lock: { \(lock) } } }"
      ]).joined(separator: "\n") + "\n"
    try replaceFile(folder("d.yaml"), contents: Array(text.utf8))
    return try DoorConfiguration.load(path: folder("d.yaml"))
  }

  @Test func radiosOfARelativePathLieBesideTheFile() throws {
    #expect(try load("radio: unix:radio.sock").radio == .unix(path: folder("radio.sock")))
    #expect(
      try load("radio: serial:tty,115200").radio
        == .serial(path: folder("tty"), baud: 115_200, flowControl: .hardware))
    #expect(try load("radio: unix:/run/radio.sock").radio == .unix(path: "/run/radio.sock"))
    #expect(try load("beacon-radio: unix:b.sock").beaconRadio == .other(.unix(path: folder("b.sock"))))
    let same = "unix:\(folder("radio.sock"))"
    #expect(try load("radio: unix:radio.sock", "beacon-radio: \(same)").beaconRadio == .same)
    #expect(try load("radio: \(same)", "beacon-radio: unix:radio.sock").beaconRadio == .same)
  }

  @Test func aBoardsLineIsReadWithItsSpeed() throws {
    func lock(_ text: String) throws -> LockSettings? { try load(lock: text).doors.first?.lock }
    #expect(try lock("serial: { port: /dev/ttyS1 }") == .serial(port: "/dev/ttyS1", baud: 9600))
    #expect(try lock("serial: { port: tty, baud: 115200 }") == .serial(port: folder("tty"), baud: 115_200))
  }

  @Test(arguments: [
    ("serial: { port: /dev/ttyS1, baud: 12345 }", "expected one of the speeds 1200, "),
    ("serial: { port: /dev/ttyS1, baud: fast }", "expected one of the speeds 1200, "),
    ("serial: { prot: /dev/ttyS1 }", "did you mean “port”?"), ("serial: { baud: 9600 }", "expected the key “port”"),
    ("serial: {}", "expected the key “port”"), ("serial: { port: \"\" }", "expected a path"),
  ])
  func aBoardsLineThatCannotBeIsRefused(_ lock: String, _ complaint: String) throws {
    let error = #expect(throws: LoadError.self) { try load(lock: lock) }
    #expect(error.map { "\($0)" }?.contains(complaint) == true, "\(String(describing: error))")
  }

  @Test func aBoardsLineIsNoRadiosAndNoOtherDoors() throws {
    let board = "serial: { port: /dev/ttyS1 }"
    let second = "} }, back: { bundle: back.bundle, lock: { \(board)"
    for (radio, lock, other) in [
      ("serial:/dev/ttyS1,115200", board, "a radio"), ("tcp:127.0.0.1:1", board + second, "door front"),
    ] {
      let error = #expect(throws: LoadError.self) {
        try load("radio: \(radio)", lock: lock)
      }
      let words = "; /dev/ttyS1 has \(other)"
      #expect(error.map { "\($0)" }?.hasSuffix(words) == true, "\(String(describing: error))")
    }
    #expect(throws: LoadError.self) { try load("beacon-radio: serial:/dev/ttyS1,9600", lock: board) }
    #expect(try load("radio: serial:/dev/ttyS2,9600", lock: board).doors.count == 1)
  }

  @Test(arguments: [
    "metrics: state.db", "metrics: state.db.lock", "metrics: state.db-wal", "metrics: front.bundle",
    "metrics: run/control.sock", "control: state.db", "control: front.bundle", "metrics: \"\"", "control: \"\"",
    "metrics: \"a\\0b\"", "state: \"a\\x1b[31m\"",
  ])
  func whatHasToLastIsNoPlaceForWhatIsWrittenAnew(_ line: String) throws {
    #expect(throws: LoadError.self) { try load("volatile: run", line) }
  }

  @Test func aMetricsFileReplacesOnlyItsOwnKind() throws {
    func outcome(_ path: String) throws -> FileError.Problem? {
      let written = Monitor<FileError??>(nil)
      let writer = try MetricsWriter(path: path) { failure in written.withLock { $0 = .some(failure) } }
      writer.write(try wellStatus())
      let result = try #require(written.wait(until: .now() + .seconds(20)) { $0 })
      writer.finish(within: .seconds(20))
      return result?.problem
    }
    let path = folder("door.prom")
    #expect(try outcome(path) == nil)
    #expect(try outcome(path) == nil, "its own may be replaced")
    try replaceFile(folder("keys"), contents: Array("secret".utf8))
    #expect(try outcome(folder("keys")) == .foreign)
    #expect(try readFile(folder("keys"), limit: 100) == Array("secret".utf8))
    try replaceFile(folder("empty"), contents: [])
    #expect(try outcome(folder("empty")) == nil)
    try run(executable: "/bin/ln", ["-s", path, folder("link")]).expecting(exit: 0)
    #expect(try outcome(folder("link")) == .foreign)
    try run(executable: "/usr/bin/mkfifo", [folder("pipe")]).expecting(exit: 0)
    #expect(try outcome(folder("pipe")) == .foreign)
  }
}
