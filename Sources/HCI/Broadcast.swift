public import Advertising
public import POSIX

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
  ///   - pdu: in which packets is advertised.
  ///   - limit: how long opening may take.
  /// - Throws: why the radio isn't usable; the description says what to do.
  public init(
    opening spec: RadioSpec, options: Radio.Options = Radio.Options(), pdu: AdvertisingPDU = .legacy,
    within limit: Duration = .seconds(10)
  ) throws(RadioError) {
    let status = Monitor(Status())
    self.status = status
    var options = options
    options.reconnects = false
    radio = Radio(spec: spec, options: options, wanted: WantedState(pdu: pdu)) { state in
      if case .ended = state { status.withLock { $0.end = state } }
    }
    try radio.start()
    try settle(within: limit)
  }

  deinit { close() }

  /// Sends these data from now on, in place of those sent before; returns when the controller has begun.
  public func advertise(_ data: AdvertisingData) throws(RadioError) {
    radio.want { $0.advertisement = data }
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

  /// Ends `wait`, from any thread; a later `wait` returns at once.
  public func cancel() { status.withLock { $0.isCancelled = true } }

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
