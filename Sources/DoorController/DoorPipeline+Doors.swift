internal import AccessControl
internal import AirProtocol
internal import Ledger
internal import LockHardware
internal import POSIX

/// Doors at start, in time, at a reload and at the end.
extension DoorPipeline {
  /// A pulse or a hold that ended: the lock closed by itself, the mode follows and is written down.
  func expireModes(_ boot: BootInstant) {
    for door in doors {
      guard case .close = door.mode.expire(now: boot.sinceBoot) else { continue }
      // The lock's own deadline has closed it; saying it again costs nothing and heals whatever differs.
      door.drive(.close)
      save(door, boot)
    }
  }

  /// Makes a door ready: its mode as it was, its lock as the mode wants it.
  func startDoor(
    _ door: Rulebook.Door, lock: NumberedLock, _ way: ExitWay, _ boot: BootInstant, _ wall: WallTime
  ) throws -> RunningDoor {
    let mode = try restoredMode(of: door, boot, wall)
    var spent: [Identifier: UInt32] = [:]
    for state in try ledger.states(ofDoor: door.number.rawValue) where state.usesSpent > 0 {
      spent[state.credential] = state.usesSpent
    }
    let running = RunningDoor(door, mode: mode, spent: spent, lock: lock, exitWay: way)
    running.beginWatch(door.settings.monitor, now: boot)
    running.drive(mode.wanted(now: boot.sinceBoot))
    return running
  }

  /// Goes on under another rulebook, all or nothing: whatever can fail comes before anything changes.
  func adopt(_ new: Rulebook) throws {
    let boot = environment.clocks.boot()
    let change = try prepareChange(to: new)
    let known = doors
    var locks: [DoorNumber: (lock: NumberedLock, way: ExitWay)] = [:]
    var next: [RunningDoor] = []
    do {
      try new.check(with: ledger)
      for door in new.doors where running(door)?.lockSettings != door.settings.lock {
        let way = running(door)?.exitWay ?? ExitWay()
        locks[door.number] = (try makeLock(door, way), way)
      }
      for door in new.doors {
        if let running = running(door) {
          next.append(running)
        } else if let (lock, way) = locks[door.number] {
          next.append(try startDoor(door, lock: lock, way, boot, environment.clocks.wall()))
        }
      }
      try new.accept(into: ledger)
    } catch {
      // Locks of doors that don't come after all: closed, as they were when they were made.
      for door in next where !known.contains(where: { $0 === door }) { door.endWatch() }
      for (lock, _) in locks.values { Self.letGo(of: lock.lock) }
      throw error
    }
    for (running, door) in zip(next, new.doors) where known.contains(where: { $0 === running }) {
      adoptMonitor(door.settings.monitor, of: running, lockIsNew: locks[door.number] != nil, boot)
      guard let old = running.adopt(door, newLock: locks[door.number]?.lock, now: boot) else { continue }
      retire(old, of: running, isReplaced: true)
    }
    for door in known where !next.contains(where: { $0 === door }) {
      door.endWatch()
      retire(door.numberedLock, of: door, isReplaced: false)
      saveEnd(of: door, boot)
    }
    locksReturned(to: new.doors.map(\.number))
    changeOver(to: new, doors: next, change)
    // Behind those that ended: a line that another input had is free now.
    for door in doors { startInputs(of: door) }
  }

  /// Whether every lock has said that it stands where it was told: closed, or open as a hold of the last run wants it.
  var locksStand: Bool {
    doors.allSatisfy { door in if case .stands = door.lockWord { true } else { false } }
  }

  /// Doors that are open or about to be, so that an end of the daemon would move their locks.
  var openDoors: [Identifier] {
    let now = environment.clocks.boot().sinceBoot
    return doors.filter { $0.mode.wanted(now: now) != .close || $0.lockWord == .stands(.open) }.map(\.id)
  }

  /// The door that runs under that number and id.
  private func running(_ door: Rulebook.Door) -> RunningDoor? {
    doors.first { $0.number == door.number && $0.id == door.id }
  }

