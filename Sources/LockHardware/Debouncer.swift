internal import POSIX

/// Waits until a contact rests: what it says counts when it has said the same for some time.
///
/// A plain value; time is an argument, and never goes back but by what the kernel's stamps are late.
struct Debouncer {
  /// A contact has come to rest.
  struct Change: Equatable {
    let isActive: Bool
    /// When it left what it said before.
    let at: BootInstant
    /// Whether it is the first that is known.
    let isFirst: Bool
  }

  let span: Duration
  /// What it said when it last rested; nil: it never did.
  private var settled: Bool?
  /// What it said last, and since when.
  private var last: (isActive: Bool, at: BootInstant)?
  /// When it left its rest.
  private var leftAt: BootInstant?

  init(_ span: Duration) { self.span = span }

  /// The contact says that; the same again changes nothing.
  mutating func see(_ isActive: Bool, at: BootInstant) {
    guard last?.isActive != isActive else { return }
    let rested = last.map { $0.isActive == settled && at - $0.at >= span } ?? true
    if rested || leftAt == nil { leftAt = at }
    last = (isActive, at)
  }

  /// When it will have rested for long enough; nil: it rests.
  var deadline: BootInstant? {
    guard let last, last.isActive != settled else { return nil }
    return last.at + span
  }

  /// Since when it bounces, or is on its way to another rest; nil: it rests.
  var restlessSince: BootInstant? { deadline == nil ? nil : leftAt }

  /// The change that stands, once; nil while there is none.
  mutating func settle(now: BootInstant) -> Change? {
    guard let last, let leftAt, let deadline, deadline <= now else { return nil }
    defer {
      settled = last.isActive
      self.leftAt = nil
    }
    return Change(isActive: last.isActive, at: leftAt, isFirst: settled == nil)
  }
}
