internal import AccessControl
internal import AirProtocol
internal import Ledger
internal import LockHardware
internal import POSIX

/// Which of the locks that this run has made.
package struct LockID: Hashable, Sendable {
  let number: UInt64
}

/// A lock and its number.
struct NumberedLock {
  let id: LockID
  let lock: any Lock
}

/// A lock that no door has any more: it closes for good, and is listened to until then.
struct RetiredLock {
  let id: LockID
  let door: Identifier
  /// Nil where the door isn't known any more.
  let number: DoorNumber?
  let settings: LockSettings
  /// Whether it is the one of a run that hasn't ended well.
  var isOfLastRun = false
  /// Whether it may have stood open when the door let go of it.
  var mayBeOpen = true
  /// The lock with which the door goes on, or came back; nil: the door is no more.
  var successor: Successor? = nil
  var word = LockWord.nothing
  var hasEnded = false

  /// What a lock has to do with the one before it.
  enum Successor {
    /// It moves the same, and so closes it.
    case same
    /// It moves something else.
    case another
  }

  /// The door has that lock now.
  mutating func succeed(_ new: LockSettings) {
    var movesTheSame = settings.movesTheSame(as: new)
    // Of programs that have changed behind a kill it isn't assumed that the new one closes what the old one has opened.
    if isOfLastRun, case .command(let old) = settings, case .command(let commands) = new {
      movesTheSame = old.lock == commands.lock
    }
    successor = movesTheSame ? .same : .another
  }

  /// Whether nobody could close it, and nobody else will.
  var isLeftOpen: Bool { mayBeOpen && successor != .same && word != .stands(.closed) }

  /// Whose it was, in words.
  var remark: String {
    if isOfLastRun { return "the lock of the last run's configuration" }
    return successor == nil ? "the door is in the configuration no more" : "the lock of the configuration before"
  }
}

/// What the doors' locks say.
extension DoorPipeline {
  /// A lock moved, or couldn't.
  func lockReported(_ lock: LockID, _ report: LockReport) {
    if let door = doors.first(where: { $0.numberedLock.id == lock }) {
      var settled: [Actuation] = []
      if case .battery(let percent) = report.event { door.battery = percent }
      if case .seen(let role, let reading) = report.event { boardSaid(door, role, InputReport(reading, at: report.at)) }
      if let word = LockWord(report.event) {
        // An answer says how the door stands now, and doesn't wait for the disk.
        door.lockWord = word
        settled = lockAnswers(door, report.event)
        showOnAir(environment.clocks.boot())
      }
      let id = report.cause.flatMap { $0.event ?? door.exitRecord }
      // A lock tells a command that it has done once, however many words with itself it has about it.
      let isKnown = if case .stands = report.event { id.map { $0 <= door.lastActuated } ?? true } else { false }
      if !isKnown { tell(report, follows: id, door.id, door.number, nil) }
      door.lastActuated = max(door.lastActuated, id ?? 0)
      // Commands that came while it moved for another one are done with that.
      for actuation in settled where actuation.event != id { record(actuation, at: door, detail: nil) }
      if case .failed(.open, _) = report.event { giveUp(door) }
      observeLockTest(of: lock, report)
    } else if let place = retired.firstIndex(where: { $0.id == lock }) {
      if let word = LockWord(report.event) { retired[place].word = word }
      let old = retired[place]
      tell(report, follows: report.cause?.event, old.door, old.number, old.remark)
    }
  }

  /// A lock couldn't open, or didn't stay so: what it won't open for any more is over, here and after a restart, and explains no
  /// opening.
  private func giveUp(_ door: RunningDoor) {
    guard door.giveUp() else { return }
    let boot = environment.clocks.boot()
    door.watch?.monitor.limit(to: door.mode.granted, now: boot.sinceBoot)
    save(door, boot)
    showOnAir(boot)
  }

  /// A lock that no door has any more has ended, closed or not.
  func lockEnded(_ lock: LockID) {
    guard let place = retired.firstIndex(where: { $0.id == lock }) else { return }
    retired[place].hasEnded = true
    let old = retired[place]
    // Its closing may have come after the new lock's opening.
    if old.successor != nil, let door = doors.first(where: { $0.number == old.number }) { door.refreshLock() }
    if !old.isLeftOpen { retired.remove(at: place) }
    // One of its lines may be a siren's now.
    startSirens()
  }

  /// These doors have a lock again, which may be what moves what they had before.
  func locksReturned(to doors: [Rulebook.Door]) {
    for place in retired.indices where retired[place].successor != .same {
      let number = retired[place].number
      if let door = doors.first(where: { $0.number == number }) { retired[place].succeed(door.settings.lock) }
    }
    retired.removeAll { $0.successor == .same && $0.hasEnded }
  }

  /// Doors whose former lock couldn't be closed, and that have no lock now that does it.
  var retiredLeftOpen: [Identifier] { retired.filter { $0.isLeftOpen && $0.hasEnded }.map(\.door) }