  /// Something for the log that isn't about a frame.
  func tell(_ kind: DoorEvent.Kind, detail: String) {
    var event = DoorEvent(time: environment.clocks.wall(), kind: kind)
    event.detail = detail
    environment.emit(event)
  }

  /// When the next pulse or hold ends; nil where no door waits for one.
  var nextModeDeadline: BootInstant? {
    doors.compactMap(\.mode.nextDeadline).min().map(BootInstant.init(sinceBoot:))
  }

  /// Begins to close every lock for good, without waiting for it.
  func beginStopDoors() {
    for door in doors { door.beginStop() }
  }

  /// Doors whose lock couldn't be closed, those that are no more among them.
  var doorsLeftOpen: [Identifier] {
    doors.filter(\.lockWord.isLeftOpen).map(\.id) + retired.filter(\.isLeftOpen).map(\.door)
  }

  /// Closes every lock and lets go of what drives it; a pulse ends here, a hold goes on at the next start.
  package func stopDoors() {
    let boot = environment.clocks.boot()
    for door in doors {
      door.stop()
      saveEnd(of: door, boot)
    }
  }

  /// Writes down that a door's pulse is over, since its lock is closed now; a hold goes on when the door comes back.
  private func saveEnd(of door: RunningDoor, _ boot: BootInstant) {
    guard door.mode.pulseUntil != nil || door.mode.exitUntil != nil else { return }
    door.mode.endPulse()
    save(door, boot)
  }

  /// The mode of a door as it was saved, as far as it goes on after a restart.
  private func restoredMode(of door: Rulebook.Door, _ boot: BootInstant, _ wall: WallTime) throws -> DoorMode {
    let lastRecord = try ledger.lastRecordTime()?.seconds ?? 0
    let (mode, notes) = DoorMode.restored(
      try ledger.mode(ofDoor: door.number.rawValue), lastRecord: lastRecord, now: boot.sinceBoot, wall: wall.seconds,
      clockTrusted: isClockTrusted)
    for note in notes {
      var event = DoorEvent(time: wall, kind: .lock)
      event.door = door.id.text
      event.detail = note.words
      environment.emit(event)
    }
    return mode
  }

  /// Writes down a door's mode that no command has changed: a pulse or hold that ended.
  func save(_ door: RunningDoor, _ boot: BootInstant) {
    let wall = environment.clocks.wall()
    var event = LedgerEvent("mode", at: wall)
    event.door = door.id
    event.detail = door.mode.state(now: boot.sinceBoot).description
    note(event, of: door.number, mode: door.mode.saved(now: boot.sinceBoot, wall: wall.seconds))
  }

  /// Writes down something of a door that isn't about a frame.
  ///
  /// - Returns: the record's number; nil where there is none.
  @discardableResult
  func note(_ event: LedgerEvent, of door: DoorNumber, mode: SavedMode? = nil) -> Int64? {
    let entry = LedgerEntry(event, doorNumber: door.rawValue, mode: mode, clockTrusted: isClockTrusted)
    do throws(LedgerError) {
      let id = try ledger.record(entry)
      recorded(at: event.time, id: id)
      return id
    } catch {
      ledgerFailed(error, event.time)
      return nil
    }
  }
}

extension Restoration {
  /// For people.
  var words: String {
    switch self {
    case .lockedDown: "still locked down"
    case .heldOn: "held open until released, as before the restart"
    case .heldFor(let seconds): "held open for another \(seconds) s, as before the restart"
    case .holdEnded(let end): "the hold ended at \(WallTime(seconds: end).rfc3339(milliseconds: false))"
    case .holdCutOff: "the hold ends here: its rest can't be told from a clock that isn't trusted"
    case .pulseCutOff(let end):
      "the last run ended in mid-pulse, \(WallTime(seconds: end).rfc3339(milliseconds: false)); closed"
    }
  }
}
