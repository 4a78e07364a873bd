internal import AccessControl
internal import LockHardware
internal import POSIX

/// What sounds while a door's alarm is on (docs/door-monitor.md, "Siren").
extension DoorPipeline {
  /// Sounds for an alarm that begins, and is silent again where it ends.
  func sound(_ door: RunningDoor, _ happenings: [DoorMonitor.Event], _ now: BootInstant) {
    for happening in happenings {
      switch happening {
      case .forced, .heldOpen:
        door.watch?.alarmSince = now
        soundForAlarm(door, now)
      case .restored: door.watch?.siren?.silence()
      case .opened, .closed, .heldOpenWarning: break
      }
    }
  }

  /// A siren did what it was told, or couldn't.
  func sirenReported(_ id: SirenID, _ report: LockReport) {
    for door in doors where door.watch?.siren?.id == id {
      if let state = door.watch?.siren?.observe(report.event) { tell(door, state) }
    }
  }

  /// A siren that no door has any more has ended.
  func sirenEnded() {
    endingSirens -= 1
    startSirens()
  }

  /// Begins to drive the sirens that doors should have and haven't yet; those of an alarm that is on sound.
  ///
  /// Not before what a reload has replaced has let go of its lines: they may be the same.
  func startSirens() {
    guard endingSirens == 0, !retired.contains(where: \.holdsLines) else { return }
    for door in doors {
      guard let settings = door.watch?.settings.siren, door.watch?.siren == nil else { continue }
      lastSiren &+= 1
      let id = SirenID(number: lastSiren)
      do throws(Errno) {
        let lock = try environment.makeSiren(settings, door.id, id)
        door.watch?.siren = Siren(id: id, settings: settings, lock: lock)
        soundForAlarm(door, environment.clocks.boot())
      } catch {
        door.watch?.siren = Siren(id: id, settings: settings, lock: nil)
        sirenReported(id, LockReport(.failed(.closed, reason: "\(error)"), at: environment.clocks.boot()))
      }
    }
  }

  /// Goes on with another siren, or another time; an alarm that is on goes on with it.
  func adoptSiren(_ settings: MonitorSettings.Siren?, of door: RunningDoor, _ now: BootInstant) {
    guard let siren = door.watch?.siren, siren.settings != settings else { return }
    guard let settings, settings.lines == siren.settings.lines else { return retireSiren(of: door) }
    door.watch?.siren?.settings = settings
    soundForAlarm(door, now)
  }

  /// Silences a door's siren and lets go of it, without waiting.
  func retireSiren(of door: RunningDoor) {
    guard let siren = door.watch?.siren else { return }
    door.watch?.siren = nil
    guard let lock = siren.lock else { return }
    endingSirens += 1
    Self.letGo(of: lock, environment.onSirenEnded)
  }

  /// Has the siren do what the alarm that is on, if one is, has left of its time.
  private func soundForAlarm(_ door: RunningDoor, _ now: BootInstant) {
    guard let watch = door.watch, let siren = watch.siren, let since = watch.alarmSince, watch.monitor.alarm != nil
    else { return }
    let end = siren.settings.limit.map { since + $0 }
    if let end, end <= now { siren.silence() } else { siren.sound(until: end) }
  }

  private func tell(_ door: RunningDoor, _ state: Siren.State) {
    var event = event(.siren, of: door)
    event.state = state.word
    event.detail = state.problem
    // The alarm that it sounds for has a record.
    if state.problem != nil { record(event, of: door, follows: nil) }
    environment.emit(event)
  }
}

extension RetiredLock {
  /// Whether it may still have GPIO lines.
  fileprivate var holdsLines: Bool { if case .gpio = settings { !hasEnded } else { false } }
}
