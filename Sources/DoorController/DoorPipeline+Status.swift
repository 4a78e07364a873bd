internal import AccessControl
internal import Ledger
internal import LockHardware
internal import POSIX
internal import Provisioning

/// What a door tells whoever watches it.
extension DoorPipeline {
  var clockStatus: DaemonStatus.Clock {
    DaemonStatus.Clock(doubt: isClockTrusted ? nil : clockDoubt?.words, timeFramesFrom: timeFramesFrom)
  }

  var recordingStatus: DaemonStatus.Recording {
    DaemonStatus.Recording(
      last: ledgerRecord.last, lastID: ledgerRecord.lastID, problem: ledgerRecord.problem,
      volatileIsLost: ledger.volatileNumberIsLost)
  }

  /// The doors in the order of the configuration.
  var doorStatus: [DaemonStatus.Door] {
    let now = environment.clocks.boot().sinceBoot
    return zip(doors, rulebook.doors).map { running, door in
      let header = door.bundle.header
      return DaemonStatus.Door(
        id: running.id, name: header.doorName, freshness: door.policy.freshness, state: running.mode.state(now: now),
        secondsUntilLocked: running.mode.secondsUntilLocked(now: now), lock: running.lockWord,
        openingProblem: running.openingProblem,
        battery: running.battery, bundleSerial: header.serial, bundleEnd: header.validUntil,
        credentials: door.keys.count, sight: running.watch.map { DaemonStatus.Sight($0, now: now) })
    }
  }
}

extension DaemonStatus.Sight {
  fileprivate init(_ watch: DoorWatch, now: Duration) {
    contact = watch.settings.inputs[.sensor] == nil ? nil : watch.monitor.contact
    alarm = watch.monitor.alarm
    exitAge = watch.monitor.exitSince.map { now - $0 }
    failures = watch.inputs.compactMapValues(\.problem)
    siren = watch.siren?.state
  }
}
