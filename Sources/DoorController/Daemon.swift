internal import AccessControl
internal import AirProtocol
internal import HCI
internal import Ledger
internal import LockHardware
internal import POSIX

/// `latchkeyd run`: a radio, some doors, a ledger, and the thread that owns them.
///
/// The calling thread is the door's: it takes adverts from the radio's queue, and messages of other threads (signals,
/// lock, reload) between them. Where it can't start, it closes the locks and throws.
public final class Daemon {
  private let configurationPath: String
  private let emit: (DoorEvent) -> Void
  private let clocks: Clocks
  /// Room for 20 ms of the most crowded air that one processor bears (docs/benchmarks.md): so long another process may have
  /// the processor.
  private let reports = ReportQueue(capacity: 16_384)
  private let mailbox: Mailbox
  private let service: ServiceManager
  private let signals: SignalThread
  private let capturePath: String?
  private let acceptsClock: Bool
  private let takesOver: Bool
  /// Whether what `LocksInCharge` has to say may have changed.
  private var locksChanged = false
  private var keptLocks: LocksInCharge?

  /// Prepares a daemon; must be made on the main thread before any other thread exists, since it blocks the signals
  /// that it listens to, and takes what a service manager has put into the environment out of it.
  ///
  /// - Parameters:
  ///   - capturePath: where a btsnoop capture of the radio goes; nil: nowhere.
  ///   - acceptsClock: takes a clock that is behind the last record for right, once.
  ///   - takesOver: takes an adapter from the kernel's own host, as `take-over` of the configuration does.
  ///   - emit: gets every event, on the calling thread of `run`.
  public init(
    configurationPath: String, capturePath: String?, acceptsClock: Bool, takesOver: Bool,
    emit: @escaping (DoorEvent) -> Void
  ) throws(DaemonError) {
    self.configurationPath = configurationPath
    self.capturePath = capturePath
    self.acceptsClock = acceptsClock
    self.takesOver = takesOver
    self.emit = emit
    clocks = .machine
    service = ServiceManager(
      takingFrom: ProcessEnvironment.take, process: ProcessEnvironment.process, now: .now())
    let mailbox = Mailbox(waking: reports)
    self.mailbox = mailbox
    do {
      signals = try SignalThread()
      try signals.start(mailbox)
    } catch {
      throw .system("signals: \(error)")
    }
  }

  /// Runs until SIGTERM or SIGINT.
  public func run() throws(DaemonError) {
    let configuration: DoorConfiguration
    do throws(LoadError) { configuration = try DoorConfiguration.load(path: configurationPath) } catch {
      LockClosing.runQuietly(configurationPath)
      throw DaemonError(error)
    }
    let radios = DoorRadios(
      configuration, capturePath: capturePath, takesOver: takesOver, reports: reports, mailbox: mailbox)
    let radio = radios.listening
    let pipeline: DoorPipeline
    do {
      pipeline = try DaemonError.wrapping { try makePipeline(configuration, radios) }
    } catch {
      // A predecessor may have been killed in mid-pulse: what can't start must not leave the lock open.
      LockClosing.runQuietly(configurationPath)
      throw error
    }
    let rulebook = pipeline.rulebook
    // Stopping twice changes nothing: this is for every way out.
    defer { pipeline.stopDoors() }
    do {
      try radios.start()
    } catch {
      throw .radio(error)
    }
    let watch = DaemonWatch(configuration, clocks, mailbox)
    watch.start()
    announce(.started, detail: rulebook.summary)
    for warning in rulebook.warnings(sendsBeacons: radios.sends) { announce(.bundle, detail: warning) }
    let failure = loop(pipeline, radio, configuration, watch)
    service.stop()
    // Locks begin to close at once, while the radio takes its second to leave the air.
    pipeline.beginStopDoors()
    watch.closeControl()
    radios.stop(within: .seconds(1))
    pipeline.stopDoors()
    awaitRetiredLocks(pipeline)
    watch.finish(pipeline, radio)
    announce(.stopped, counters: pipeline.snapshot(adding: radio.counters))
    let open = pipeline.doorsLeftOpen
    if open.isEmpty {
      forgetLocks(configuration)
    } else {
      locksChanged = true
      keepLocks(of: pipeline, configuration)
      throw .lockFailed("door \(open.map(\.text).joined(separator: ", ")): the lock couldn't be closed; see to it")
    }
    if let failure { throw .radio(failure) }
  }

  private func makePipeline(_ configuration: DoorConfiguration, _ radios: DoorRadios) throws -> DoorPipeline {
    let rulebook = try Rulebook(loading: configuration)
    let ledger = try openLedger(configuration, rulebook)
    let leftBehind = leftBehind(configuration)
    try LocksInCharge(configuration.doors, and: leftBehind, configurationPath: configurationPath).write(
      to: LocksInCharge.path(ofState: configuration.statePath))
    let pipeline = try DoorPipeline(
      rulebook, ledger: ledger, clockSource: configuration.clock, environment: environment(radios))
    pipeline.close(leftBehind: leftBehind)
    return pipeline
  }

