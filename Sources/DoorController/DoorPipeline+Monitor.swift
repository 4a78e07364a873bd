internal import AccessControl
internal import AirProtocol
internal import Ledger
internal import LockHardware
internal import POSIX

/// What a door sees of itself: its contact and its exit (docs/door-monitor.md).
extension DoorPipeline {
  /// An input has spoken.
  func inputSaid(_ id: InputID, _ report: InputReport) {
    for door in doors {
      guard let role = door.watch?.inputs.first(where: { $0.value.id == id })?.key else { continue }
      inputSaid(door, role, report)
    }
  }

  /// The board of a door's lock has spoken of one of its inputs.
  func boardSaid(_ door: RunningDoor, _ role: InputRole, _ report: InputReport) {
    switch report.reading {
    case .contact, .lost: door.boardReports[role] = report
    case .found: door.boardReports[role] = nil
    case .exitAsked, .exitFound, .exitOver, .nonsense: break
    }
    if door.watch?.inputs[role]?.settings == .board { inputSaid(door, role, report) }
  }

  /// Begins to read the inputs that a door should have and hasn't yet.
  func startInputs(of door: RunningDoor) {
    guard let wanted = door.watch?.settings.inputs else { return }
    for role in InputRole.allCases {
      guard let settings = wanted[role], door.watch?.inputs[role] == nil else { continue }
      lastInput &+= 1
      let id = InputID(number: lastInput)
      var problem: String?
      var input: (any DoorInput)?
      do throws(Errno) { input = try environment.makeInput(settings, role, door, id) } catch {
        problem = "it can't be read: \(error)"
      }
      door.watch?.inputs[role] = DoorWatch.Input(id: id, settings: settings, input: input, problem: nil)
      if let problem { lost(door, role, problem) }
      // A board tells what has changed: what it said before is still so.
      if settings == .board, let report = door.boardReports[role] { inputSaid(door, role, report) }
    }
  }

  /// Looks whether a door was forced, or stands open for too long, by what was known until then.
  ///
  /// An exit that waits in the mailbox while a disk took its time explains an opening all the same.
  func watchDoors(_ heardUntil: BootInstant) {
    for door in doors {
      guard let events = door.watch?.monitor.expire(now: heardUntil.sinceBoot), !events.isEmpty else { continue }
      tell(door, events)
    }
  }

  /// When a door that stands open is to be looked at again; nil where none is.
  var nextMonitorDeadline: BootInstant? {
    doors.compactMap { $0.watch?.monitor.nextDeadline }.min().map(BootInstant.init(sinceBoot:))
  }

  /// Goes on with other settings of what a door sees.
  ///
  /// - Parameter lockIsNew: whether another board says what its inputs say.
  func adoptMonitor(_ settings: MonitorSettings, of door: RunningDoor, lockIsNew: Bool, _ now: BootInstant) {
    door.exitWay.adopt(settings)
    guard !settings.inputs.isEmpty else {
      retireSiren(of: door)
      door.watch?.stop()
      door.watch = nil
      return
    }
    if door.watch == nil { door.beginWatch(settings, now: now) }
    let events = door.watch?.adopt(settings, lockIsNew: lockIsNew, now: now.sinceBoot) ?? []
    adoptSiren(settings.siren, of: door, now)
    tell(door, events)
  }

  private func inputSaid(_ door: RunningDoor, _ role: InputRole, _ report: InputReport) {
    let at = report.at.sinceBoot
    switch report.reading {
    case .contact(let isOpen): tell(door, door.watch?.monitor.observe(isOpen: isOpen, at: at) ?? [], seenAt: at)
    case .exitAsked: letOut(door, report)
    case .exitFound: door.watch?.monitor.findExit(at: at)
    case .exitOver: door.watch?.monitor.endExit(at: at)
    case .lost(let problem):
      switch role {
      case .sensor: tell(door, door.watch?.monitor.observe(isOpen: nil, at: at) ?? [])
      case .exit: door.watch?.monitor.endExit(at: at)
      }
      lost(door, role, problem)
    case .found:
      guard door.watch?.inputs[role]?.problem != nil else { return }
      door.watch?.inputs[role]?.problem = nil
      tellInput(door, role, "found", nil)
    case .nonsense(let text): tellInput(door, role, "ignored", text)
    }
  }

  /// An input can't be read: told once, whatever the number of attempts.
  private func lost(_ door: RunningDoor, _ role: InputRole, _ problem: String) {
    guard door.watch?.inputs[role]?.problem != problem else { return }
    door.watch?.inputs[role]?.problem = problem
    tellInput(door, role, "lost", problem)
  }

