/// What the radio is to do: laid anew after each Reset, and brought about wherever it differs from what is
/// (radio.md, "what a correct host does", 4: level, not edge).
public struct WantedState: Hashable, Sendable {
  /// The random address of everything sent.
  ///
  /// It changes only while neither advertising nor scanning is on; both pause for it.
  public var address: DeviceAddress
  /// Scanning, with a duty cycle of 100 % and the duplicate filter off; nil: off.
  public var scan: ScanMode?
  /// What is advertised, without connections; nil: nothing.
  ///
  /// It may change while it is on the air.
  public var advertising: AdvertisingPlan?
  /// Whether a controller that doesn't advertise while it scans is good enough: then it only scans.
  public var advertisingIsOptional: Bool
  /// In which packets it is advertised; extended ones need a controller and listeners that know them.
  public var pdu: AdvertisingPDU

  /// A state to be in.
  ///
  /// - Parameter address: a fresh non-resolvable private one where none is given.
  public init(
    address: DeviceAddress = .nonResolvable(), scan: ScanMode? = nil, advertising: AdvertisingPlan? = nil,
    advertisingIsOptional: Bool = false, pdu: AdvertisingPDU = .legacy
  ) {
    self.address = address
    self.scan = scan
    self.advertising = advertising
    self.advertisingIsOptional = advertisingIsOptional
    self.pdu = pdu
  }
}

/// How to scan.
public enum ScanMode: Hashable, Sendable {
  /// Only listening.
  case passive
  /// Asking advertisers for their scan responses as well.
  case active
}

/// The packets of advertising on the air (Core Specification, Vol 6, Part B, 2.3.1).
public enum AdvertisingPDU: String, CaseIterable, Sendable {
  /// ADV_NONCONN_IND: every receiver hears it.
  case legacy
  /// ADV_EXT_IND with AUX_ADV_IND: only receivers of Bluetooth 5.0 that scan for it.
  case extended
}
