import Advertising
import AirProtocol
import Holder
import POSIX
import Provisioning
import TestSupport
import Testing

/// Frames that are to make a holder believe that its door has answered.
@Suite struct ForgedAnswerTests {
  private let bench: SendingBench
  private let done = Answer(result: .done, state: DoorStateByte(.locked, clockTrusted: true), detail: 0)

  init() throws {
    bench = try SendingBench()
    bench.door.result = nil
  }

  /// Sends while somebody who hears each frame makes something of it, and says it every 10 ms.
  private func send(_ choice: FreshnessChoice, _ forge: @escaping (Frame, Freshness) throws -> Frame?) throws
    -> Sending.Outcome
  {
    let bench = bench
    bench.attack { air in
      guard let sent = air.sent.last.flatMap({ firstFrame($0.data.bytes) }) else { return nil }
      let freshness =
        choice == .time
        ? Freshness.time(slot: bench.held.credential.site.slotClock.slot(at: air.wall.seconds))
        : .challenge(bench.door.challenge(at: air.time))
      let forged = (try? forge(sent, freshness)) ?? nil
      return forged.flatMap { try? advert($0) }.map { (air.next(every: 10_000_000), $0, -20) }
    }
    return try bench.send(choice).outcome
  }

  @Test(arguments: [FreshnessChoice.time, .challenge])
  func theDoorsOwnAnswerIsTaken(_ choice: FreshnessChoice) throws {
    let (held, done) = (bench.held, done)
    #expect(try send(choice) { try held.exchange($1).seal(done, to: $0) } == .answered(done))
  }

  @Test(arguments: [FreshnessChoice.time, .challenge])
  func anAnswerUnderAnotherHoldersKeyIsNone(_ choice: FreshnessChoice) throws {
    let done = done
    let mallory = HeldDoor(bench.held.number, of: try sampleCredential("mallory", secret: 8))
    let held = bench.held
    let outcome = try send(choice) { command, freshness in
      let forged = try mallory.exchange(freshness).seal(done, to: command)
      // With the hint that Alice expects: it is what a thief of the door's log of the air could have seen.
      let hint = UInt64(try held.exchange(freshness).answerHint) << 40
      return Frame(high: hint | forged.high & 0xFF_FFFF_FFFF, low: forged.low)
    }
    #expect(outcome == .over)
  }

  @Test(arguments: [FreshnessChoice.time, .challenge])
  func anotherDoorsAnswerIsNone(_ choice: FreshnessChoice) throws {
    let done = done
    let back = HeldDoor(try present(DoorNumber(rawValue: 2)), of: bench.held.credential)
    #expect(try send(choice) { try back.exchange($1).seal(done, to: $0) } == .over)
  }

  @Test(arguments: [FreshnessChoice.time, .challenge])
  func anAnswerToAnotherCommandOfTheSameHolderIsNone(_ choice: FreshnessChoice) throws {
    let (held, done) = (bench.held, done)
    let outcome = try send(choice) { _, freshness in
      let exchange = try held.exchange(freshness)
      let other = try exchange.seal(
        CommandPlaintext(sequence: 200, command: .status, press: 77, wantsAnswer: true))
      return try exchange.seal(done, to: other)
    }
    #expect(outcome == .over)
  }

  @Test(arguments: [FreshnessChoice.time, .challenge])
  func theHoldersOwnFrameIsNoAnswerToIt(_ choice: FreshnessChoice) throws {
    let held = bench.held
    #expect(try send(choice) { command, _ in command } == .over)
    bench.air.pass(.seconds(60))
    // With the answer's hint as well.
    let outcome = try send(choice) { command, freshness in
      let hint = UInt64(try held.exchange(freshness).answerHint) << 40
      return Frame(high: hint | command.high & 0xFF_FFFF_FFFF, low: command.low)
    }
    #expect(outcome == .over)
  }

  @Test(arguments: [FreshnessChoice.time, .challenge])
  func anAnswerWithOneBitChangedIsNone(_ choice: FreshnessChoice) throws {
    let (held, done) = (bench.held, done)
    var bit: UInt64 = 0
    let outcome = try send(choice) { command, freshness in
      let answer = try held.exchange(freshness).seal(done, to: command)
      bit = (bit + 1) % 128
      return Frame(
        high: bit < 64 ? answer.high ^ 1 << bit : answer.high, low: bit < 64 ? answer.low : answer.low ^ 1 << (bit - 64)
      )
    }
    #expect(outcome == .over)
  }

  @Test func anOldAnswerIsNoneToANewCommand() throws {
    bench.door.result = .done
    let bench = bench
    #expect(try bench.send(.challenge).outcome.isDone)
    // Whoever recorded the answer plays it again and again.
    let recorded = try present(bench.door.next(bench.air)).data
    bench.door.result = nil
    bench.attack { ($0.next(every: 30_000_000), recorded, -20) }
    #expect(try bench.send(.challenge).outcome == .over)
    bench.air.pass(.seconds(30))
    #expect(try bench.send(.time).outcome == .over)
  }

  /// A phone whose state was restored from a backup makes the frame of then once more.
  @Test func anOldAnswerIsTakenByAHolderWhoseStateWasRestoredWithinTheSlot() throws {
    bench.door.result = .done
    let bench = bench
    #expect(try bench.send(.time).outcome.isDone)
    bench.air.pass(.seconds(5))
    let name = try present(bench.folder.names().first)
    let backup = try bench.folder.read(name)
    #expect(try bench.send(.time, .status).outcome.isDone)
    let recorded = try present(bench.door.next(bench.air)).data
    bench.door.isSilent = true
    bench.attack { ($0.next(every: 30_000_000), recorded, -20) }
    try bench.folder.write(name, bytes: backup)
    let count = bench.air.sent.count
    #expect(try bench.send(.time, .status).outcome.isDone, "left open: the same frame has the same answer")
    #expect(bench.air.sent[count].data == bench.air.sent[count - 1].data)
    // One slot later it is another frame.
    try bench.folder.write(name, bytes: backup)
    bench.air.pass(.seconds(5))
    #expect(try bench.send(.time, .status).outcome == .over)
  }

  @Test func byChallengeARestoredHolderMakesAnotherFrame() throws {
    bench.door.result = .done
    let bench = bench
    #expect(try bench.send(.challenge).outcome.isDone)
    let name = try present(bench.folder.names().first)
    let backup = try bench.folder.read(name)
    bench.air.pass(.seconds(2))
    #expect(try bench.send(.challenge, .status).outcome.isDone)
    let recorded = try present(bench.door.next(bench.air)).data
    bench.door.result = nil
    bench.attack { ($0.next(every: 30_000_000), recorded, -20) }
    // The door shows a new challenge by now: only a beacon that is replayed too could bring back the old one, and then
    // the sequence is one of 128.
    bench.air.pass(.seconds(2))
    try bench.folder.write(name, bytes: backup)
    #expect(try bench.send(.challenge, .status).outcome == .over)
  }
}
