public import POSIX

/// What an input of a door is for; the raw values are the configuration's keys.
public enum InputRole: String, CaseIterable, Hashable, Sendable {
  /// The door's contact.
  case sensor
  /// The button, the handle's switch or the detector of those who want to get out.
  case exit = "request-to-exit"
}

/// What an input of a door says.
public enum InputReading: Hashable, Sendable {
  /// Whether the door stands open.
  case contact(isOpen: Bool)
  /// Somebody asks to get out.
  case exitAsked
  /// Somebody asked already when it was looked at first: nobody knows since when.
  case exitFound
  /// Nobody asks to get out any more.
  case exitOver
  /// It can't be read, in words for people; what it said last counts no more.
  case lost(String)
  /// It can be read, and has said nothing yet.
  case found
  /// It says something that isn't its business, in words for people.
  case nonsense(String)
}

/// What an input says, and when that was so.
public struct InputReport: Hashable, Sendable {
  public let reading: InputReading
  public let at: BootInstant
  /// When it was sure, which may take a contact some time.
  public let toldAt: BootInstant

  /// - Parameter toldAt: nil: at once.
  public init(_ reading: InputReading, at: BootInstant, toldAt: BootInstant? = nil) {
    self.reading = reading
    self.at = at
    self.toldAt = toldAt ?? at
  }
}

/// Who listens to an input: called on the input's thread, so it neither waits nor stops the input.
public typealias InputReporter = @Sendable (InputReport) -> Void

/// A contact or a button at a door.
public protocol DoorInput: Sendable {
  /// Ends it, and waits for that: nothing is reported behind it.
  func stop()
}
