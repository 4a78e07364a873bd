import POSIX
import Testing

@testable import LockHardware

/// A contact that bounces: what counts, and from when.
@Suite struct DebouncerTests {
  static func at(_ milliseconds: Int64) -> BootInstant {
    BootInstant(nanoseconds: UInt64(1_000 + milliseconds) * 1_000_000)
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    /// What the contact says, and when.
    let seen: [(Int64, Bool)]
    /// When each change counts, what it is, and since when it is so.
    let changes: [(counts: Int64, Bool, at: Int64)]
    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(name: "a clean edge", seen: [(0, false), (100, true)], changes: [(30, false, 0), (130, true, 100)]),
    Row(
      name: "an edge that bounces counts from its first contact",
      seen: [(0, false), (100, true), (105, false), (107, true), (120, false), (121, true)],
      changes: [(30, false, 0), (151, true, 100)]),
    Row(
      name: "a bounce that comes back to its rest is nothing",
      seen: [(0, false), (100, true), (120, false)], changes: [(30, false, 0)]),
    Row(
      name: "such a bounce long before the edge doesn't make it earlier",
      seen: [(0, false), (100, true), (110, false), (200, true)], changes: [(30, false, 0), (230, true, 200)]),
    Row(
      name: "the same again is no edge", seen: [(0, false), (100, true), (120, true)],
      changes: [(30, false, 0), (130, true, 100)]),
    Row(name: "one that bounces from the start", seen: [(0, false), (20, true)], changes: [(50, true, 0)]),
  ]

  @Test(arguments: rows) func counts(row: Row) {
    var debouncer = Debouncer(.milliseconds(30))
    var changes: [(Int64, Debouncer.Change)] = []
    for now in Int64(0)...400 {
      for (_, isActive) in row.seen.filter({ $0.0 == now }) { debouncer.see(isActive, at: Self.at(now)) }
      let deadline = debouncer.deadline
      guard let change = debouncer.settle(now: Self.at(now)) else { continue }
      #expect(deadline == Self.at(now))
      changes.append((now, change))
    }
    #expect(changes.map(\.0) == row.changes.map(\.counts))
    #expect(
      changes.map(\.1)
        == row.changes.enumerated().map { Debouncer.Change(isActive: $1.1, at: Self.at($1.at), isFirst: $0 == 0) })
    #expect(debouncer.deadline == nil && debouncer.restlessSince == nil)
  }

  @Test func oneThatNeverRestsIsRestlessSinceItsFirstEdge() {
    var debouncer = Debouncer(.milliseconds(30))
    for step in Int64(0)..<100 { debouncer.see(step % 2 == 0, at: Self.at(step * 20)) }
    #expect(debouncer.restlessSince == Self.at(0))
    #expect(debouncer.settle(now: Self.at(1_990)) == nil)
  }

  @Test func noSpanMeansAtOnce() {
    var debouncer = Debouncer(.zero)
    debouncer.see(true, at: Self.at(0))
    #expect(debouncer.settle(now: Self.at(0))?.isActive == true)
  }
}