  /// Egress waits for no record, no clock and no mode: the lock is told first, if it wasn't on the short way.
  private func letOut(_ door: RunningDoor, _ report: InputReport) {
    let pulse = door.watch?.settings.exitPulse
    if let pulse { door.letOut(until: report.toldAt + pulse, now: environment.clocks.boot()) }
    counters.doorEvents[.exit, default: 0] &+= 1
    var event = event(.exit, of: door)
    event.id = record(event, of: door, follows: nil)
    door.exitRecord = event.id
    environment.emit(event)
    tell(door, door.watch?.monitor.requestExit(for: pulse ?? .zero, record: event.id, at: report.at.sinceBoot) ?? [])
  }

  /// - Parameter seenAt: when the contact said so; nil: it came from something else.
  private func tell(_ door: RunningDoor, _ happenings: [DoorMonitor.Event], seenAt: Duration? = nil) {
    let now = environment.clocks.boot()
    // An alarm waits for no record, nor does closing.
    sound(door, happenings, now)
    let relocks = seenAt.map { happenings.contains(.closed) && relock(door, closedAt: $0, now) } ?? false
    for happening in happenings { tell(door, happening) }
    if relocks { save(door, now) }
  }

  /// Ends what was granted or asked for, since the door is shut; false where there is nothing to end, or it goes on.
  private func relock(_ door: RunningDoor, closedAt: Duration, _ now: BootInstant) -> Bool {
    guard let watch = door.watch, watch.settings.relocksOnClose, door.mode.hold == .none, door.mode.nextDeadline != nil,
      !watch.monitor.awaitsExit(now: now.sinceBoot)
    else { return false }
    // A closing is told when the contact has come to rest: whoever was let in meanwhile hasn't gone through yet.
    if let granted = watch.monitor.grantedAt, granted > closedAt { return false }
    door.watch?.monitor.relock(now: now.sinceBoot)
    door.endPulse()
    return true
  }

  private func tell(_ door: RunningDoor, _ happening: DoorMonitor.Event) {
    var event = event(happening.kind, of: door)
    event.detail = happening.words
    counters.doorEvents[event.kind, default: 0] &+= 1
    switch happening {
    case .opened(_, let reason):
      // Decision, movement and entry are records of one grant.
      record(event, of: door, follows: reason)
      event.id = reason
    case .closed, .heldOpenWarning: record(event, of: door, follows: nil)
    case .forced, .heldOpen:
      event.id = record(event, of: door, follows: nil)
      door.watch?.alarmRecord = event.id
    case .restored:
      event.id = door.watch?.alarmRecord
      record(event, of: door, follows: event.id)
      door.watch?.alarmRecord = nil
    }
    // Whether it could be recorded or not.
    environment.emit(event)
  }

  private func tellInput(_ door: RunningDoor, _ role: InputRole, _ state: String, _ detail: String?) {
    var event = event(.input, of: door)
    event.state = state
    event.detail = detail.map { "\(role.rawValue): \($0)" } ?? role.rawValue
    // What it says of words that aren't its own is for the log.
    if state != "ignored" { record(event, of: door, follows: nil) }
    environment.emit(event)
  }

  func event(_ kind: DoorEvent.Kind, of door: RunningDoor) -> DoorEvent {
    var event = DoorEvent(time: environment.clocks.wall(), kind: kind)
    event.door = door.id.text
    return event
  }

  /// Writes it down, unless the door has said too much of late.
  ///
  /// - Returns: the record's number; nil where there is none.
  @discardableResult
  func record(_ event: DoorEvent, of door: RunningDoor, follows: Int64?) -> Int64? {
    let kind = RecordBudget.Kind(of: event.kind)
    guard let budget = door.watch?.records[kind, default: RecordBudget()].take(now: environment.clocks.boot()) else {
      return nil
    }
    if budget.isFirst {
      var notice = self.event(.input, of: door)
      notice.state = "restless"
      notice.detail =
        "more than \(RecordBudget.limit) \(kind.rawValue) within a minute: for the rest of it none is recorded"
      environment.emit(notice)
    }
    guard budget.isGranted else { return nil }
    var entry = LedgerEvent(event.kind.rawValue, at: event.time)
    entry.door = door.id
    entry.follows = follows
    entry.detail = [event.state, event.detail].compactMap(\.self).joined(separator: ": ")
    if entry.detail?.isEmpty == true { entry.detail = nil }
    return note(entry, of: door.number)
  }
}

extension DoorMonitor.Event {
  fileprivate var kind: DoorEvent.Kind {
    switch self {
    case .opened: .opened
    case .closed: .closed
    case .forced: .forced
    case .heldOpenWarning: .heldOpenWarning
    case .heldOpen: .heldOpen
    case .restored: .restored
    }
  }

  fileprivate var words: String? {
    switch self {
    case .opened(.grant, _): "by a grant"
    case .opened(.exit, _): "by an exit"
    case .forced: "without a grant and without an exit"
    case .heldOpenWarning: "it stands open for too long; the alarm is next"
    case .heldOpen: "it stands open for too long"
    case .opened(nil, _), .closed, .restored: nil
    }
  }
}
