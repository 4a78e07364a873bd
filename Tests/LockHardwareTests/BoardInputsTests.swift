import Testing

@testable import LockHardware

/// What a board's replies say of its inputs.
@Suite struct BoardInputsTests {
  private var inputs = BoardInputs()

  private mutating func take(_ more: UInt8...) throws -> [String] {
    let reply = try #require(BoardReply(command: 4, payload: [0, 0, 1, 50, 0, 0, 0, 0] + more))
    return inputs.take(reply).map { "\($0.role.rawValue) \($0.reading)" }
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
    #expect(inputs.lose("silent").map(\.role) == [.sensor, .exit])
    #expect(inputs.lose("silent").isEmpty)
    #expect(
      try take(2, 8) == ["sensor found", "request-to-exit found", "sensor contact(isOpen: true)"],
      "who asked meanwhile has gone")
  }
}
