internal import AccessControl
internal import Advertising
internal import AirProtocol
package import HCI
internal import LatchkeyCrypto
package import Ledger
package import LockHardware
package import POSIX

/// The way of a frame: report, carrier, hint index, tag, order, decision, ledger, and only then the lock.
///
/// It belongs to one thread, which owns the ledger too. Time, lock and radio are passed in, so that a recording takes
/// the same way as the air does. Nothing is allocated for an advert that isn't ours.
package final class DoorPipeline {
  /// What a pipeline is told once, and what differs between the air and a recording.
  package struct Environment {
    let clocks: Clocks
    /// Whether the clock is trusted whatever it says: a recording's is.
    let trustsClock: Bool
    /// Whether the next slot's index is built on a thread of its own.
    let buildsInBackground: Bool
    /// Told when a background build stands; on the builder's thread.
    let onIndexReady: @Sendable () -> Void
    /// Makes the lock of a door.
    let makeLock: (Rulebook.Door) throws -> any Lock
    /// Where events go.
    let emit: (DoorEvent) -> Void
    /// Where beacons and answers go, whenever they change; nil: the doors are silent.
    let air: ((AdvertisingPlan?) -> Void)?
    /// 64 random bits for a challenge.
    let random: () -> UInt64

    package init(
      clocks: Clocks, trustsClock: Bool, buildsInBackground: Bool, onIndexReady: @escaping @Sendable () -> Void,
      makeLock: @escaping (Rulebook.Door) throws -> any Lock, emit: @escaping (DoorEvent) -> Void,
      air: ((AdvertisingPlan?) -> Void)? = nil, random: @escaping () -> UInt64 = systemRandom
    ) {
      self.clocks = clocks
      self.trustsClock = trustsClock
      self.buildsInBackground = buildsInBackground
      self.onIndexReady = onIndexReady
      self.makeLock = makeLock
      self.emit = emit
      self.air = air
      self.random = random
    }
  }

  let environment: Environment
  let ledger: Ledger
  var rulebook: Rulebook
  var doors: [RunningDoor]
  var guardian: ReplayGuard
  var counters = Counters()
  var challenges: ChallengeSeries
  var answers = AnswerBook()
  /// What is on the air now, with what its beacons say.
  var airState = AirState()
  private var trust: ClockTrust
  private var keeper: IndexKeeper
  private var verifier: FrameVerifier
  private var parser = AdvertisingReportParser()
  private var radioCounters = RadioCounters()
  /// The door's own slot, as of the last look at the clock: a tick's, or a command's.
  private(set) var slot: UInt64
  private var forgeries: ForgeryWatch
  /// Wall time of the last record, in Unix seconds.
  private var lastBeat: Int64 = 0
  private(set) var ledgerRecord: LedgerRecord

  /// Takes over the doors of a rulebook: locks are closed, marks and modes come from the ledger.
  package init(
    _ rulebook: Rulebook, ledger: Ledger, clockSource: DoorConfiguration.ClockSource, environment: Environment
  ) throws {
    self.environment = environment
    self.rulebook = rulebook
    self.ledger = ledger
    let now = environment.clocks.wall()
    let lastRecord = try ledger.lastRecordTime()
    ledgerRecord = LedgerRecord(last: lastRecord)
    slot = rulebook.clock.slot(at: now.seconds)
    trust = ClockTrust(
      basis: clockSource == .battery ? .battery : .kernel, slotSeconds: rulebook.clock.slotSeconds,
      lastRecord: lastRecord?.sinceEpoch ?? .zero)
    verifier = try FrameVerifier()
    challenges = ChallengeSeries(period: rulebook.challengePeriod)
    keeper = try environment.makeKeeper(rulebook, slot, challenges)
    guardian = ReplayGuard(clock: rulebook.clock)
    forgeries = ForgeryWatch(boot: environment.clocks.boot())
    doors = []
    try restoreMemory(of: rulebook, into: &guardian) { _, _ in true }
    observeClock(first: true)
    for door in rulebook.doors {
      doors.append(try startDoor(door, lock: try environment.makeLock(door), environment.clocks.boot(), now))
    }
  }

  // MARK: - The packet path

  /// Takes in one HCI event with advertising reports.
  ///
  /// Called for every advert in the air: allocates nothing unless a frame is authentic.
  package func hear(_ event: Span<UInt8>, arrival: BootInstant) {
    parser.forEachReport(in: event, counters: &radioCounters) { report, data in
      FrameSearch.forEachFrame(in: data, markers: rulebook.markers) { frame, _ in
        do throws(CryptoError) {
          switch try verifier.verify(frame, index: keeper.index) {
          case .foreign: counters.foreign &+= 1
          case .forged: counters.forged &+= 1
          case .verified(let command): handle(command, heard: arrival, rssi: report.rssi)
          }
        } catch {
          counters.cryptoFailures &+= 1
        }
      }
    }
  }

  // MARK: - Time

  /// Looks at the clocks: a new slot, a pulse that ended, the clock's trust, the ledger's heartbeat.
  ///
  /// - Returns: when it wants to be called again at the latest.
  func tick() -> BootInstant {
    let boot = environment.clocks.boot()
    let wall = environment.clocks.wall()
    noticeSlot(boot, wall)
    renewIndex(boot)
    observeClock(first: false)
    expireModes(boot)
    beat(wall)
    showOnAir(boot)
    if let event = forgeries.look(
      at: boot, wall: wall, counters: counters, keys: rulebook.table.count,
      epochs: Self.epochs(of: rulebook, slot, challenges).count)
    {
      environment.emit(event)
    }
    let intoSlot = wall.sinceEpoch - .seconds(rulebook.clock.start(ofSlot: slot))
    let untilNextSlot = max(.milliseconds(1), .seconds(rulebook.clock.slotSeconds) - intoSlot)
    let next = boot + min(untilNextSlot, .seconds(1))
    let others = [nextModeDeadline, challenges.deadline.map(BootInstant.init(sinceBoot:)), answers.deadline(at: boot)]
    return others.reduce(next) { min($0, $1 ?? next) }
  }

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

  /// Keeps the index at what is expected, and draws and sends challenges as theirs stands.
  private func renewIndex(_ boot: BootInstant) {
    orderIndex()
    guard environment.air != nil else { return }
    // Twice, for an index that is built on the spot.
    for _ in 0..<2 {
      _ = challenges.advance(now: boot.sinceBoot) { keeper.expects($0) }
      guard challenges.draw(doors: doors.count, environment.random) else { return }
      orderIndex()
    }
  }

  /// Takes in what a recording shows the doors sending: frames under challenges of theirs count from then on.
  func sent(_ data: Span<UInt8>, at boot: BootInstant) {
    var isNew = false
    FrameSearch.forEachFrame(in: data, markers: rulebook.markers) { frame, carrier in
      guard carrier == .uuid128 else { return }
      for (index, door) in rulebook.table.doors.enumerated() {
        guard let beacon = try? door.beaconKey.open(frame), beacon.door == door.number else { continue }
        let observed = challenges.observe(
          beacon.challenge, door: index, of: rulebook.table.doors.count, now: boot.sinceBoot)
        isNew = isNew || observed
      }
    }
    if isNew { orderIndex() }
  }

  /// Takes an index that has become ready, and orders what is expected from now on.
  private func orderIndex() {
    do {
      try keeper.want(Self.epochs(of: rulebook, slot, challenges))
    } catch {
      // Without an index of this slot the door hears less and less; better told than silent.
      tell(.clock, detail: "no index of what is expected now: \(error)")
    }
  }

  /// What frames are expected under: the accepted slots and the one that comes next, and the challenges.
  fileprivate static func epochs(of rulebook: Rulebook, _ slot: UInt64, _ challenges: ChallengeSeries) -> [Epoch] {
    let accepted = rulebook.clock.acceptedSlots(around: slot)
    let slots = accepted.lowerBound...min(accepted.upperBound &+ 1, SlotClock.lastSlot)
    return slots.map { Epoch.time(slot: $0, doors: rulebook.table.doors.count) } + challenges.epochs
  }

  /// Everything counted so far; `radio` adds what the radio's own thread counted.
  package func snapshot(adding radio: RadioCounters = RadioCounters()) -> Counters {
    var result = counters
    result.radio = radioCounters
    result.radio += radio
    return result
  }

  /// The door's moment for the replay guard.
  func moment(_ boot: BootInstant) -> ReplayGuard.Moment {
    ReplayGuard.Moment(
      boot: boot.sinceBoot, slot: slot, clockTrusted: isClockTrusted, newestChallenge: challenges.newestSent)
  }

  /// Whether time frames are judged now.
  var isClockTrusted: Bool { environment.trustsClock || trust.isTrusted }

  /// Why they aren't; nil where they are.
  var clockDoubt: ClockTrust.Doubt? { environment.trustsClock ? nil : trust.doubt }

  /// A durable record was made; a heartbeat has no id.
  func recorded(at wall: WallTime, id: Int64? = nil) {
    trust.recorded(at: wall.sinceEpoch)
    lastBeat = wall.seconds
    ledgerRecord.succeeded(at: wall, id: id)
  }

  /// The ledger couldn't record: told once in a while, since a full disk fails every time.
  func ledgerFailed(_ error: LedgerError, _ wall: WallTime) {
    counters.ledgerFailures &+= 1
    guard ledgerRecord.failed("\(error)", at: environment.clocks.boot()) else { return }
    var event = DoorEvent(time: wall, kind: .ledger)
    event.state = "failed"
    event.detail = "\(error); nothing opens until it can be recorded"
    environment.emit(event)
  }

  private func observeClock(first: Bool) {
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
  private var doorsWithoutFloor: [DoorNumber] {
    rulebook.doors.map(\.number).filter { guardian.floor(ofDoor: $0) == nil }
  }

  private func wait(until start: WallTime) -> String {
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
  private func raiseFloors(of numbers: [DoorNumber], _ wall: WallTime) {
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
  private func beat(_ wall: WallTime) {
    guard !environment.trustsClock, trust.isTrusted, wall.seconds - lastBeat >= 60 else { return }
    lastBeat = wall.seconds
    do throws(LedgerError) {
      try ledger.heartbeat(at: wall, clockTrusted: true)
      recorded(at: wall)
    } catch {
      ledgerFailed(error, wall)
    }
  }

  // MARK: - Start and reload

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
  private func restoreMemory(
    of rulebook: Rulebook, into guardian: inout ReplayGuard, _ isNew: (Identifier, DoorNumber) -> Bool
  ) throws {
    let boot = environment.clocks.boot()
    let wall = environment.clocks.wall()
    let window = Int64(rulebook.clock.slotSeconds * (2 * rulebook.clock.skewSlots + 2)) + 10
    for door in rulebook.doors {
      let number = door.number
      if let floor = try ledger.floor(ofDoor: number.rawValue) { guardian.restore(floor: floor, ofDoor: number) }
      for state in try ledger.states(ofDoor: number.rawValue) where isNew(state.credential, number) {
        guard let mark = state.mark, let key = rulebook.key(ofCredential: state.credential, atDoor: number) else {
          continue
        }
        guardian.restore(TimeMark(slot: mark.slot, sequence: mark.sequence), forKey: key)
      }
      let since = WallTime(seconds: wall.seconds - window)
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

extension DoorPipeline.Environment {
  func makeKeeper(_ rulebook: Rulebook, _ slot: UInt64, _ challenges: ChallengeSeries) throws -> IndexKeeper {
    try IndexKeeper(
      table: rulebook.table, epochs: DoorPipeline.epochs(of: rulebook, slot, challenges),
      inBackground: buildsInBackground, onReady: onIndexReady)
  }
}

/// 64 bits of the system's random numbers (getrandom(2)).
package func systemRandom() -> UInt64 {
  var generator = SystemRandomNumberGenerator()
  return generator.next()
}
