/// A door's number on the air, 1…65535: one door on one controller, never used twice on a site ("Words").
public struct DoorNumber: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: UInt16

  /// The door of that number; nil for 0, which no door has.
  public init?(rawValue: UInt16) {
    guard rawValue != 0 else { return nil }
    self.rawValue = rawValue
  }

  public static func < (left: DoorNumber, right: DoorNumber) -> Bool { left.rawValue < right.rawValue }
}

extension DoorNumber: CustomStringConvertible {
  /// The number in decimal.
  public var description: String { "\(rawValue)" }
}
