internal import POSIX

/// What the radio's thread and the rest of the program share, from one start to its end.
final class RadioRun: Sendable {
  struct Shared: Sendable {
    var wanted: WantedState
    var revision: UInt64
    var stopUntil: BootInstant?

    var state = RadioState.off
    var settled: UInt64 = 0
    var mayBeOnAir = false
    var lastReport: BootInstant?
    var hasEnded = false
    var counters = RadioCounters()
    var captureFailure: RadioError?
  }

  let shared: Monitor<Shared>
  /// There are wishes to look at.
  let wishes: WakeUp
  /// Opening is to be given up.
  let cancel: WakeUp

  init(wanted: WantedState, revision: UInt64) throws(Errno) {
    shared = Monitor(Shared(wanted: wanted, revision: revision))
    wishes = try WakeUp()
    cancel = try WakeUp()
  }

  func want(_ wanted: WantedState, revision: UInt64) {
    shared.withLock { shared in
      shared.wanted = wanted
      shared.revision = revision
    }
    wishes.signal()
  }

  func stop(until: BootInstant) {
    shared.withLock { $0.stopUntil = min($0.stopUntil ?? until, until) }
    wishes.signal()
    cancel.signal()
  }
}

/// Opens the transport of a radio: what the spec names, until a deadline, unless cancelled.
typealias TransportOpener = @Sendable (RadioSpec, BootInstant, WakeUp) throws(RadioError) -> any HCITransport

/// The radio's thread: it waits, feeds the supervisor, and does what that says.
final class RadioLoop {
  private let run: RadioRun
  private let spec: RadioSpec
  private let timings: Timings
  private let opener: TransportOpener
  private let capture: CaptureWriter?
  private let reports: ReportQueue
  private let onState: @Sendable (RadioState) -> Void
  private var supervisor: Supervisor
  private var transport: (any HCITransport)?
  private var poller: Poller
  private var seen: UInt64
  /// What `settled` others were told last.
  private var published: UInt64 = 0
  private var counters = RadioCounters()
  /// When to look for a report with data again: the supervisor needs to hear of one now and then, not of each.
  private var nextLook = BootInstant(nanoseconds: 0)

  init(
    run: RadioRun, spec: RadioSpec, options: Radio.Options, timings: Timings, opener: @escaping TransportOpener,
    capture: CaptureWriter?, reports: ReportQueue, onState: @escaping @Sendable (RadioState) -> Void
  ) {
    self.run = run
    self.spec = spec
    self.timings = timings
    self.opener = opener
    self.capture = capture
    self.reports = reports
    self.onState = onState
    let (wanted, revision) = run.shared.withLock(waking: false) { ($0.wanted, $0.revision) }
    seen = revision
    supervisor = Supervisor(
      wanted: wanted, revision: revision, reconnects: options.reconnects, commands: options.commands,
      timings: timings)
    poller = Poller([(run.wishes.descriptor, .readable)])
  }

  /// Goes on until the radio is stopped, or has failed for good.
  func runUntilEnd() {
    feed(.start)
    while true {
      takeWishes()
      if supervisor.hasEnded { break }
      waitForInput()
    }
    transport = nil
    run.shared.withLock { $0.hasEnded = true }
  }

  private func takeWishes() {
    run.wishes.clear()
    let (wanted, revision, stopUntil) = run.shared.withLock(waking: false) { ($0.wanted, $0.revision, $0.stopUntil) }
    if revision != seen {
      seen = revision
      feed(.want(wanted, revision: revision))
    }
    if let stopUntil { feed(.stop(until: stopUntil)) }
  }

  private func waitForInput() {
    do throws(Errno) {
      _ = try poller.wait(until: supervisor.deadline)
    } catch {
      // The kernel is out of memory; the descriptors are anew with the stream.
      feed(.lost(.failed(error)))
    }
    if transport != nil, !poller.readiness(at: 1).isEmpty { receive() }
    feed(.tick)
  }

  private func receive() {
    guard let transport else { return }
    let arrival = BootInstant.now()
    var events: [HCIEvent] = []
    var hasHeard = false
    var failure: RadioError?
    do throws(RadioError) {
      try transport.receive { kind, packet in
        guard kind == .event else {
          counters.unexpectedPackets &+= 1
          return
        }
        // Advertising reports go their own way, so that no reply waits behind them.
        guard packet.count >= 3, packet[0] == EventCode.leMeta.rawValue else {
          events.append(HCIEvent(parsing: packet))
          return
        }
        if arrival >= nextLook {
          let hasData = AdvertisingReportParser.hasData(packet)
          hasHeard = hasHeard || hasData
          nextLook = arrival + (hasData ? .seconds(1) : .milliseconds(10))
        }
        reports.push(packet, arrival: arrival)
      }
    } catch {
      failure = error
    }
    counters.skippedBytes &+= transport.takeSkippedBytes()
    for event in events { feed(.event(event)) }
    if hasHeard { feed(.heard) }
    if let failure { feed(.lost(failure)) }
  }

  /// Gives the supervisor an input and does what it says, and what follows from that.
  private func feed(_ input: Supervisor.Input) {
    var inputs = [input]
    while let input = inputs.first {
      inputs.removeFirst()
      let actions = supervisor.handle(input, now: .now())
      publish(actions)
      for action in actions {
        switch action {
        case .open: inputs.append(open())
        case .send(let command):
          if let error = send(command) { inputs.append(.lost(error)) }
        case .close: connect(to: nil)
        case .tell(let state): onState(state)
        }
      }
    }
  }

  private func publish(_ actions: [Supervisor.Action]) {
    var counters = counters
    counters += supervisor.counters
    let (settled, isTold) = (supervisor.settled, actions.contains { if case .tell = $0 { true } else { false } })
    // Whoever waits for the radio waits for one of these two: waking it with every packet takes the processor from it.
    let isNews = isTold || settled != published
    published = settled
    run.shared.withLock(waking: isNews) { shared in
      for case .tell(let state) in actions { shared.state = state }
      shared.settled = settled
      shared.mayBeOnAir = supervisor.mayBeOnAir
      shared.lastReport = supervisor.lastHeard
      shared.counters = counters
      shared.captureFailure = capture?.failure
    }
  }

  private func open() -> Supervisor.Input {
    do throws(RadioError) {
      let opened = try opener(spec, BootInstant.now() + timings.open, run.cancel)
      connect(to: capture.map { CapturingTransport(opened, into: $0) } ?? opened)
      return .opened(shared: opened.isShared)
    } catch {
      return .openFailed(error)
    }
  }

  private func connect(to transport: (any HCITransport)?) {
    self.transport = transport
    let stream = transport.map { [(descriptor: $0.descriptor, readiness: Readiness.readable)] } ?? []
    poller = Poller([(run.wishes.descriptor, .readable)] + stream)
  }

  private func send(_ command: HCICommand) -> RadioError? {
    guard let transport else { return nil }
    do throws(RadioError) {
      try transport.send(command)
      return nil
    } catch {
      return error
    }
  }
}
