public import POSIX

/// How a lock stands.
public enum LockPosition: String, Hashable, Sendable {
  /// Whoever pushes the door can go through.
  case open
  /// Nobody can.
  case closed
}

/// A door's lock, which knows nothing of who asked.
///
/// Each lock has a thread and a deadline of its own: it closes by itself when its time is over, whatever the rest of
/// the program does. The newest command counts and replaces what an earlier one set, but for exits. None of these waits, but
/// `stop`.
public protocol Lock: Sendable {
  /// Opens the lock, or keeps it open, until that moment; nil: until the next command.
  func open(until: BootInstant?, for cause: LockCause?)
  /// Opens the lock for somebody who wants to get out, or keeps it open until then, whatever commands come; said again it
  /// changes nothing.
  func letOut(until: BootInstant)
  /// Closes the lock; a movement to open that still runs is broken off. While somebody is let out it waits for that.
  ///
  /// - Parameters:
  ///   - cause: nil: nobody asked, so that it is the end of what there was.
  ///   - known: exits that end by then end now; nil: none.
  func close(for cause: LockCause?, endingExitsBy known: BootInstant?)
  /// What it is told and hasn't given up: an opening that failed or was lost isn't tried again before the next command.
  var standingOrders: StandingOrders { get }
  /// Moves the lock once more to where it should stand: something else may have moved it.
  func refresh()
  /// Begins to close the lock, though it may be closed, and then to end its thread; what comes later is ignored.
  func beginStop()
  /// The same, and waits for it: a closing that fails is tried three times.
  func stop()
}

extension Lock {
  /// The same for nobody.
  public func open(until: BootInstant?) { open(until: until, for: nil) }
  /// Closes it, but for exits.
  public func close(for cause: LockCause?) { close(for: cause, endingExitsBy: nil) }
  /// The same where nobody asked.
  public func close() { close(for: nil) }
}

/// What keeps a lock open, or would.
public struct StandingOrders: Hashable, Sendable {
  /// Whether commands do.
  public let opens: Bool
  /// Whether an exit does.
  public let letsOut: Bool

  public init(opens: Bool, letsOut: Bool) {
    self.opens = opens
    self.letsOut = letsOut
  }
}

/// Whose command a movement belongs to; an opening's closing belongs to it too.
public struct LockCause: Hashable, Sendable {
  /// The id of the command's event in the ledger; nil for an exit, which waits for no record.
  public let event: Int64?
  /// The credential's id; nil where none was used.
  public let credential: String?
  /// The holder's name.
  public let holder: String?

  public init(event: Int64, credential: String? = nil, holder: String? = nil) {
    self.event = event
    self.credential = credential
    self.holder = holder
  }

  private init() { (event, credential, holder) = (nil, nil, nil) }

  /// Somebody asked to get out.
  public static let exit = LockCause()
}

/// What a lock tells: it moved, or it couldn't, or what else is to be known of it.
public struct LockReport: Hashable, Sendable {
  /// The kinds of report.
  public enum Event: Hashable, Sendable {
    /// The lock stands there now. An opening that only lasts longer is no movement.
    case moved(LockPosition)
    /// The lock was told something anew and needed no movement: it stood there already.
    case stands(LockPosition)
    /// The lock didn't get there, or didn't stay; how it stands is unknown.
    ///
    /// After a failed opening it is closed, after a failed closing the closing is tried again and again.
    case failed(LockPosition, reason: String)
    /// What is left in the battery of a lock that has one, 0 to 100 percent; nil: it doesn't know.
    case battery(percent: UInt8?)
    /// What the program wrote that was moving the lock there: a line for people, without control characters.
    case output(LockPosition, line: String)
    /// What an input of its board says; one that it hasn't is lost.
    case seen(InputRole, InputReading)
  }

  public let event: Event
  public let at: BootInstant
  /// The command that this came of; nil: none, as at the start.
  public let cause: LockCause?

  public init(_ event: Event, at: BootInstant, for cause: LockCause? = nil) {
    self.event = event
    self.at = at
    self.cause = cause
  }
}

/// Who listens to a lock: called on the lock's thread, so it neither waits nor stops the lock.
public typealias LockReporter = @Sendable (LockReport) -> Void
