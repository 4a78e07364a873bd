public import Advertising

/// What the radio is to do: laid anew after each Reset, and brought about wherever it differs from what is
/// (radio.md, "what a correct host does", 4: level, not edge).
public struct WantedState: Hashable, Sendable {
  /// The random address of everything sent.
  ///
  /// It changes only while neither advertising nor scanning is on; both pause for it.
  public var address: DeviceAddress
  /// Scanning, with a duty cycle of 100 % and the duplicate filter off; nil: off.
  public var scan: ScanMode?
  /// What is advertised, without connections (ADV_NONCONN_IND); nil: nothing.
  ///
  /// It may change while it is on the air.
  public var advertisement: AdvertisingData?

  /// A state to be in.
  ///
  /// - Parameter address: a fresh non-resolvable private one where none is given.
  public init(
    address: DeviceAddress = .nonResolvable(), scan: ScanMode? = nil, advertisement: AdvertisingData? = nil
  ) {
    self.address = address
    self.scan = scan
    self.advertisement = advertisement
  }
}

/// How to scan.
public enum ScanMode: Hashable, Sendable {
  /// Only listening.
  case passive
  /// Asking advertisers for their scan responses as well.
  case active
}
