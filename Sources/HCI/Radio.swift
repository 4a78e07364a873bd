public import POSIX

/// A radio under supervision: it opens the transport, brings the controller into the wanted state, and keeps it there.
///
/// It owns one thread, which reads, writes and decides; report events go into `reports`, everything else stays inside.
/// Where the stream ends or the controller falls silent it resets, then reopens with a growing delay, until `stop`.
public final class Radio: Sendable {
  /// How a radio behaves.
  public struct Options: Sendable {
    /// Where a btsnoop capture of every packet goes; nil: nowhere.
    public var capturePath: String?
    /// Whether it comes back after a failure; else the first failure ends it.
    public var reconnects = true

    public init(capturePath: String? = nil, reconnects: Bool = true) {
      self.capturePath = capturePath
      self.reconnects = reconnects
    }
  }

  /// Where report events arrive.
  public let reports: ReportQueue
  private let spec: RadioSpec
  private let options: Options

  /// A radio that is off.
  ///
  /// - Parameters:
  ///   - wanted: what it is to do once it is started.
  ///   - onState: told each new state, on the radio's thread; it must not block.
  public init(
    spec: RadioSpec, options: Options = Options(), wanted: WantedState = WantedState(),
    reports: ReportQueue = ReportQueue(), onState: @escaping @Sendable (RadioState) -> Void = { _ in }
  ) {
    self.spec = spec
    self.options = options
    self.reports = reports
  }

  /// Starts the radio's thread; a radio that runs already goes on.
  ///
  /// - Throws: where the kind isn't built yet, the capture can't be written, or the system has no thread left.
  ///   Whatever else goes wrong is a state, not an error.
  public func start() throws(RadioError) {}

  /// Changes what the radio is to do; it takes effect at once, or when the radio is on again.
  public func want(_ change: (inout WantedState) -> Void) {}

  /// Takes the radio off the air and closes it; nothing brings it back but `start`.
  ///
  /// - Parameter limit: returns at the latest then, however dead the controller is.
  /// - Returns: whether the controller confirmed that it sends nothing any more.
  @discardableResult
  public func stop(within limit: Duration = .seconds(1)) -> Bool { false }

  /// What it is doing now.
  public var state: RadioState { .off }

  /// What it counted so far; reports are counted by their parser.
  public var counters: RadioCounters { RadioCounters() }

  /// Waits until the controller does all that is wanted as of now.
  ///
  /// - Throws: why it can't: the error that ended it, or that it waits to try again after; at the deadline what keeps
  ///   it. Where it reconnects, only the deadline and an end count.
  public func waitUntilSettled(until deadline: BootInstant) throws(RadioError) {}
}
