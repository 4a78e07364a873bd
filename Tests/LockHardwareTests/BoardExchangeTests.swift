import POSIX
import TestSupport
import Testing

@testable import LockHardware

private func at(_ milliseconds: UInt64) -> BootInstant { BootInstant(nanoseconds: milliseconds * 1_000_000) }

@Suite struct BoardExchangeTests {
  private var timing = BoardTiming(baud: 9600)
  private let order = BoardOrder(action: .lock, number: 9, time: WallTime(seconds: 0))

  init() { timing.answer = .milliseconds(300) }

  private func reply(to command: UInt8 = 2, number: UInt8 = 9, result: UInt8 = 0) throws -> BoardReply {
    try #require(BoardReply(command: command, payload: [number, result, 1, 50, 0, 0, 0, 0]))
  }

  @Test func isSentAndAnswered() throws {
    var exchange = BoardExchange(order, timing)
    #expect(exchange.next(now: at(0)) == .send)
    #expect(exchange.next(now: at(0)) == .wait(until: at(300)))
    exchange.heard(try reply())
    #expect(exchange.next(now: at(10)) == .answered(try reply()))
  }

  @Test func isResentThreeTimesAndGivenUp() {
    var exchange = BoardExchange(order, timing)
    for round: UInt64 in 0..<4 {
      #expect(exchange.next(now: at(round * 300)) == .send)
      #expect(exchange.next(now: at(round * 300 + 299)) == .wait(until: at(round * 300 + 300)))
    }
    #expect(exchange.next(now: at(1_200)) == .gaveUp)
    #expect(exchange.next(now: at(9_999)) == .gaveUp)
  }

  @Test func aLateReplyToAnEarlierTryCounts() throws {
    var exchange = BoardExchange(order, timing)
    _ = exchange.next(now: at(0))
    #expect(exchange.next(now: at(300)) == .send)
    exchange.heard(try reply())
    #expect(exchange.next(now: at(301)) == .answered(try reply()))
  }

  @Test func theFirstOfTwoRepliesCounts() throws {
    var exchange = BoardExchange(order, timing)
    _ = exchange.next(now: at(0))
    exchange.heard(try reply(result: 2))
    exchange.heard(try reply())
    #expect(exchange.next(now: at(1)) == .answered(try reply(result: 2)))
  }

  @Test func otherRepliesAreLeftAlone() throws {
    var exchange = BoardExchange(order, timing)
    _ = exchange.next(now: at(0))
    for other in [try reply(number: 8), try reply(number: 0), try reply(to: 1), try reply(to: 4), try reply(to: 255)] {
      exchange.heard(other)
      #expect(exchange.next(now: at(1)) == .wait(until: at(300)))
    }
  }

  @Test(arguments: [(1200, 508), (9600, 326), (115_200, 302), (4_000_000, 300)] as [(UInt32, Int)])
  func slowLinesAreGivenTheirTime(_ baud: UInt32, _ milliseconds: Int) {
    #expect(BoardTiming(baud: baud).answer == .milliseconds(milliseconds))
  }
}

@Suite struct BoardDeframerTests {
  /// Whatever comes, the same frames are found in one piece, a byte at a time and in others; and it is little that is kept.
  @Test func randomBytesAreFoundTheSameInAnyPieces() {
    var random = SystemRandomNumberGenerator()
    for round in 0..<10 {
      // Few different bytes, so that heads and short lengths are frequent.
      let stream = (0..<10_000).map { _ -> UInt8 in
        round == 0 ? .random(in: 0...255, using: &random) : [0x56, 0x7B, 2, 3, 4, 0x22, 0xFE, 0][Int.random(in: 0..<8)]
      }
      let whole = frames(of: [stream])
      #expect(frames(of: stream.map { [$0] }) == whole)
      let cut = Int.random(in: 0...stream.count)
      #expect(frames(of: [Array(stream[..<cut]), Array(stream[cut...])]) == whole)
      let bytes = whole.texts.reduce(0) { $0 + $1.count / 2 }
      #expect(whole.skipped == Int64(stream.count - bytes), "each byte is of a frame or passed over")
    }
  }

  @Test func atMostAFrameIsKept() {
    var deframer = BoardDeframer()
    for _ in 0..<1_000 { deframer.push([0x56, 0x7B, 0x22, 1, 1, 1, 1]) { _, _ in } }
    #expect(deframer.skipped >= 7_000 - UInt64(BoardFrame.sizeLimit))
    deframer.giveUp { _, _ in }
    #expect(deframer.skipped == 7_000 && !deframer.isWithinFrame)
  }
}

@Suite struct BoardDateTimeTests {
  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("1999-12-31T23:59:59Z", 0), ("2000-01-01T00:00:59Z", 0x0084_0060),
      ("2032-01-01T00:00:00Z", 0), ("2099-06-01T12:00:00Z", 0),
    ] as [(String, UInt32)])
  func whatFiveBitsOfYearsCannotSayIsUnknown(_ text: String, _ bits: UInt32) throws {
    #expect(BoardDateTime.pack(try #require(WallTime(rfc3339: text))) == bits)
  }

  @Test(arguments: [Int64.min, -1, Int64.max])
  func noClockIsTooOdd(_ seconds: Int64) { #expect(BoardDateTime.pack(WallTime(seconds: seconds)) == 0) }

  /// Every minute of some weeks, and every bit of every word near them.
  @Test func whatIsPackedIsUnpacked() {
    for start: Int64 in [946_684_800, 951_696_000, 1_796_000_000, 1_956_441_600] {
      for minute: Int64 in 0..<1_440 {
        let seconds = (start / 60 + minute) * 60
        #expect(BoardDateTime.unpack(BoardDateTime.pack(WallTime(seconds: seconds))) == WallTime(seconds: seconds))
      }
    }
    for bits in 0..<32 { _ = BoardDateTime.unpack(1 << UInt32(bits)) }
  }
}
