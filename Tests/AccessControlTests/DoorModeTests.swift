import Testing

@testable import AccessControl

@Suite("Door modes")
struct DoorModeTests {
  static let start = Duration.seconds(1_000)
  static func at(_ seconds: Int64) -> Duration { start + .seconds(seconds) }

  /// The rows of docs/door-modes.md: a door in one of these modes is given an order.
  enum Before: String, CaseIterable, Sendable {
    case locked
    case pulse
    case held
    case heldOn
    case lockedDown

    /// Locked; unlocked for 5 s; held for 10 min; held until released; locked down.
    var mode: DoorMode {
      var mode = DoorMode()
      switch self {
      case .locked: break
      case .pulse: _ = mode.apply(.unlock(for: .seconds(5)), now: start)
      case .held: _ = mode.apply(.hold(for: .seconds(600)), now: start)
      case .heldOn: _ = mode.apply(.hold(for: nil), now: start)
      case .lockedDown: _ = mode.apply(.lockdown(end: false), now: start)
      }
      return mode
    }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let before: Before
    let order: DoorOrder
    let state: DoorState
    let change: DoorMode.Change
    let seconds: UInt16
    var testDescription: String { "\(before), \(order)" }

    init(_ before: Before, _ order: DoorOrder, _ state: DoorState, _ change: DoorMode.Change, _ seconds: UInt16) {
      self.before = before
      self.order = order
      self.state = state
      self.change = change
      self.seconds = seconds
    }
  }

  /// The order comes 2 s after the mode began.
  static let table: [Row] = [
    Row(.locked, .unlock(for: .seconds(5)), .unlocked, .open(until: at(7)), 5),
    Row(.locked, .lock, .locked, .close, 0),
    Row(.locked, .hold(for: .seconds(60)), .heldOpen, .open(until: at(62)), 60),
    Row(.locked, .hold(for: nil), .heldOpen, .open(until: nil), 65_535),
    Row(.locked, .release, .locked, .nothing, 0),
    Row(.locked, .status, .locked, .nothing, 0),
    Row(.locked, .lockdown(end: false), .lockedDown, .close, 0),
    Row(.locked, .lockdown(end: true), .locked, .nothing, 0),

    Row(.pulse, .unlock(for: .seconds(5)), .unlocked, .open(until: at(7)), 5),
    Row(.pulse, .unlock(for: .seconds(1)), .unlocked, .open(until: at(5)), 3),
    Row(.pulse, .lock, .locked, .close, 0),
    Row(.pulse, .hold(for: .seconds(60)), .heldOpen, .open(until: at(62)), 60),
    Row(.pulse, .hold(for: .seconds(1)), .heldOpen, .open(until: at(5)), 3),
    Row(.pulse, .hold(for: nil), .heldOpen, .open(until: nil), 65_535),
    Row(.pulse, .release, .unlocked, .nothing, 3),
    Row(.pulse, .status, .unlocked, .nothing, 3),
    Row(.pulse, .lockdown(end: false), .lockedDown, .close, 0),
    Row(.pulse, .lockdown(end: true), .unlocked, .nothing, 3),

    Row(.held, .unlock(for: .seconds(5)), .heldOpen, .open(until: at(600)), 598),
    Row(.held, .lock, .locked, .close, 0),
    Row(.held, .hold(for: .seconds(60)), .heldOpen, .open(until: at(62)), 60),
    Row(.held, .hold(for: nil), .heldOpen, .open(until: nil), 65_535),
    Row(.held, .release, .locked, .close, 0),
    Row(.held, .status, .heldOpen, .nothing, 598),
    Row(.held, .lockdown(end: false), .lockedDown, .close, 0),
    Row(.held, .lockdown(end: true), .heldOpen, .nothing, 598),

    Row(.heldOn, .unlock(for: .seconds(5)), .heldOpen, .open(until: nil), 65_535),
    Row(.heldOn, .lock, .locked, .close, 0),
    Row(.heldOn, .hold(for: .seconds(60)), .heldOpen, .open(until: at(62)), 60),
    Row(.heldOn, .hold(for: nil), .heldOpen, .open(until: nil), 65_535),
    Row(.heldOn, .release, .locked, .close, 0),
    Row(.heldOn, .status, .heldOpen, .nothing, 65_535),
    Row(.heldOn, .lockdown(end: false), .lockedDown, .close, 0),
    Row(.heldOn, .lockdown(end: true), .heldOpen, .nothing, 65_535),

    Row(.lockedDown, .unlock(for: .seconds(5)), .lockedDown, .nothing, 0),
    Row(.lockedDown, .lock, .lockedDown, .close, 0),
    Row(.lockedDown, .hold(for: .seconds(60)), .lockedDown, .nothing, 0),
    Row(.lockedDown, .hold(for: nil), .lockedDown, .nothing, 0),
    Row(.lockedDown, .release, .lockedDown, .nothing, 0),
    Row(.lockedDown, .status, .lockedDown, .nothing, 0),
    Row(.lockedDown, .lockdown(end: false), .lockedDown, .close, 0),
    Row(.lockedDown, .lockdown(end: true), .locked, .nothing, 0),
  ]

