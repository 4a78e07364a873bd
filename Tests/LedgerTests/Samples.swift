import AccessControl
import POSIX
import TestSupport
import Testing

@testable import Ledger

/// Entries to vary in tests.
enum Samples {
  static let noon: Int64 = 1_796_040_000

  static func time(_ seconds: Int64, milliseconds: Int32 = 0) -> WallTime {
    WallTime(seconds: noon + seconds, nanoseconds: milliseconds * 1_000_000)
  }

  static func id(_ text: String) throws -> Identifier { try #require(Identifier(text)) }

  static func mark(_ slot: UInt64, _ sequence: UInt8 = 0) throws -> RecordedMark {
    try #require(RecordedMark(slot: slot, sequence: sequence))
  }

  /// What a granted unlock records.
  static func grant(
    _ credential: String = "alice-phone", door: UInt16 = 1, at seconds: Int64 = 0, slot: UInt64 = 100,
    sequence: UInt8 = 0, press: UInt8 = 7, uses: Bool = false, mode: SavedMode? = nil
  ) throws -> LedgerEntry {
    var event = LedgerEvent("granted", at: time(seconds, milliseconds: 250))
    event.door = try id("front")
    event.credential = try id(credential)
    event.holder = try DisplayName("Zoë")
    event.command = .unlock
    event.argument = 0
    event.byChallenge = false
    event.sequence = sequence
    event.press = press
    event.result = 1
    return try LedgerEntry(
      event, doorNumber: door, mark: mark(slot, sequence), consumesUse: uses, mode: mode, clockTrusted: true)
  }
}

/// A state in a directory of its own, with volatile storage beside it.
struct Place {
  let directory: TemporaryDirectory
  let volatile: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    volatile = try TemporaryDirectory()
  }

  /// Another directory with the same volatile storage: the machine after its disk was changed.
  init(sharing place: Place) throws {
    directory = try TemporaryDirectory()
    volatile = place.volatile
  }

  var path: String { directory("state.db") }

  func open() throws -> Ledger { try Ledger(path: path, volatileDirectory: volatile.path) }

  /// The line in volatile storage; nil where there is none.
  func volatileLine() throws -> String? {
    let names = try volatile.names()
    #expect(names.count <= 1)
    return try names.first.map { try volatile.text($0) }
  }

  /// Copies the files of the state as they are at this moment, as a kill would leave them.
  func copyState(to other: Place) throws {
    for name in ["state.db", "state.db-wal", "state.db.serials"] where directory.has(name) {
      try other.directory.write(name, bytes: directory.read(name))
    }
  }
}
