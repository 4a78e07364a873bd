internal import AccessControl
internal import AirProtocol
internal import Ledger
internal import LockHardware
internal import POSIX

/// An operator has a lock opened and closed (decision 0087, "test-lock").
extension DoorPipeline {
  /// Opens a lock for its pulse, as a grant does: recorded first, and with the same precedence.
  ///
  /// - Parameters:
  ///   - seconds: 0: the door's own pulse; else at most its longest.
  ///   - user: the id of whoever asks.
  ///   - reply: gets the report once the lock is closed again, or isn't opened at all; on the door's thread.
  func testLock(
    of id: Identifier, seconds: UInt8, askedBy user: UInt32, reply: @escaping (LockTest.Report) -> Void
  ) {
    guard let door = doors.first(where: { $0.id == id }) else {
      return refuse(id, .unknownDoor, "there is no such door", reply)
    }
    let boot = environment.clocks.boot()
    let wall = environment.clocks.wall()
    switch door.mode.state(now: boot.sinceBoot) {
    case .lockedDown: return refuse(id, .lockdown, "the door is locked down", reply)
    // A lock that is open already shows neither its opening nor, before somebody else's pulse or hold ends, its closing.
    case .unlocked, .heldOpen: return refuse(id, .alreadyOpen, "the door is open: try again once it is closed", reply)
    case .locked, .unknown: break
    }
    if door.lockWord == .stands(.open) {
      return refuse(id, .alreadyOpen, "the lock is still being closed: try again in a moment", reply)
    }
    let pulse = door.policy.pulse(argument: seconds)
    var mode = door.mode
    let order = DoorOrder.unlock(for: pulse)
    _ = mode.apply(order, now: boot.sinceBoot)
    let saved = mode.saved(now: boot.sinceBoot, wall: wall.seconds)
    guard let record = recordTest(of: door, seconds, askedBy: user, saved, wall) else {
      return refuse(id, .notRecorded, "it can't be recorded, and what isn't recorded isn't done", reply)
    }
    lockTests.append(
      LockTest(door: id, lock: door.numberedLock.id, id: record, pulse: pulse, began: boot, reply: reply))
    // As a grant's, it counts from when the lock is told.
    let now = environment.clocks.boot().sinceBoot
    let change = door.mode.apply(order, now: now)
    door.watch?.follow(order, door.mode, record: record, now: now)
    door.drive(change, for: LockCause(event: record))
    FaultPoint.afterLock.reach()
  }

  private func refuse(
    _ door: Identifier, _ failure: LockTest.Report.Failure, _ detail: String, _ reply: (LockTest.Report) -> Void
  ) {
    reply(LockTest.Report(door: door, failure: failure, detail: detail))
  }

  /// Makes it durable, and tells it; nil where the ledger can't.
  private func recordTest(
    of door: RunningDoor, _ seconds: UInt8, askedBy user: UInt32, _ mode: SavedMode, _ wall: WallTime
  ) -> Int64? {
    var event = DoorEvent(time: wall, kind: .lockTest)
    event.door = door.id.text
    event.argument = seconds
    event.detail = "asked for at the control socket by \(user == 0 ? "root" : "user \(user)")"
    var record = LedgerEvent(event.kind.rawValue, at: wall)
    record.door = door.id
    record.command = .unlock
    record.argument = seconds
    record.detail = event.detail
    do throws(LedgerError) {
      event.id = try ledger.record(
        LedgerEntry(record, doorNumber: door.number.rawValue, mode: mode, clockTrusted: isClockTrusted))
      recorded(at: wall, id: event.id)
    } catch {
      ledgerFailed(error, wall)
      return nil
    }
    environment.emit(event)
    return event.id
  }

  /// A lock has said something: a test that waits for it goes on or ends.
  func observeLockTest(of lock: LockID, _ report: LockReport) {
    guard let place = lockTests.firstIndex(where: { $0.lock == lock }) else { return }
    let isLockedDown = doors.first { $0.numberedLock.id == lock }?.mode.isLockedDown ?? false
    if lockTests[place].observe(report, isLockedDown: isLockedDown) { lockTests.remove(at: place).finish() }
  }

  /// Ends tests whose lock says nothing more, or is held open by somebody meanwhile.
  func expireLockTests(_ boot: BootInstant) {
    for place in lockTests.indices.reversed() {
      let door = doors.first { $0.numberedLock.id == lockTests[place].lock }
      if door == nil {
        lockTests[place].fail(.lockFailed, "a reload took the lock away from its door")
      } else if door?.mode.state(now: boot.sinceBoot) == .heldOpen {
        lockTests[place].fail(.alreadyOpen, "it was opened, and somebody holds it open now")
      } else if lockTests[place].deadline <= boot {
        lockTests[place].fail(.lockFailed, "it hasn't said that it is closed again")
      } else {
        continue
      }
      lockTests.remove(at: place).finish()
    }
  }
}
