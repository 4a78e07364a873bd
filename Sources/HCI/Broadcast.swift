public import POSIX

/// The plain way for a holder to send: open, advertise, wait, close.
///
/// Each call blocks; any thread may `cancel`.
public final class Broadcast: Sendable {
  /// Opens the radio and sets a fresh non-resolvable private address.
  ///
  /// - Parameters:
  ///   - capturePath: where a btsnoop capture goes; nil: nowhere.
  ///   - limit: how long opening may take.
  /// - Throws: why the radio isn't usable; the description says what to do.
  public init(
    opening spec: RadioSpec, capturePath: String? = nil, within limit: Duration = .seconds(10)
  ) throws(RadioError) {}

  /// Sends these data from now on, in place of those sent before; returns when the controller has begun.
  public func advertise(_ advertisement: Advertisement) throws(RadioError) {}

  /// Stays on the air until the deadline, or until `cancel`.
  ///
  /// - Returns: false where it was cancelled.
  /// - Throws: why the radio went off the air.
  public func wait(until deadline: BootInstant) throws(RadioError) -> Bool { false }

  /// Ends `wait`, from any thread; a later `wait` returns at once.
  public func cancel() {}

  /// Goes off the air and closes the radio, within a second; again: nothing.
  ///
  /// - Returns: whether the controller confirmed that it sends nothing any more.
  @discardableResult
  public func close() -> Bool { false }
}
