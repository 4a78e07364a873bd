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

/// Which family it is now: decided after each Reset, with one change of mind while a stream stands (radio.md, 5).
struct FamilyDecision: Hashable, Sendable {
  private let choice: CommandChoice
  /// The family that something was heard with; it comes first, whatever the features say.
  private var proven: CommandFamily?
  private var hasChanged = false

  init(_ choice: CommandChoice) { self.choice = choice }

  /// A stream was opened: it may be another controller.
  mutating func opened() { hasChanged = false }

  /// Something was heard: this family works.
  mutating func heard(with family: CommandFamily) {
    proven = family
    hasChanged = false
  }

  /// The family for a controller that says this of itself.
  func family(of info: ControllerInfo) -> CommandFamily {
    switch choice {
    case .legacy: return .legacy
    case .extended: return .extended
    case .automatic:
      guard info.hasExtendedAdvertising else { return .legacy }
      let first = proven ?? .extended
      return hasChanged ? first.other : first
    }
  }

  /// Takes the other family from the next Reset on.
  ///
  /// - Returns: whether there is one that wasn't tried.
  mutating func change(of info: ControllerInfo) -> Bool {
    guard choice == .automatic, !hasChanged, info.hasExtendedAdvertising else { return false }
    hasChanged = true
    return true
  }
}
