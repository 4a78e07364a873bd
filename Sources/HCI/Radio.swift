public import POSIX
internal import Synchronization

/// A radio under supervision: it opens the transport, brings the controller into the wanted state, and keeps it there.
///
/// It owns one thread, which reads, writes and decides; report events go into `reports`, everything else stays inside.
/// Where the stream ends or the controller falls silent it resets, then reopens with a growing delay, until `stop`.
public final class Radio: Sendable {
  /// How a radio behaves.
  public struct Options: Sendable {
    /// Where a btsnoop capture of every packet goes, from each `start` anew; nil: nowhere.
    public var capturePath: String?
    /// Whether it comes back after a failure; else the first failure ends it.
    public var reconnects: Bool
    /// Which commands it uses for advertising and scanning.
    public var commands: CommandChoice
    /// Whether an adapter of the kernel that is up, and so perhaps in use, is taken down for this program.
    public var takesOver: Bool

    public init(
      capturePath: String? = nil, reconnects: Bool = true, commands: CommandChoice = .automatic, takesOver: Bool = false
    ) {
      self.capturePath = capturePath
      self.reconnects = reconnects
      self.commands = commands
      self.takesOver = takesOver
    }
  }

  private struct Control {
    var wanted: WantedState
    var revision: UInt64 = 1
    var run: RadioRun?
    var thread: Thread?
  }

  /// Where report events arrive.
  public let reports: ReportQueue
  private let spec: RadioSpec
  private let options: Options
  private let timings: Timings
  private let opener: TransportOpener
  private let onState: @Sendable (RadioState) -> Void
  private let control: Mutex<Control>

  /// A radio that is off.
  ///
  /// - Parameters:
  ///   - wanted: what it is to do once it is started.
  ///   - onState: told each new state, on the radio's thread; it must neither block nor call `stop`.
  public convenience init(
    spec: RadioSpec, options: Options = Options(), wanted: WantedState = WantedState(),
    reports: ReportQueue = ReportQueue(), onState: @escaping @Sendable (RadioState) -> Void = { _ in }
  ) {
    self.init(
      spec: spec, options: options, wanted: wanted, reports: reports, timings: Timings(),
      opener: { spec, deadline, cancel throws(RadioError) in
        try openTransport(spec, takesOver: options.takesOver, until: deadline, cancel: cancel)
      }, onState: onState)
  }

  /// The same with other times and another way to open, for tests.
  init(
    spec: RadioSpec, options: Options, wanted: WantedState, reports: ReportQueue, timings: Timings,
    opener: @escaping TransportOpener, onState: @escaping @Sendable (RadioState) -> Void
  ) {
    self.spec = spec
    self.options = options
    self.reports = reports
    self.timings = timings
    self.opener = opener
    self.onState = onState
    control = Mutex(Control(wanted: wanted))
  }

  deinit { currentRun?.stop(until: .now() + .seconds(1)) }

  /// Starts the radio's thread; a radio that runs already goes on.
  ///
  /// - Throws: where the capture can't be written, or the system has no thread left.
  ///   Whatever else goes wrong is a state, not an error.
  public func start() throws(RadioError) {
    try control.withLock { control throws(RadioError) in
      if let run = control.run, !run.shared.withLock(waking: false, { $0.hasEnded }) { return }
      let capture = Mutex(try options.capturePath.map { path throws(RadioError) in try CaptureWriter(path: path) })
      do throws(Errno) {
        let run = try RadioRun(wanted: control.wanted, revision: control.revision)
        control.thread = try Thread(name: "radio") { [spec, options, timings, opener, reports, onState] in
          let loop = RadioLoop(
            run: run, spec: spec, options: options, timings: timings, opener: opener,
            capture: capture.withLock { $0.take() }, reports: reports, onState: onState)
          loop.runUntilEnd()
        }
        control.run = run
      } catch {
        throw .noResources(error)
      }
    }
  }

  /// Changes what the radio is to do; it takes effect at once, or when the radio is on again.
  public func want(_ change: (inout WantedState) -> Void) {
    control.withLock { control in
      change(&control.wanted)
      control.revision &+= 1
      control.run?.want(control.wanted, revision: control.revision)
    }
  }

  /// Takes the radio off the air and closes it; nothing brings it back but `start`.
  ///
  /// - Parameter limit: returns at the latest then, however dead the controller is.
  /// - Returns: whether the controller confirmed that it sends nothing any more.
  @discardableResult
  public func stop(within limit: Duration = .seconds(1)) -> Bool {
    let (run, thread) = control.withLock { ($0.run, $0.thread) }
    guard let run else { return true }
    let now = BootInstant.now()
    // The rest of the time is for the thread to end.
    run.stop(until: now + limit * 9 / 10)
    let mayBeOnAir = run.shared.wait(until: now + limit) { $0.hasEnded ? $0.mayBeOnAir : nil }
    // Where the thread still waits for a name server it is left to itself; it sends nothing.
    guard let mayBeOnAir else { return false }
    thread?.join()
    return !mayBeOnAir
  }

  /// What it is doing now.
  public var state: RadioState { currentRun?.shared.withLock(waking: false) { $0.state } ?? .off }

  /// When the last report with data arrived; nil: none since the start.
  public var lastReport: BootInstant? { currentRun?.shared.withLock(waking: false) { $0.lastReport } }

  /// What it counted since its last start; reports are counted by their parser.
  public var counters: RadioCounters {
    var counters = currentRun?.shared.withLock(waking: false) { $0.counters } ?? RadioCounters()
    counters.droppedEvents = reports.dropped
    return counters
  }

  /// Why the capture ends early, where it does; the radio goes on without it.
  public var captureFailure: RadioError? { currentRun?.shared.withLock(waking: false) { $0.captureFailure } }

  /// Waits until the controller does all that is wanted as of now.
  ///
  /// - Throws: the error that ended the radio; at the deadline, the one it waits to try again after, or
  ///   `RadioError.notReady`.
  public func waitUntilSettled(until deadline: BootInstant) throws(RadioError) {
    let (run, revision) = control.withLock { ($0.run, $0.revision) }
    guard let run else { throw .stopped }
    let result = run.shared.wait(until: deadline) { shared -> Result<Void, RadioError>? in
      if case .ended(let error) = shared.state { return .failure(error ?? .stopped) }
      return shared.settled >= revision ? .success(()) : nil
    }
    guard let result else {
      if case .waiting(let error, _) = state { throw error }
      throw .notReady
    }
    try result.get()
  }

  private var currentRun: RadioRun? { control.withLock { $0.run } }
}