  /// What a run that hasn't ended well may have left open, and the configuration doesn't have any more.
  private func leftBehind(_ configuration: DoorConfiguration) -> [LocksInCharge.Door] {
    do {
      let path = LocksInCharge.path(ofState: configuration.statePath)
      return try LocksInCharge(reading: path)?.missing(in: configuration.doors) ?? []
    } catch {
      var event = DoorEvent(time: clocks.wall(), kind: .lockFailed)
      event.state = LockPosition.closed.rawValue
      event.detail = "\(error): a lock of the last run may be open, if its configuration was another"
      emit(event)
      return []
    }
  }

  /// Goes on until it is told to stop, or the radio has ended for good.
  ///
  /// - Returns: what ended the radio: something that doesn't heal by itself (decision 0040).
  private func loop(
    _ pipeline: DoorPipeline, _ radio: Radio, _ configuration: DoorConfiguration, _ watch: DaemonWatch
  ) -> RadioError? {
    var reloader = Reloader(path: configurationPath, running: configuration, mailbox: mailbox)
    var hasNews = true
    var heardUntil = clocks.boot()
    while true {
      var deadline = pipeline.tick(heardUntil: heardUntil)
      if let due = watch.tick(pipeline, radio) { deadline = min(deadline, due) }
      if watch.restartIsWanted, pipeline.openDoors.isEmpty { return nil }
      keepLocks(of: pipeline, configuration)
      let isReady = watch.radioObeys && pipeline.locksStand && !pipeline.awaitsRetiredLocks
      let due = service.turn(now: .now(), isReady: isReady, hasNews: hasNews) {
        Health(watch.status(pipeline, radio))
      }
      if let due { deadline = min(deadline, due) }
      reports.drain(until: deadline) { event, arrival in pipeline.hear(event, arrival: arrival) }
      heardUntil = clocks.boot()
      let messages = mailbox.takeAll()
      // What came with the word to end isn't lost: a lock's report may be among it.
      var end: RadioError??
      hasNews = !messages.isEmpty
      for message in messages {
        switch message {
        case .radio(let state):
          if let event = watch.observe(state) { emit(event) }
          if case .ended(let error?) = state { end = .some(error) }
        case .beaconRadio(let state): if let event = watch.observeBeaconRadio(state) { emit(event) }
        case .lock(let lock, let news):
          pipeline.lockReported(lock, news)
          locksChanged = locksChanged || !pipeline.retired.isEmpty
        case .lockEnded(let lock):
          pipeline.lockEnded(lock)
          locksChanged = true
        case .input(let input, let report): pipeline.inputSaid(input, report)
        case .siren(let siren, let report): pipeline.sirenReported(siren, report)
        case .sirenEnded: pipeline.sirenEnded()
        case .reload:
          service.reloadBegan()
          reloader.start()
        case .loaded(let rulebook):
          reloader.finished()
          adopt(rulebook, pipeline, watch)
          if !reloader.isLoading { service.reloadEnded() }
        case .notLoaded(let problem):
          reloader.finished()
          refuse(problem, watch)
          if !reloader.isLoading { service.reloadEnded() }
        case .asked(let request, let user, let reply): answer(request, user, reply, pipeline, radio, watch)
        case .control(let failure): emit(watch.controlReported(failure))
        case .metrics(let failure): if let event = watch.metricsWritten(failure) { emit(event) }
        case .showCounters: announce(.counters, counters: pipeline.snapshot(adding: radio.counters))
        case .stop: end = end ?? .some(nil)
        }
      }
      if let end { return end }
    }
  }

  /// Answers a request of the control socket, at once or once a lock has moved.
  private func answer(
    _ request: ControlRequest, _ user: UInt32, _ reply: @escaping ControlReply, _ pipeline: DoorPipeline,
    _ radio: Radio, _ watch: DaemonWatch
  ) {
    switch request {
    case .status: reply(.status(watch.status(pipeline, radio)))
    case .health: reply(.health(Health(watch.status(pipeline, radio))))
    case .testLock(let door, let seconds):
      pipeline.testLock(of: door, seconds: seconds, askedBy: user) { reply(.testLock($0)) }
    case .restart where service.isThere:
      watch.restartIsWanted = true
      reply(.restart(pipeline.openDoors))
    case .restart:
      reply(
        .refused(ControlRefusal(.refused, "no service manager started it that would start it anew: end it by SIGTERM")))
    }
  }

