/// The last readings of a signal's strength, and what they come to.
///
/// One reading says little: reflections and bodies move it by 10 dB and more from one advert to the next. So the median of
/// a few counts, which a single peak doesn't move.
public struct SignalReadings: Hashable, Sendable {
  /// How many readings count: half a second of beacons.
  public static let count = 5

  private var readings: [Int8] = []

  public init() {}

  /// Notes a reading in dBm; one that the controller doesn't know says nothing.
  public mutating func take(_ rssi: Int8?) {
    guard let rssi else { return }
    readings.append(rssi)
    if readings.count > Self.count { readings.removeFirst() }
  }

  /// The median in dBm, the weaker one of two in the middle; nil where nothing is known.
  public var strength: Int8? { readings.isEmpty ? nil : readings.sorted()[(readings.count - 1) / 2] }
}
