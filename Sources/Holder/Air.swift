public import Advertising
public import HCI
public import POSIX

/// Where advertising data goes on the air, and whence it is heard: a `Broadcast`, or a test's.
public protocol Air {
  /// Sends these data from now on, in place of those before.
  func advertise(_ data: AdvertisingData) throws(RadioError)
  /// Hands on what is heard until the deadline, a cancellation, or until `heard` says that it is enough.
  ///
  /// - Parameter heard: gets advertising data, valid during the call only, and the strength of the signal in dBm.
  func listen(
    until deadline: BootInstant, _ heard: (Span<UInt8>, Int8?) -> Bool
  ) throws(RadioError) -> Listening
}

extension Broadcast: Air {}
