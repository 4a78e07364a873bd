internal import AccessControl
internal import AirProtocol
internal import Ledger
internal import POSIX

/// What a door goes on from: its ledger at a start, and its own memory at a reload.
extension DoorPipeline {
  /// What a change of the rulebook needs and may fail to get.
  struct Change {
    fileprivate let keeper: IndexKeeper
    fileprivate let challenges: ChallengeSeries
    fileprivate let guardian: ReplayGuard
  }

  /// Builds the index of another rulebook, and carries marks and presses over to its keys; changes nothing.
  func prepareChange(to new: Rulebook) throws -> Change {
    let old = rulebook
    let places = new.doors.map { door in old.doors.firstIndex { $0.number == door.number } }
    let challenges = challenges.carried(
      to: places, period: new.challengePeriod, environment.random)
    let keeper = try environment.makeKeeper(new, slot, challenges)
    var guardian = guardian.renumbered(clock: new.clock) { key in
      guard let door = old.table.doorIndex(ofKey: key), let rule = old.rule(ofKey: key, door: door) else { return nil }
      return new.key(ofCredential: rule.id, atDoor: old.doors[door].number)
    }
    try restoreMemory(of: new, into: &guardian) { id, door in old.key(ofCredential: id, atDoor: door) == nil }
    return Change(keeper: keeper, challenges: challenges, guardian: guardian)
  }

  /// From here on frames are judged by the new rulebook.
  func changeOver(to new: Rulebook, doors next: [RunningDoor], _ change: Change) {
    rulebook = new
    doors = next
    keeper = change.keeper
    challenges = change.challenges
    guardian = change.guardian
    if !environment.trustsClock, trust.isTrusted, !doorsWithoutFloor.isEmpty {
      raiseFloors(of: doorsWithoutFloor, environment.clocks.wall())
      if let start = timeFramesFrom { tell(.clock, detail: "at new doors " + wait(until: start)) }
    }
  }

  /// Takes marks and presses of those credentials from the ledger that nothing newer is known of.
  func restoreMemory(
    of rulebook: Rulebook, into guardian: inout ReplayGuard, _ isNew: (Identifier, DoorNumber) -> Bool
  ) throws {
    let boot = environment.clocks.boot()
    let wall = environment.clocks.wall()
    for door in rulebook.doors {
      let number = door.number
      if let floor = try ledger.floor(ofDoor: number.rawValue) { guardian.restore(floor: floor, ofDoor: number) }
      for state in try ledger.states(ofDoor: number.rawValue) where isNew(state.credential, number) {
        guard let mark = state.mark, let key = rulebook.key(ofCredential: state.credential, atDoor: number) else {
          continue
        }
        guardian.restore(TimeMark(slot: mark.slot, sequence: mark.sequence), forKey: key)
      }
      let since = WallTime(seconds: wall.seconds - rulebook.clock.pressWindow.components.seconds)
      for press in try ledger.presses(ofDoor: number.rawValue, since: since) where isNew(press.credential, number) {
        guard let key = rulebook.key(ofCredential: press.credential, atDoor: number),
          let command = Command(name: press.command.rawValue, argument: press.argument)
        else { continue }
        // A press from the future of a clock that went back counts as one of now: that errs towards not repeating.
        let age = max(.zero, wall.sinceEpoch - press.time.sinceEpoch)
        guardian.restore(
          RememberedPress(press: press.press, command: command, result: press.result, heard: boot.sinceBoot - age),
          forKey: key)
      }
    }
  }
}
