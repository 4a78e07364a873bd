package import AccessControl
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
    /// Makes a lock of a door, whose reports bear that number; exits that its board hears take that way.
    let makeLock: (Identifier, LockSettings, LockID, ExitWay) throws -> any Lock
    /// Told when a lock that no door has any more has ended; on a thread of its own.
    let onLockEnded: @Sendable (LockID) -> Void
    /// Makes an input of a door, whose reports bear that number, and whose exits take the door's way; nil, as ever in a
    /// recording: nothing reads it.
    var makeInput: (MonitorSettings.Input, InputRole, RunningDoor, InputID) throws(Errno) -> (any DoorInput)? = {
      (_, _, _, _) throws(Errno) in nil
    }
    /// Makes a door's siren, whose reports bear that number; nil, as ever in a recording: nothing sounds.
    var makeSiren: (MonitorSettings.Siren, Identifier, SirenID) throws(Errno) -> (any Lock)? = {
      (_, _, _) throws(Errno) in nil
    }
    /// Told when a siren that no door has any more has ended; on a thread of its own.
    var onSirenEnded: @Sendable () -> Void = {}
    /// Where events go.
    let emit: (DoorEvent) -> Void
    /// Where beacons and answers go, whenever they change; nil: the doors are silent.
    let air: ((AdvertisingPlan?) -> Void)?
    /// 64 random bits for a challenge.
    let random: () -> UInt64

    package init(
      clocks: Clocks, trustsClock: Bool, buildsInBackground: Bool, onIndexReady: @escaping @Sendable () -> Void,
      makeLock: @escaping (Identifier, LockSettings, LockID, ExitWay) throws -> any Lock,
      onLockEnded: @escaping @Sendable (LockID) -> Void = { _ in }, emit: @escaping (DoorEvent) -> Void,
      air: ((AdvertisingPlan?) -> Void)? = nil, random: @escaping () -> UInt64 = systemRandom
    ) {
      self.clocks = clocks
      self.trustsClock = trustsClock
      self.buildsInBackground = buildsInBackground
      self.onIndexReady = onIndexReady
      self.makeLock = makeLock
      self.onLockEnded = onLockEnded
      self.emit = emit
      self.air = air
      self.random = random
    }
  }

  let environment: Environment
  let ledger: Ledger
  var rulebook: Rulebook
  var doors: [RunningDoor]
  /// Locks that no door has any more, until they have ended, or for good where they couldn't be closed.
  var retired: [RetiredLock] = []
  private var lastLock: UInt64 = 0
  /// Tests of locks that go on (`test-lock`).
  var lockTests: [LockTest] = []
  var lastInput: UInt64 = 0
  var lastSiren: UInt64 = 0
  /// Sirens that no door has any more, and that may still hold their lines.
  var endingSirens = 0
  var guardian: ReplayGuard
  var counters = Counters()
  var challenges: ChallengeSeries
  var answers = AnswerBook()
  /// What is on the air now, with what its beacons say.
  var airState = AirState()
  var trust: ClockTrust
  var keeper: IndexKeeper
  private var verifier: FrameVerifier
  private var parser = AdvertisingReportParser()
  private var radioCounters = RadioCounters()
  /// The door's own slot, as of the last look at the clock: a tick's, or a command's.
  var slot: UInt64
  private var forgeries: ForgeryWatch
  /// When a trusted clock recorded last, or a heartbeat was tried; nil: not yet.
  ///
  /// Not by the wall clock: one that was ahead, and recorded that, would have no heartbeat until it is there again.
  var lastBeat: BootInstant?
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
      let way = ExitWay()
      let boot = environment.clocks.boot()
      let restored = try restore(door, boot, now)
      doors.append(startDoor(door, restored, lock: try makeLock(door, way), way, boot))
    }
    for door in doors { startInputs(of: door) }
    startSirens()
  }

  /// A lock of that door, with a number of its own.
  func makeLock(_ door: Rulebook.Door, _ way: ExitWay) throws -> NumberedLock {
    try makeLock(of: door.id, door.settings.lock, way)
  }

  func makeLock(of door: Identifier, _ settings: LockSettings, _ way: ExitWay) throws -> NumberedLock {
    lastLock &+= 1
    let id = LockID(number: lastLock)
    return NumberedLock(id: id, lock: try environment.makeLock(door, settings, id, way))
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
  /// - Parameter heardUntil: the last moment of which everything is known that inputs have said; nil: now.
  /// - Returns: when it wants to be called again at the latest.
  package func tick(heardUntil: BootInstant? = nil) -> BootInstant {
    let boot = environment.clocks.boot()
    let wall = environment.clocks.wall()
    noticeSlot(boot, wall)
    renewIndex(boot)
    observeClock(first: false)
    expireModes(boot)
    expireLockTests(boot)
    watchDoors(heardUntil ?? boot)
    beat(boot, wall)
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
    let others = [
      nextModeDeadline, nextMonitorDeadline, challenges.deadline.map(BootInstant.init(sinceBoot:)),
      answers.deadline(at: boot),
    ]
    return others.reduce(next) { min($0, $1 ?? next) }
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

  /// A durable record was made; a heartbeat has no id.
  func recorded(at wall: WallTime, id: Int64? = nil) {
    trust.recorded(at: wall.sinceEpoch)
    // What an untrusted clock records isn't a trusted one's record.
    if isClockTrusted { lastBeat = environment.clocks.boot() }
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
}

/// 64 bits of the system's random numbers (getrandom(2)).
package func systemRandom() -> UInt64 {
  var generator = SystemRandomNumberGenerator()
  return generator.next()
}
