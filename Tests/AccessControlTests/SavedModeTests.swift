import Testing

@testable import AccessControl

@Suite("Modes after a restart")
struct SavedModeTests {
  static let wall = Samples.noon
  static let now = Duration.seconds(77)

  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let saved: SavedMode
    var lastRecord: Int64 = wall - 10
    var trusted = true
    let wanted: DoorMode.Change
    let notes: [Restoration]
    var testDescription: String { name }
  }

  static let table: [Row] = [
    Row(name: "locked", saved: SavedMode(), wanted: .close, notes: []),
    Row(name: "locked down", saved: SavedMode(isLockedDown: true), wanted: .close, notes: [.lockedDown]),
    Row(
      name: "locked down wins over what can't be", saved: SavedMode(isLockedDown: true, hold: .indefinite),
      wanted: .close, notes: [.lockedDown]),
    Row(name: "held on", saved: SavedMode(hold: .indefinite), wanted: .open(until: nil), notes: [.heldOn]),
    Row(
      name: "held on without a clock", saved: SavedMode(hold: .indefinite), trusted: false, wanted: .open(until: nil),
      notes: [.heldOn]),
    Row(
      name: "held for the rest", saved: SavedMode(hold: .until(wall + 60)), wanted: .open(until: now + .seconds(60)),
      notes: [.heldFor(seconds: 60)]),
    Row(
      name: "held until just now", saved: SavedMode(hold: .until(wall)), wanted: .close, notes: [.holdEnded(at: wall)]),
    Row(
      name: "held, clock untrusted", saved: SavedMode(hold: .until(wall + 60)), trusted: false, wanted: .close,
      notes: [.holdCutOff]),
    Row(
      name: "held, clock behind the last record", saved: SavedMode(hold: .until(wall + 60)), lastRecord: wall + 1,
      wanted: .close, notes: [.holdCutOff]),
    Row(
      name: "held for longer than any hold", saved: SavedMode(hold: .until(.max)),
      wanted: .open(until: now + .seconds(15_300)), notes: [.heldFor(seconds: 15_300)]),
    Row(
      name: "a pulse cut off", saved: SavedMode(pulseUntil: wall - 7), wanted: .close,
      notes: [.pulseCutOff(until: wall - 7)]),
    Row(name: "a pulse that had ended", saved: SavedMode(pulseUntil: wall - 10), wanted: .close, notes: []),
    Row(
      name: "a pulse over a hold", saved: SavedMode(hold: .indefinite, pulseUntil: wall), wanted: .open(until: nil),
      notes: [.heldOn, .pulseCutOff(until: wall)]),
  ]

  @Test(arguments: table)
  func restores(_ row: Row) {
    let (mode, notes) = DoorMode.restored(
      row.saved, lastRecord: row.lastRecord, now: Self.now, wall: Self.wall, clockTrusted: row.trusted)
    #expect(mode.wanted(now: Self.now) == row.wanted)
    #expect(notes == row.notes)
    #expect(mode.isLockedDown == row.saved.isLockedDown)
  }

  @Test func extremesDoNotTrap() {
    for saved in [SavedMode(hold: .until(.max), pulseUntil: .max), SavedMode(hold: .until(.min), pulseUntil: .min)] {
      for wall in [Int64.min, 0, .max] {
        _ = DoorMode.restored(saved, lastRecord: .min, now: Self.now, wall: wall, clockTrusted: true)
      }
    }
    var mode = DoorMode()
    _ = mode.apply(.hold(for: .seconds(60)), now: Self.now)
    #expect(mode.saved(now: Self.now, wall: .max).hold == .until(.max))
  }

  @Test func savesWhatStillRuns() {
    var mode = DoorMode()
    _ = mode.apply(.hold(for: .seconds(60)), now: Self.now)
    _ = mode.apply(.unlock(for: .milliseconds(4_200)), now: Self.now)
    #expect(
      mode.saved(now: Self.now, wall: Self.wall) == SavedMode(hold: .until(Self.wall + 60), pulseUntil: Self.wall + 5))
    #expect(mode.saved(now: Self.now + .seconds(60), wall: Self.wall + 60) == SavedMode())
    _ = mode.apply(.hold(for: nil), now: Self.now)
    _ = mode.apply(.lock, now: Self.now)
    _ = mode.apply(.hold(for: nil), now: Self.now)
    #expect(mode.saved(now: Self.now, wall: Self.wall) == SavedMode(hold: .indefinite))
    _ = mode.apply(.lockdown(end: false), now: Self.now)
    #expect(mode.saved(now: Self.now, wall: Self.wall) == SavedMode(isLockedDown: true))
  }

  @Test func aRestartDoesNotLengthenAHold() {
    var mode = DoorMode()
    _ = mode.apply(.hold(for: .seconds(1_800)), now: .seconds(500))
    let saved = mode.saved(now: .seconds(500), wall: Self.wall)
    // Ten minutes later, in another boot.
    let (after, notes) = DoorMode.restored(
      saved, lastRecord: Self.wall + 590, now: .seconds(20), wall: Self.wall + 600, clockTrusted: true)
    #expect(notes == [.heldFor(seconds: 1_200)])
    #expect(after.wanted(now: .seconds(20)) == .open(until: .seconds(1_220)))
  }
}
