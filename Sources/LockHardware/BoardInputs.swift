internal import POSIX

/// What a board's replies say of its inputs, told once for each change, and no oftener than other inputs tell theirs.
///
/// Time is an argument, effects are returned. Bounded whatever the board says: of what waits to be told the last of each
/// kind counts.
struct BoardInputs {
  /// Something of an input, and when it came.
  struct News: Equatable {
    let role: InputRole
    let reading: InputReading
    let at: BootInstant
  }

  /// So long may an exit go unheard and still open: a status each second, with all its tries at the slowest line.
  static let memory = Duration.seconds(4)
  /// For how long behind a longer silence what comes may have lain in the line: this process had stopped.
  static let settling = Duration.milliseconds(500)

  private var isDoorOpen: Bool?
  private var exits: UInt8?
  private var problems: [InputRole: String] = [:]
  private var foundAt: [InputRole: BootInstant] = [:]
  private var heardAt: BootInstant?
  private var pastUntil = BootInstant(nanoseconds: 0)
  private var waiting: [News] = []
  private var nextTelling = BootInstant(nanoseconds: 0)

  /// When `tell` has something to tell; nil where nothing waits.
  var tellsAt: BootInstant? { waiting.isEmpty ? nil : nextTelling }

  /// Takes what another reply says.
  mutating func take(_ reply: BoardReply, at now: BootInstant) {
    if let heardAt, now - heardAt > Self.memory { pastUntil = now + Self.settling }
    heardAt = now
    let (isOpen, count) = (reply.isDoorOpen, reply.exits)
    if isReadable(.sensor, isOpen != nil, now) {
      if let isOpen, isOpen != isDoorOpen { note(.sensor, .contact(isOpen: isOpen), now) }
      isDoorOpen = isOpen
    }
    guard isReadable(.exit, count != nil, now) else { return }
    // The first count is the past's, and so is one behind a silence: who asked has gone. A reset begins anew.
    if let known = exits, let count, count != known, count != 0, now >= pastUntil {
      note(.exit, .exitAsked, now)
      note(.exit, .exitOver, now)
    }
    exits = count ?? exits
  }

  /// The board doesn't answer.
  mutating func lose(_ reason: String, at now: BootInstant) {
    isDoorOpen = nil
    // Who asked meanwhile has gone: nothing opens for them now.
    exits = nil
    for role in InputRole.allCases { lose(role, reason, now) }
  }

  /// What is to be told now; nothing while it is too early.
  mutating func tell(at now: BootInstant) -> [News] {
    guard !waiting.isEmpty, nextTelling <= now else { return [] }
    nextTelling = now + InputThread.pause
    defer { waiting = [] }
    return waiting
  }

  /// Takes note of whether a reply speaks of an input; false where what it says doesn't count.
  private mutating func isReadable(_ role: InputRole, _ isThere: Bool, _ now: BootInstant) -> Bool {
    guard isThere else {
      lose(role, role == .sensor ? "the board says nothing of the door" : "the board counts no exits", now)
      return true
    }
    guard problems[role] != nil else { return true }
    // One that comes and goes is tried again as seldom as other inputs are.
    if let last = foundAt[role], now - last < InputThread.retry { return false }
    problems[role] = nil
    foundAt[role] = now
    note(role, .found, now)
    return true
  }

  private mutating func lose(_ role: InputRole, _ problem: String, _ now: BootInstant) {
    if problems.updateValue(problem, forKey: role) != problem { note(role, .lost(problem), now) }
  }

  private mutating func note(_ role: InputRole, _ reading: InputReading, _ now: BootInstant) {
    waiting.removeAll { $0.role == role && $0.reading.isOfKind(of: reading) }
    waiting.append(News(role: role, reading: reading, at: now))
  }
}

extension InputReading {
  /// Whether it is the same but for its words.
  fileprivate func isOfKind(of other: InputReading) -> Bool {
    if case (.lost, .lost) = (self, other) { true } else { self == other }
  }
}