  /// Hears what the locks still say; those of doors that are no more may take as long to close as a lock's last tries.
  private func awaitRetiredLocks(_ pipeline: DoorPipeline) {
    let deadline = BootInstant.now() + .seconds(15)
    while true {
      for message in mailbox.takeAll() {
        switch message {
        case .lock(let lock, let report): pipeline.lockReported(lock, report)
        case .lockEnded(let lock): pipeline.lockEnded(lock)
        default: break
        }
      }
      if !pipeline.awaitsRetiredLocks || BootInstant.now() >= deadline { return }
      reports.drain(until: deadline) { _, _ in }
    }
  }

  private func adopt(_ rulebook: Rulebook, _ pipeline: DoorPipeline, _ watch: DaemonWatch) {
    do {
      try pipeline.adopt(rulebook)
      locksChanged = true
      watch.reloaded()
      announce(.reloaded, detail: rulebook.summary)
      for warning in rulebook.warnings(sendsBeacons: watch.sendsBeacons) { announce(.bundle, detail: warning) }
    } catch {
      refuse("\(error)", watch)
    }
  }

  /// Writes down what closes the locks in charge, and those that have been and aren't closed yet.
  private func keepLocks(of pipeline: DoorPipeline, _ configuration: DoorConfiguration) {
    guard locksChanged else { return }
    locksChanged = false
    let locks = LocksInCharge(
      pipeline.rulebook.doors.map(\.settings), and: pipeline.unclosedLocks, configurationPath: configurationPath)
    if locks == keptLocks { return }
    do throws(FileError) {
      try locks.write(to: LocksInCharge.path(ofState: configuration.statePath))
      keptLocks = locks
    } catch {
      var event = DoorEvent(time: clocks.wall(), kind: .ledger)
      event.state = "incomplete"
      event.detail = "\(error); a daemon that is killed now leaves its locks to the configuration of the last start"
      emit(event)
    }
  }

  private func forgetLocks(_ configuration: DoorConfiguration) {
    do throws(FileError) { try LocksInCharge.remove(LocksInCharge.path(ofState: configuration.statePath)) } catch {
      // They would be closed once more.
    }
  }

  private func refuse(_ problem: String, _ watch: DaemonWatch) {
    watch.reloadRefused(problem)
    announce(.reloadRefused, detail: "\(problem); what ran goes on")
  }

  private func openLedger(_ configuration: DoorConfiguration, _ rulebook: Rulebook) throws -> Ledger {
    let ledger = try Ledger(
      path: configuration.statePath, volatileDirectory: configuration.volatileDirectory,
      eventLimit: configuration.keptEvents)
    if acceptsClock { try acceptClock(ledger, rulebook) }
    try rulebook.accept(into: ledger)
    return ledger
  }

  /// The operator says that the clock is right and what lies in its future is not: marks and the last record's time come
  /// down to now.
  private func acceptClock(_ ledger: Ledger, _ rulebook: Rulebook) throws(LedgerError) {
    let now = clocks.wall()
    let top = rulebook.clock.acceptedSlots(at: now.seconds).upperBound
    let ceilings = Dictionary(uniqueKeysWithValues: rulebook.doors.map { ($0.number.rawValue, top) })
    var event = LedgerEvent("clock", at: now)
    event.detail = "accepted by the operator"
    try ledger.takeBackFuture(ceilings, event)
  }

  private func environment(_ radios: DoorRadios) -> DoorPipeline.Environment {
    let mailbox = mailbox
    var environment = DoorPipeline.Environment(
      clocks: clocks, trustsClock: false, buildsInBackground: true,
      onIndexReady: { [reports] in reports.wake() },
      makeLock: { door, settings, lock, way in
        try settings.makeLock(door: door) { report in
          // First, so that the door's thread hears of an exit before it hears of its movement.
          mailbox.post(.lock(lock, report))
          way.take(report, of: lock)
        }
      },
      onLockEnded: { mailbox.post(.lockEnded($0)) },
      emit: emit, air: radios.sends ? { radios.advertise($0) } : nil)
    environment.makeInput = { (settings, role, door, input) throws(Errno) in
      let way = door.exitWay
      return try settings.make(role, door: door.id) { report in
        mailbox.post(.input(input, report))
        way.take(report)
      }
    }
    environment.makeSiren = { (settings, door, siren) throws(Errno) in
      try settings.make(door: door) { mailbox.post(.siren(siren, $0)) }
    }
    environment.onSirenEnded = { mailbox.post(.sirenEnded) }
    return environment
  }

  private func announce(_ kind: DoorEvent.Kind, detail: String? = nil, counters: Counters? = nil) {
    var event = DoorEvent(time: clocks.wall(), kind: kind)
    event.detail = detail
    event.counters = counters?.json
    emit(event)
  }
}