  /// Whether a lock that nothing else closes is still to close.
  var awaitsRetiredLocks: Bool { retired.contains { $0.mayBeOpen && $0.successor != .same && !$0.hasEnded } }

  /// Those that only their programs can close, and that aren't known to be closed.
  var unclosedLocks: [LocksInCharge.Door] {
    retired.filter { $0.isLeftOpen || !$0.hasEnded && $0.word != .stands(.closed) }.compactMap {
      LocksInCharge.Door(id: $0.door, $0.settings)
    }
  }

  /// Closes locks of a run that hasn't ended well, and that no door has any more; they are listened to like those of a reload.
  func close(leftBehind: [LocksInCharge.Door]) {
    for left in leftBehind {
      let settings = LockSettings.command(left.commands)
      let door = rulebook.doors.first { $0.id == left.id }
      do {
        let lock = try makeLock(of: left.id, settings, ExitWay())
        var old = RetiredLock(id: lock.id, door: left.id, number: door?.number, settings: settings, isOfLastRun: true)
        if let door { old.succeed(door.settings.lock) }
        letGo(of: lock, old)
      } catch {
        var event = DoorEvent(time: environment.clocks.wall(), kind: .lockFailed)
        event.door = left.id.text
        event.state = LockPosition.closed.rawValue
        event.detail = "\(error) (the lock of the last run's configuration)"
        environment.emit(event)
      }
    }
  }

  /// Closes a lock and lets go of it, without waiting: its program may hang for as long as its time limit.
  ///
  /// - Parameters:
  ///   - settings: the lock's.
  ///   - word: what it said last.
  func retire(_ lock: NumberedLock, _ settings: LockSettings, _ word: LockWord, of door: RunningDoor) {
    var old = RetiredLock(id: lock.id, door: door.id, number: door.number, settings: settings)
    old.mayBeOpen = word != .stands(.closed)
    letGo(of: lock, old)
  }

  private func letGo(of lock: NumberedLock, _ old: RetiredLock) {
    retired.append(old)
    let (id, ended) = (lock.id, environment.onLockEnded)
    Self.letGo(of: lock.lock) { ended(id) }
  }

  /// Closes a lock for good, and waits for that on a thread of its own.
  static func letGo(of lock: any Lock, _ ended: @escaping @Sendable () -> Void = {}) {
    lock.beginStop()
    let end: @Sendable () -> Void = {
      lock.stop()
      ended()
    }
    do throws(Errno) { _ = try POSIX.Thread(name: "lock end", end) } catch { end() }
  }

  /// Records what became of a command that the lock itself didn't name.
  func record(_ actuation: Actuation, at door: RunningDoor, detail: String?) {
    let isDone = actuation.result == .done
    var record = LedgerEvent((isDone ? DoorEvent.Kind.lock : .lockFailed).rawValue, at: environment.clocks.wall())
    record.door = door.id
    record.reason = isDone ? nil : .lockFailed
    record.follows = actuation.event
    record.detail = detail ?? actuation.position.rawValue
    note(record, of: door.number)
    door.lastActuated = max(door.lastActuated, actuation.event)
  }

  /// Tells and records what a lock said.
  ///
  /// - Parameters:
  ///   - id: the record of the command or exit that it came of.
  ///   - remark: in words, for people.
  private func tell(
    _ report: LockReport, follows id: Int64?, _ door: Identifier, _ number: DoorNumber?, _ remark: String?
  ) {
    // An exit that wasn't recorded, since there were too many, has no movements that are.
    let number = report.cause == .exit && id == nil ? nil : number
    var event = DoorEvent(time: environment.clocks.wall(), kind: .lock)
    event.door = door.text
    event.id = id
    event.detail = remark
    var record = LedgerEvent(event.kind.rawValue, at: event.time)
    record.door = door
    record.follows = id
    switch report.event {
    case .battery, .seen: return
    case .output(let position, let line):
      event.kind = .lockOutput
      event.state = position.rawValue
      event.detail = line
      return environment.emit(event)
    case .moved(let position), .stands(let position):
      event.state = position.rawValue
      record.detail = remark.map { "\(position.rawValue) (\($0))" } ?? position.rawValue
      // What nobody asked for, as at a start, has nobody to be held against.
      if report.cause != nil, let number { note(record, of: number) }
      // A command that found the lock where it wants it has its record, but nothing moved.
      if case .stands = report.event { return }
    case .failed(let position, let reason):
      counters.lockFailures &+= 1
      event.kind = .lockFailed
      event.reason = Reason.lockFailed.rawValue
      event.state = position.rawValue
      event.detail = remark.map { "\(reason) (\($0))" } ?? reason
      record.kind = event.kind.rawValue
      record.reason = .lockFailed
      record.detail = "\(position.rawValue): \(reason)"
      if let number { note(record, of: number) }
    }
    environment.emit(event)
  }
}
