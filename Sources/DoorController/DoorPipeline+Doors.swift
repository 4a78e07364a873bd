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

  /// What a door goes on from.
  struct RestoredDoor {
    fileprivate let mode: DoorMode
    /// What became of the mode that was saved.
    fileprivate let notes: [Restoration]
    fileprivate let spent: [Identifier: UInt32]
  }

  /// What the ledger knows of a door.
  func restore(_ door: Rulebook.Door, _ boot: BootInstant, _ wall: WallTime) throws -> RestoredDoor {
    let (mode, notes) = DoorMode.restored(
      try ledger.mode(ofDoor: door.number.rawValue), lastRecord: try ledger.lastRecordTime()?.seconds ?? 0,
      now: boot.sinceBoot, wall: wall.seconds, clockTrusted: isClockTrusted)
    var spent: [Identifier: UInt32] = [:]
    for state in try ledger.states(ofDoor: door.number.rawValue) where state.usesSpent > 0 {
      spent[state.credential] = state.usesSpent
    }
    return RestoredDoor(mode: mode, notes: notes, spent: spent)
  }

  /// Makes a door ready: its mode as it was, its lock as the mode wants it.
  func startDoor(
    _ door: Rulebook.Door, _ restored: RestoredDoor, lock: NumberedLock, _ way: ExitWay, _ boot: BootInstant
  ) -> RunningDoor {
    for note in restored.notes {
      var event = DoorEvent(time: environment.clocks.wall(), kind: .lock)
      event.door = door.id.text
      event.detail = note.words
      environment.emit(event)
    }
    let running = RunningDoor(door, mode: restored.mode, spent: restored.spent, lock: lock, exitWay: way)
    running.beginWatch(door.settings.monitor, now: boot)
    running.drive(restored.mode.wanted(now: boot.sinceBoot))
    return running
  }

  /// Goes on under another rulebook, all or nothing: whatever can fail comes before anything changes.
  func adopt(_ new: Rulebook) throws {
    let boot = environment.clocks.boot()
    let change = try prepareChange(to: new)
    let known = doors
    try new.check(with: ledger)
    var restored: [DoorNumber: RestoredDoor] = [:]
    for door in new.doors where running(door) == nil {
      restored[door.number] = try restore(door, boot, environment.clocks.wall())
    }
    try new.accept(into: ledger)
    // Last: making a lock closes it.
    let locks = try makeLocks(of: new)
    let next = new.doors.compactMap { door in
      running(door)
        ?? restored[door.number].flatMap { restored in
          locks[door.number].map { startDoor(door, restored, lock: $0.lock, $0.way, boot) }
        }
    }
    for (running, door) in zip(next, new.doors) where known.contains(where: { $0 === running }) {
      adoptMonitor(door.settings.monitor, of: running, lockIsNew: locks[door.number] != nil, boot)
      let (settings, word) = (running.lockSettings, running.lockWord)
      guard let old = running.adopt(door, newLock: locks[door.number]?.lock, now: boot) else { continue }
      retire(old, settings, word, of: running)
    }
    for door in known where !next.contains(where: { $0 === door }) {
      retireSiren(of: door)
      door.endWatch()
      retire(door.numberedLock, door.lockSettings, door.lockWord, of: door)
      saveEnd(of: door, boot)
    }
    locksReturned(to: new.doors)
    changeOver(to: new, doors: next, change)
    // Behind those that ended: a line that another input had is free now.
    for door in doors { startInputs(of: door) }
    startSirens()
  }

  /// The locks that doors of a rulebook lack, or have with other settings.
  ///
  /// Where one can't be made those that were are closed, and what they may have moved is moved back.
  private func makeLocks(of new: Rulebook) throws -> [DoorNumber: (lock: NumberedLock, way: ExitWay)] {
    var locks: [DoorNumber: (lock: NumberedLock, way: ExitWay)] = [:]
    do {
      for door in new.doors where running(door)?.lockSettings != door.settings.lock {
        let way = running(door)?.exitWay ?? ExitWay()
        locks[door.number] = (try makeLock(door, way), way)
      }
    } catch {
      for (number, made) in locks {
        Self.letGo(of: made.lock.lock)
        doors.first { $0.number == number }?.refreshLock()
      }
      throw error
    }
    return locks
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
