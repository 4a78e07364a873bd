internal import AirProtocol
internal import Ledger
internal import POSIX

/// The door's clock: its slot, whether it is trusted, and what follows from that (protocol.md, "The door's clock").
extension DoorPipeline {
  /// Whether time frames are judged now.
  var isClockTrusted: Bool { environment.trustsClock || trust.isTrusted }

  /// Why they aren't; nil where they are.
  var clockDoubt: ClockTrust.Doubt? { environment.trustsClock ? nil : trust.doubt }

  /// Looks whether a slot has begun, or the clock was set.
  ///
  /// A command may come before the tick that would see it; it is judged by the slot of now.
  func noticeSlot(_ boot: BootInstant, _ wall: WallTime) {
    let current = rulebook.clock.slot(at: wall.seconds)
    guard current != slot else { return }
    slot = current
    observeClock(first: false)
    guardian.sweep(at: moment(boot))
  }

  func observeClock(first: Bool) {
    guard !environment.trustsClock else { return }
    guard let change = trust.observe(environment.clocks.reading()) else { return }
    var event = DoorEvent(time: environment.clocks.wall(), kind: .clock)
    switch change {
    case .trusted:
      // A state that is the newest has its floors on disk, and nothing else to make up for.
      raiseFloors(of: first && ledger.isNewest ? doorsWithoutFloor : rulebook.doors.map(\.number), event.time)
      event.state = "trusted"
      event.detail = timeFramesFrom.map(wait)
    case .doubted(let doubt):
      // What comes meanwhile moves no mark: after a restart too, trust begins with a floor.
      ledger.forgetNewest()
      event.state = "untrusted"
      event.detail = doubt.words
    }
    environment.emit(event)
    if trust.isTrusted, ledger.volatileNumberIsLost {
      tell(.ledger, detail: "the volatile directory can't be written: the next start waits as after a reboot")
    }
  }

  /// Doors that this ledger has never known: what they heard before, on another controller perhaps, nobody can tell.
  var doorsWithoutFloor: [DoorNumber] {
    rulebook.doors.map(\.number).filter { guardian.floor(ofDoor: $0) == nil }
  }

  func wait(until start: WallTime) -> String {
    "time frames count from \(start.rfc3339(milliseconds: false)) on"
  }

  /// From when on time frames count at every door; nil where no start's wait runs.
  var timeFramesFrom: WallTime? {
    guard let floor = rulebook.doors.compactMap({ guardian.floor(ofDoor: $0.number) }).max(), floor >= slot else {
      return nil
    }
    return WallTime(seconds: rulebook.clock.start(ofSlot: floor &+ 1))
  }

  /// Refuses, at these doors, time frames of all slots up to (slot + skewSlots), and takes back what a clock once ahead
  /// has left beyond.
  func raiseFloors(of numbers: [DoorNumber], _ wall: WallTime) {
    guard !numbers.isEmpty else { return }
    let floor = guardian.raiseFloor(atSlot: slot, doors: numbers)
    let floors = Dictionary(uniqueKeysWithValues: numbers.map { ($0.rawValue, floor) })
    do throws(LedgerError) {
      try ledger.takeBackFuture(floors, LedgerEvent("clock", at: wall))
      try ledger.raiseFloors(floors, at: wall)
    } catch {
      ledgerFailed(error, wall)
    }
  }

  /// At least one record a minute while the clock is trusted, so that a clock that falls back is noticed.
  ///
  /// A minute of CLOCK_BOOTTIME, which counts what the machine slept. A step of the wall clock ends its trust, and makes a
  /// record when that begins anew.
  func beat(_ boot: BootInstant, _ wall: WallTime) {
    let isDue = lastBeat.map { boot - $0 >= .seconds(60) } ?? true
    guard !environment.trustsClock, trust.isTrusted, isDue else { return }
    lastBeat = boot
    do throws(LedgerError) {
      try ledger.heartbeat(at: wall, clockTrusted: true)
      recorded(at: wall)
    } catch {
      ledgerFailed(error, wall)
    }
  }
}
