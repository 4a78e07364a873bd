import POSIX
import Testing

@testable import LockHardware

/// What a board's replies say of its inputs.
@Suite struct BoardInputsTests {
  private var inputs = BoardInputs()

  private var now = BootInstant(nanoseconds: 1_000_000_000_000)

  private mutating func pass(_ time: Duration) { now = now + time }

  private func words(_ news: [BoardInputs.News]) -> [String] { news.map { "\($0.role.rawValue) \($0.reading)" } }

  /// What is told of a reply that comes a little behind the one before.
  private mutating func take(_ more: UInt8..., after time: Duration = .milliseconds(100)) throws -> [String] {
    pass(time)
    try hear(more)
    return words(inputs.tell(at: now))
  }

  private mutating func hear(_ more: [UInt8]) throws {
    inputs.take(try #require(BoardReply(command: 4, payload: [0, 0, 1, 50, 0, 0, 0, 0] + more)), at: now)
  }

  private mutating func lose(_ reason: String) -> [String] {
    pass(.milliseconds(100))
    inputs.lose(reason, at: now)
    return words(inputs.tell(at: now))
  }

  @Test mutating func changesAreToldOnce() throws {
    #expect(try take(1, 0) == ["sensor contact(isOpen: false)"])
    #expect(try take(1, 0) == [])
    #expect(
      try take(2, 1) == ["sensor contact(isOpen: true)", "request-to-exit exitAsked", "request-to-exit exitOver"])
    #expect(try take(2, 1) == [])
    #expect(try take(2, 3) == ["request-to-exit exitAsked", "request-to-exit exitOver"], "one of them got lost")
  }

  @Test("exits before the first reply are the past's, and a reset is none")
  mutating func noExit() throws {
    #expect(try take(1, 200) == ["sensor contact(isOpen: false)"])
    #expect(try take(1, 0) == [])
    #expect(try take(1, 1) == ["request-to-exit exitAsked", "request-to-exit exitOver"])
  }

  @Test mutating func aBoardWithoutInputsSaysSoOnce() throws {
    #expect(
      try take() == [
        "sensor lost(\"the board says nothing of the door\")", "request-to-exit lost(\"the board counts no exits\")",
      ])
    #expect(try take() == [])
    #expect(try take(1) == ["sensor found", "sensor contact(isOpen: false)"])
    #expect(try take(0) == ["sensor lost(\"the board says nothing of the door\")"])
  }

  @Test mutating func aBoardThatIsGoneLosesThemAndSaysEverythingAnew() throws {
    #expect(try take(2, 7).count == 1)
    let lost = ["sensor lost(\"silent\")", "request-to-exit lost(\"silent\")"]
    #expect(lose("silent") == lost)
    #expect(lose("silent") == [])
    #expect(
      try take(2, 8) == ["sensor found", "sensor contact(isOpen: true)", "request-to-exit found"],
      "who asked meanwhile has gone")
  }

  private static let exit = ["request-to-exit exitAsked", "request-to-exit exitOver"]

  @Test("an exit whose status got lost opens with the next one, but not behind a silence")
  mutating func silence() throws {
    #expect(try take(1, 0).count == 1)
    #expect(try take(1, 1, after: .seconds(3)) == Self.exit)
    #expect(try take(1, 2, after: .seconds(5)) == [], "who asked has gone")
    #expect(try take(1, 3) == [], "what lay in the line comes at once, frame by frame")
    #expect(try take(1, 4, after: .milliseconds(600)) == Self.exit)
  }

  @Test("a board without rest is told of no oftener than a pipe, and an exit waits no longer than that")
  mutating func restless() throws {
    #expect(try take(1, 1).count == 1)
    var told: [BoardInputs.News] = []
    var tellings = 0
    for step in 0..<5_000 {
      pass(.microseconds(200))
      try hear([step % 2 == 0 ? 2 : 1, UInt8(step % 250 + 2)])
      let news = inputs.tell(at: now)
      if !news.isEmpty { tellings += 1 }
      told += news
    }
    #expect((45...51).contains(tellings), "\(tellings) times in a second")
    #expect(told.count <= tellings * 4)
    #expect(told.count { $0.reading == .exitAsked } == tellings)
    #expect(told.filter { $0.role == .sensor }.suffix(2).map(\.reading).contains(.contact(isOpen: true)))
    while inputs.tellsAt != nil {
      pass(.milliseconds(1))
      _ = inputs.tell(at: now)
    }
    try hear([1, 254])
    #expect(words(inputs.tell(at: now)) == [])
    let telling = try #require(inputs.tellsAt)
    #expect(telling - now <= InputThread.pause)
    #expect(words(inputs.tell(at: telling)) == Self.exit)
    #expect(inputs.tellsAt == nil)
  }

  @Test("an input that comes and goes is lost once in two seconds")
  mutating func flaps() throws {
    #expect(try take().count == 2)
    #expect(try take(1, 1).count == 3)
    var told: [String] = []
    for step in 0..<100 { told += step % 2 == 0 ? try take() : try take(1, 1) }
    #expect(told.count { $0.contains("lost") } == 10, "\(told)")
  }
}