  @Test(arguments: table)
  func follows(_ row: Row) {
    var mode = row.before.mode
    let now = Self.at(2)
    #expect(mode.apply(row.order, now: now) == row.change)
    #expect(mode.state(now: now) == row.state)
    #expect(mode.secondsUntilLocked(now: now) == row.seconds)
    // Whatever the lock was told, a lock that knows nothing would be told the same.
    if row.change != .nothing { #expect(mode.wanted(now: now) == row.change) }
  }

  @Test func theTableIsWhole() {
    for before in Before.allCases {
      let rows = Self.table.filter { $0.before == before }
      #expect(rows.contains { if case .unlock = $0.order { true } else { false } })
      #expect(rows.contains { if case .hold(.some) = $0.order { true } else { false } })
      for order in [.lock, .hold(for: nil), .release, .status, .lockdown(end: false), .lockdown(end: true)]
        as [DoorOrder]
      { #expect(rows.contains { $0.order == order }) }
    }
  }

  @Test func releaseLeavesAPulseThatStillRuns() {
    var mode = Before.held.mode
    _ = mode.apply(.unlock(for: .seconds(5)), now: Self.at(1))
    #expect(mode.apply(.release, now: Self.at(2)) == .open(until: Self.at(6)))
    #expect(mode.state(now: Self.at(2)) == .unlocked)
  }

  @Test func overlappingPulsesAreOne() {
    var mode = DoorMode()
    #expect(mode.apply(.unlock(for: .seconds(5)), now: Self.at(0)) == .open(until: Self.at(5)))
    #expect(mode.apply(.unlock(for: .seconds(5)), now: Self.at(4)) == .open(until: Self.at(9)))
    #expect(mode.expire(now: Self.at(5)) == .nothing)
    #expect(mode.state(now: Self.at(5)) == .unlocked)
    #expect(mode.nextDeadline == Self.at(9))
    #expect(mode.expire(now: Self.at(9)) == .close)
    #expect(mode.expire(now: Self.at(9)) == .nothing)
    #expect(mode.nextDeadline == nil)
  }

  struct Exit: Sendable, CustomTestStringConvertible {
    let before: Before
    /// What the lock is told, and what the door says of itself while somebody goes out.
    let opening: DoorMode.Change
    let state: DoorState
    /// What an order a second later leaves: nothing but a longer hold may be longer than the exit.
    let order: DoorOrder
    let rest: DoorMode.Change
    var testDescription: String { "\(before), \(order)" }
  }

  /// The exit comes 2 s after the mode began and is for 3 s; the order comes a second later.
  static let exits: [Exit] = [
    Exit(before: .locked, opening: .open(until: at(5)), state: .unlocked, order: .lock, rest: .open(until: at(5))),
    Exit(before: .pulse, opening: .open(until: at(5)), state: .unlocked, order: .lock, rest: .open(until: at(5))),
    Exit(before: .held, opening: .open(until: at(600)), state: .heldOpen, order: .lock, rest: .open(until: at(5))),
    Exit(before: .heldOn, opening: .open(until: nil), state: .heldOpen, order: .release, rest: .open(until: at(5))),
    Exit(
      before: .heldOn, opening: .open(until: nil), state: .heldOpen, order: .lockdown(end: false),
      rest: .open(until: at(5))),
    Exit(
      before: .locked, opening: .open(until: at(5)), state: .unlocked, order: .lockdown(end: false),
      rest: .open(until: at(5))),
    Exit(
      before: .lockedDown, opening: .open(until: at(5)), state: .lockedDown, order: .lock, rest: .open(until: at(5))),
    Exit(
      before: .lockedDown, opening: .open(until: at(5)), state: .lockedDown, order: .lockdown(end: true),
      rest: .open(until: at(5))),
    Exit(
      before: .locked, opening: .open(until: at(5)), state: .unlocked, order: .unlock(for: .seconds(9)),
      rest: .open(until: at(12))),
    Exit(
      before: .locked, opening: .open(until: at(5)), state: .unlocked, order: .hold(for: .seconds(1)),
      rest: .open(until: at(5))),
  ]

  @Test("whoever wants to get out is let out in every mode, and no command ends that", arguments: exits)
  func letsOut(_ row: Exit) {
    var mode = row.before.mode
    #expect(mode.exit(until: Self.at(5), now: Self.at(2)) == row.opening)
    #expect(mode.state(now: Self.at(3)) == row.state)
    _ = mode.apply(row.order, now: Self.at(3))
    #expect(mode.wanted(now: Self.at(3)) == row.rest)
  }

  @Test func anExitEndsAtItsMomentAndLeavesTheLockdown() {
    var mode = Before.lockedDown.mode
    _ = mode.exit(until: Self.at(5), now: Self.at(2))
    #expect(mode.secondsUntilLocked(now: Self.at(3)) == 2)
    #expect(mode.nextDeadline == Self.at(5))
    #expect(mode.expire(now: Self.at(4)) == .nothing)
    #expect(mode.expire(now: Self.at(5)) == .close)
    #expect(mode.wanted(now: Self.at(5)) == .close)
    #expect(mode.state(now: Self.at(5)) == .lockedDown)
  }

  @Test("an exit is nothing that commands have granted")
  func exitIsNoGrant() {
    var mode = DoorMode()
    _ = mode.exit(until: Self.at(3), now: Self.at(0))
    #expect(mode.granted == .none)
    _ = mode.apply(.unlock(for: .seconds(5)), now: Self.at(0))
    #expect(mode.granted == .until(Self.at(5)))
    _ = mode.apply(.hold(for: .seconds(60)), now: Self.at(0))
    #expect(mode.granted == .until(Self.at(60)))
    _ = mode.apply(.hold(for: nil), now: Self.at(0))
    #expect(mode.granted == .indefinite)
  }

  @Test func endsAtItsMomentNotAfter() {
    let mode = Before.pulse.mode
    let before = Self.at(5) - .nanoseconds(1)
    #expect(mode.state(now: before) == .unlocked)
    #expect(mode.secondsUntilLocked(now: before) == 1)
    #expect(mode.state(now: Self.at(5)) == .locked)
    #expect(mode.secondsUntilLocked(now: Self.at(5)) == 0)
    #expect(mode.wanted(now: Self.at(5)) == .close)
  }

  @Test func anEndIsToldEvenWhenACommandComesFirst() {
    var mode = Before.pulse.mode
    #expect(mode.apply(.status, now: Self.at(6)) == .nothing)
    #expect(mode.expire(now: Self.at(6)) == .close)
  }

  @Test func aHoldAndAPulseEndOneByOne() {
    var mode = DoorMode()
    _ = mode.apply(.hold(for: .seconds(3)), now: Self.at(0))
    _ = mode.apply(.unlock(for: .seconds(5)), now: Self.at(0))
    #expect(mode.nextDeadline == Self.at(3))
    #expect(mode.expire(now: Self.at(3)) == .nothing)
    #expect(mode.state(now: Self.at(3)) == .unlocked)
    #expect(mode.expire(now: Self.at(5)) == .close)
  }

  @Test func countsNoFurtherThanTheDetailGoes() {
    var mode = DoorMode()
    _ = mode.apply(.hold(for: .seconds(100_000)), now: Self.at(0))
    #expect(mode.secondsUntilLocked(now: Self.at(0)) == 65_534)
    _ = mode.apply(.hold(for: .seconds(-5)), now: Self.at(0))
    #expect(mode.wanted(now: Self.at(0)) == .close)
  }

  @Test(
    arguments: [
      (.unlock, 0, .unlock(for: .seconds(5))), (.unlock, 9, .unlock(for: .seconds(9))),
      (.unlock, 255, .unlock(for: .seconds(30))), (.duress, 0, .unlock(for: .seconds(5))), (.lock, 0, .lock),
      (.hold, 0, .hold(for: nil)), (.hold, 255, .hold(for: .seconds(15_300))), (.release, 0, .release),
      (.status, 0, .status), (.lockdown, 0, .lockdown(end: false)), (.lockdown, 1, .lockdown(end: true)),
    ] as [(Permission, UInt8, DoorOrder)])
  func readsTheArgument(_ permission: Permission, _ argument: UInt8, _ order: DoorOrder) throws {
    #expect(try DoorOrder(permission, argument: argument, door: Samples.door()) == order)
  }
}
