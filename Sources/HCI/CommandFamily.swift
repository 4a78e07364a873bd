/// The two sets of commands for advertising and scanning; they can't be mixed before a Reset (Core Specification, Vol 4,
/// Part E, 3.1.1).
public enum CommandFamily: String, CaseIterable, Sendable {
  /// Those of Bluetooth 4.0: legacy advertising in and out.
  case legacy
  /// Those of Bluetooth 5.0: legacy and extended advertising in and out.
  case extended

  /// The other one.
  var other: CommandFamily { self == .legacy ? .extended : .legacy }
}

/// Which family a radio uses.
public enum CommandChoice: String, CaseIterable, Sendable {
  /// What the controller's features say, and the other one where that fails.
  case automatic = "auto"
  /// Only the one named, whatever the controller says.
  case legacy
  case extended
}
