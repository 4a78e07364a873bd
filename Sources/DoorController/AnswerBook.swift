internal import AirProtocol
internal import POSIX

/// The answers that are on the air now, or wait for a lock (protocol.md, "Answer frame").
///
/// One answer per command frame, the same bytes whenever it is asked for again, for 4 s from the first hearing at most.
/// It is sent as long as its holder goes on asking: whoever has heard it falls silent.
struct AnswerBook {
  /// How long an answer may be given again.
  static let life = Duration.seconds(4)
  /// How long it is sent behind the last hearing of its command: a holder repeats that every 20 to 100 ms, and the air
  /// loses some.
  static let linger = Duration.milliseconds(400)
  /// More at a time than this, and the oldest make room: an insider's questions mustn't grow without bound.
  static let limit = 32

  private struct Entry {
    let command: Frame
    let first: BootInstant
    var last: BootInstant
    /// Nil: what became of it isn't known yet.
    var answer: Frame?
  }

  private var entries: [Entry] = []

  /// A command that wants an answer was heard for the first time.
  mutating func open(_ command: Frame, heard: BootInstant) {
    sweep(at: heard)
    if entries.count >= Self.limit { entries.removeFirst() }
    entries.append(Entry(command: command, first: heard, last: heard))
  }

  /// The answer is known; where it is long overdue nobody hears it any more.
  mutating func answer(_ command: Frame, with answer: Frame, now: BootInstant) {
    guard let place = entries.firstIndex(where: { $0.command == command }), entries[place].answer == nil else { return }
    entries[place].answer = answer
    // Whoever has waited for the lock is still there.
    entries[place].last = max(entries[place].last, now)
  }

  /// The same command was heard again.
  mutating func heardAgain(_ command: Frame, at now: BootInstant) {
    guard let place = entries.firstIndex(where: { $0.command == command }) else { return }
    entries[place].last = now
  }

  /// The answers to be sent now, in the order of their commands.
  mutating func live(at now: BootInstant) -> [Frame] {
    sweep(at: now)
    return entries.compactMap { entry in now - entry.last < Self.linger ? entry.answer : nil }
  }

  /// When `live` says something else by itself; nil where nothing is to be awaited.
  func deadline(at now: BootInstant) -> BootInstant? {
    entries.compactMap { entry in
      guard entry.answer != nil else { return nil }
      let end = min(entry.last + Self.linger, entry.first + Self.life)
      return end > now ? end : nil
    }.min()
  }

  private mutating func sweep(at now: BootInstant) { entries.removeAll { now - $0.first >= Self.life } }
}
