public import Advertising
public import POSIX

/// How listening ended.
public enum Listening: Hashable, Sendable {
  /// Its time is over.
  case over
  /// What was listened for has come.
  case enough
  case cancelled
}

/// The plain way for a holder to send: open, advertise, wait, close.
///
/// Each call blocks; any thread may `cancel`. One value is one intent: it has one random address.
public final class Broadcast: Sendable {
  private struct Status {
    var isCancelled = false
    var end: RadioState?
  }

  private let radio: Radio
  private let status: Monitor<Status>

  /// Opens the radio and sets a fresh non-resolvable private address.
  ///
  /// - Parameters:
  ///   - options: how the radio behaves; it never reconnects, whatever they say.
  ///   - listens: whether `listen` is to be used: then it scans as well.
  ///   - pdu: in which packets is advertised.
  ///   - limit: how long opening may take.
  /// - Throws: why the radio isn't usable; the description says what to do.
  public init(
    opening spec: RadioSpec, options: Radio.Options = Radio.Options(), pdu: AdvertisingPDU = .legacy,
    listens: Bool = false, within limit: Duration = .seconds(10)
  ) throws(RadioError) {
    let status = Monitor(Status())
    self.status = status
    var options = options
    options.reconnects = false
    let reports = ReportQueue()
    let wanted = WantedState(scan: listens ? .passive : nil, pdu: pdu)
    radio = Radio(spec: spec, options: options, wanted: wanted, reports: reports) { state in
      guard case .ended = state else { return }
      status.withLock { $0.end = state }
      reports.wake()
    }
    try radio.start()
    try settle(within: limit)
  }

  deinit { close() }

  /// Sends these data from now on, in place of those sent before; returns when the controller has begun.
  public func advertise(_ data: AdvertisingData) throws(RadioError) {
    radio.want { $0.advertising = AdvertisingPlan(data) }
    try settle(within: .seconds(5))
  }

  /// Stays on the air until the deadline, or until `cancel`.
  ///
  /// - Returns: false where it was cancelled.
  /// - Throws: why the radio went off the air.
  public func wait(until deadline: BootInstant) throws(RadioError) -> Bool {
    let result = status.wait(until: deadline) { status -> Result<Bool, RadioError>? in
      if case .ended(let error) = status.end { return .failure(error ?? .stopped) }
      return status.isCancelled ? .success(false) : nil
    }
    return try result?.get() ?? true
  }

  /// Hands on what is heard until the deadline, `cancel`, or until `heard` says that it is enough.
  ///
  /// - Parameter heard: gets advertising data, valid during the call only, and the strength of the signal in dBm.
  /// - Throws: why the radio went off the air.
  public func listen(
    until deadline: BootInstant, _ heard: (Span<UInt8>, Int8?) -> Bool
  ) throws(RadioError) -> Listening {
    var parser = AdvertisingReportParser()
    var counters = RadioCounters()
    while true {
      let (isCancelled, end) = status.withLock(waking: false) { ($0.isCancelled, $0.end) }
      if case .ended(let error) = end { throw error ?? .stopped }
      if isCancelled { return .cancelled }
      if BootInstant.now() >= deadline { return .over }
      var isEnough = false
      radio.reports.drain(until: deadline) { event, _ in
        parser.forEachReport(in: event, counters: &counters) { report, data in
          if heard(data, report.rssi) { isEnough = true }
        }
      }
      if isEnough { return .enough }
    }
  }

  /// Ends `wait` and `listen`, from any thread; a later `wait` returns at once.
  public func cancel() {
    status.withLock { $0.isCancelled = true }
    radio.reports.wake()
  }

  /// Goes off the air and closes the radio, within a second; again: nothing.
  ///
  /// - Returns: whether the controller confirmed that it sends nothing any more.
  @discardableResult
  public func close() -> Bool { radio.stop() }

  /// Why the capture ends early, where it does.
  public var captureFailure: RadioError? { radio.captureFailure }

  private func settle(within limit: Duration) throws(RadioError) {
    do throws(RadioError) {
      try radio.waitUntilSettled(until: .now() + limit)
    } catch {
      radio.stop()
      throw error
    }
  }
}
