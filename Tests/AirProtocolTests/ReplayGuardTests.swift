import Testing

@testable import AirProtocol

/// Order, repetition and rate of authentic frames (protocol.md, "What the door does with a frame", steps 3 to 6).
@Suite struct ReplayGuardTests {
  /// A door in one-second slots with a skew of two, whose slot 1000 begins when it boots.
  private struct Bench {
    var guardian: ReplayGuard
    private var frames: UInt64 = 0

    init() throws {
      guardian = ReplayGuard(clock: try #require(SlotClock(slotSeconds: 1, skewSlots: 2)))
    }

    func moment(_ boot: Duration, trusted: Bool = true, newest: UInt64? = nil) -> ReplayGuard.Moment {
      ReplayGuard.Moment(
        boot: boot, slot: 1_000 + UInt64(boot.components.seconds), clockTrusted: trusted, newestChallenge: newest)
    }

    /// A frame as the verifier hands it over; the same arguments give the same frame.
    func command(
      slot: UInt64? = nil, challenge: UInt64? = nil, sequence: UInt8 = 0, code: UInt8 = 1, argument: UInt8 = 0,
      flags: UInt8 = 0, press: UInt8 = 7, key: Int = 3
    ) throws -> VerifiedCommand {
      let freshness: Freshness =
        if let challenge { .challenge(Challenge(random: challenge)) } else { .time(slot: slot ?? 1_000) }
      let plaintext = CommandPlaintext(sequence: sequence, code: code, argument: argument, flags: flags, press: press)
      return VerifiedCommand(
        frame: Frame(high: freshness.bytes, low: plaintext.packed << 8 | UInt64(key)), key: key, doorIndex: 0,
        door: try #require(DoorNumber(rawValue: 1)), freshness: freshness, plaintext: plaintext)
    }

    mutating func judge(_ command: VerifiedCommand, _ boot: Duration, number: UInt64? = nil, newest: UInt64? = nil)
      -> ReplayGuard.Verdict
    {
      guardian.judge(command, at: moment(boot, newest: newest), challengeNumber: number)
    }
  }

  private let open = Command.unlock(seconds: 0)

  @Test func aNewFrameIsFreshOnceThenRepeatedThenReplayed() throws {
    var bench = try Bench()
    let frame = try bench.command(slot: 1_002)
    #expect(bench.judge(frame, .zero) == .fresh(open))
    #expect(bench.judge(frame, .seconds(4)) == .repeated(answerAgain: true))
    #expect(bench.judge(frame, .milliseconds(4_500)) == .repeated(answerAgain: false))
    // Slot 1002 is accepted until slot 1004 ends; with longer slots a late copy is still looked up.
    let late = bench.guardian.judge(
      frame, at: ReplayGuard.Moment(boot: .milliseconds(5_001), slot: 1_004, clockTrusted: true))
    #expect(late == .replayed(first: true))
    let later = bench.guardian.judge(
      frame, at: ReplayGuard.Moment(boot: .milliseconds(5_002), slot: 1_004, clockTrusted: true))
    #expect(later == .replayed(first: false))
  }

  @Test(arguments: [
    (UInt64(1_001), UInt8(4), false), (1_001, 5, false), (1_001, 6, true), (1_000, 255, false), (1_002, 0, true),
  ])
  func timeFramesRise(slot: UInt64, sequence: UInt8, fresh: Bool) throws {
    var bench = try Bench()
    #expect(bench.judge(try bench.command(slot: 1_001, sequence: 5, press: 1), .zero) == .fresh(open))
    let verdict = bench.judge(try bench.command(slot: slot, sequence: sequence, press: 2), .milliseconds(10))
    #expect(verdict == (fresh ? .fresh(open) : .replayed(first: true)))
  }

  @Test func marksFromTheLedgerCount() throws {
    var bench = try Bench()
    bench.guardian.restore(TimeMark(slot: 1_001, sequence: 9), forKey: 3)
    #expect(bench.judge(try bench.command(slot: 1_001, sequence: 9), .zero) == .replayed(first: true))
    #expect(bench.judge(try bench.command(slot: 1_001, sequence: 9, key: 4), .zero) == .fresh(open))
    #expect(bench.judge(try bench.command(slot: 1_001, sequence: 10), .zero) == .fresh(open))
    #expect(bench.guardian.timeMark(ofKey: 3) == TimeMark(slot: 1_001, sequence: 10))
  }

  @Test func aReplayIsReportedOncePerFreshnessAndSequence() throws {
    var bench = try Bench()
    bench.guardian.restore(TimeMark(slot: 1_002, sequence: 9), forKey: 3)
    for (sequence, first) in [(UInt8(1), true), (1, false), (2, true), (1, false), (2, false)] {
      #expect(bench.judge(try bench.command(slot: 1_001, sequence: sequence), .zero) == .replayed(first: first))
    }
  }

  @Test(arguments: [(UInt8(0), UInt8(0), UInt8(0)), (8, 0, 0), (2, 1, 0), (1, 0, 2), (1, 0, 0x80), (6, 2, 0)])
  func malformedContentMovesTheMark(code: UInt8, argument: UInt8, flags: UInt8) throws {
    var bench = try Bench()
    let bad = try bench.command(sequence: 5, code: code, argument: argument, flags: flags)
    #expect(bench.judge(bad, .zero) == .malformed)
    #expect(bench.guardian.timeMark(ofKey: 3) == TimeMark(slot: 1_000, sequence: 5))
    #expect(bench.judge(try bench.command(sequence: 4), .zero) == .replayed(first: true))
  }

  @Test func theSamePressInAnotherFrameIsNotExecutedAgain() throws {
    var bench = try Bench()
    let first = try bench.command(slot: 1_000)
    #expect(bench.judge(first, .zero) == .fresh(open))
    bench.guardian.decided(first, open, result: 1, at: .zero)
    #expect(bench.judge(try bench.command(slot: 1_001), .seconds(1)) == .repeatedPress(result: 1))
    // Another command, another argument, another press are other intents.
    #expect(bench.judge(try bench.command(slot: 1_002, code: 5), .seconds(2)) == .fresh(.status))
    #expect(bench.judge(try bench.command(slot: 1_003, argument: 9), .seconds(3)) == .fresh(.unlock(seconds: 9)))
    #expect(bench.judge(try bench.command(slot: 1_004, press: 8), .seconds(4)) == .fresh(open))
    // Each frame of a press renews its window (ten seconds here); after it the number has gone round.
    #expect(bench.judge(try bench.command(slot: 1_010), .seconds(10)) == .repeatedPress(result: 1))
    #expect(bench.judge(try bench.command(slot: 1_020), .seconds(20)) == .repeatedPress(result: 1))
    #expect(bench.judge(try bench.command(slot: 1_031), .milliseconds(30_001)) == .fresh(open))
  }

  @Test func theWindowOfAPressGrowsWithTheSlots() throws {
    let clock = try #require(SlotClock(slotSeconds: 5, skewSlots: 2))
    var guardian = ReplayGuard(clock: clock)
    let bench = try Bench()
    guardian.restore(RememberedPress(press: 7, command: open, result: 1, heard: .seconds(-1)), forKey: 3)
    let inside = ReplayGuard.Moment(boot: .seconds(29), slot: 1_005, clockTrusted: true)
    #expect(guardian.judge(try bench.command(slot: 1_005), at: inside) == .repeatedPress(result: 1))
    let outside = ReplayGuard.Moment(boot: .milliseconds(59_001), slot: 1_006, clockTrusted: true)
    #expect(guardian.judge(try bench.command(slot: 1_006), at: outside) == .fresh(open))
  }

  @Test func aPressRefusedForItsFreshnessIsNotRemembered() throws {
    var bench = try Bench()
    let first = try bench.command(slot: 1_000)
    _ = bench.judge(first, .zero)
    bench.guardian.decided(first, open, result: AnswerResult.freshnessRefused.rawValue, at: .zero)
    #expect(bench.judge(try bench.command(slot: 1_001), .seconds(1)) == .fresh(open))
  }

  @Test func theEleventhInTenSecondsOnlyMovesTheMark() throws {
    var bench = try Bench()
    for sequence in UInt8(0)..<10 {
      #expect(bench.judge(try bench.command(sequence: sequence, press: sequence), .zero) == .fresh(open))
    }
    #expect(bench.judge(try bench.command(sequence: 10, press: 10), .zero) == .slowDown)
    #expect(bench.guardian.timeMark(ofKey: 3) == TimeMark(slot: 1_000, sequence: 10))
    // Others aren't held up, and ten seconds later neither is this one.
    #expect(bench.judge(try bench.command(key: 4), .zero) == .fresh(open))
    #expect(bench.judge(try bench.command(slot: 1_010, press: 11), .seconds(10)) == .fresh(open))
  }

  @Test func anUntrustedClockLiftsNoMark() throws {
    var bench = try Bench()
    let frame = try bench.command(slot: 1_001)
    let untrusted = bench.moment(.zero, trusted: false)
    #expect(bench.guardian.judge(frame, at: untrusted) == .refused(.clockUntrusted))
    #expect(bench.guardian.judge(frame, at: untrusted) == .repeated(answerAgain: true))
    #expect(bench.guardian.timeMark(ofKey: 3) == nil)
    let challenge = try bench.command(challenge: 5, press: 9)
    #expect(bench.guardian.judge(challenge, at: untrusted, challengeNumber: 1) == .fresh(open))
    #expect(bench.guardian.timeMark(ofKey: 3) == nil)
  }

  @Test func afterARestartSlotsUpToTheFloorAreRefused() throws {
    var bench = try Bench()
    try bench.guardian.raiseFloor(atSlot: 1_000, doors: [#require(DoorNumber(rawValue: 1))])
    #expect(bench.judge(try bench.command(slot: 1_002), .zero) == .refused(.marksMayBeStale(acceptedFrom: 1_003)))
    #expect(bench.judge(try bench.command(slot: 1_003, press: 8), .seconds(1)) == .fresh(open))
    // Another door's floor is its own.
    let other = try bench.command(slot: 1_001, key: 6)
    let there = VerifiedCommand(
      frame: other.frame, key: 6, doorIndex: 1, door: try #require(DoorNumber(rawValue: 2)),
      freshness: other.freshness, plaintext: other.plaintext)
    #expect(bench.judge(there, .zero) == .fresh(open))
    // What the disk knows counts first.
    bench.guardian.restore(TimeMark(slot: 1_001, sequence: 0), forKey: 5)
    #expect(bench.judge(try bench.command(slot: 1_001, key: 5), .seconds(1)) == .replayed(first: true))
  }

  @Test func aMarkOfAClockOnceFarAheadDoesNotBrickTheDoor() throws {
    var bench = try Bench()
    bench.guardian.restore(TimeMark(slot: 900_000, sequence: 0), forKey: 3)
    #expect(bench.judge(try bench.command(slot: 1_000), .zero) == .replayed(first: true))
    try bench.guardian.raiseFloor(atSlot: 1_000, doors: [#require(DoorNumber(rawValue: 1))])
    #expect(bench.judge(try bench.command(slot: 1_002), .zero) == .replayed(first: true))
    #expect(bench.judge(try bench.command(slot: 1_003), .seconds(1)) == .fresh(open))
  }

  @Test func challengeFramesAreOrderedByNumberThenSequence() throws {
    var bench = try Bench()
    #expect(bench.judge(try bench.command(challenge: 9, sequence: 100, press: 1), .zero, number: 4) == .fresh(open))
    #expect(
      bench.judge(try bench.command(challenge: 9, sequence: 99, press: 2), .zero, number: 4) == .replayed(first: true))
    #expect(
      bench.judge(try bench.command(challenge: 8, sequence: 101, press: 2), .zero, number: 3) == .replayed(first: true))
    #expect(bench.judge(try bench.command(challenge: 2, sequence: 0, press: 2), .zero, number: 5) == .fresh(open))
  }

  @Test func aChallengeFrameLiftsTheTimeMark() throws {
    var bench = try Bench()
    #expect(bench.judge(try bench.command(challenge: 9, press: 1), .zero, number: 1, newest: 1) == .fresh(open))
    #expect(bench.guardian.timeMark(ofKey: 3) == TimeMark(slot: 1_002, sequence: 255))
    #expect(bench.judge(try bench.command(slot: 1_002, sequence: 9, press: 2), .zero) == .replayed(first: true))
  }

  @Test func aTimeFrameEndsTheChallengesBeforeIt() throws {
    var bench = try Bench()
    #expect(bench.judge(try bench.command(slot: 1_000, press: 1), .zero, newest: 7) == .fresh(open))
    #expect(bench.judge(try bench.command(challenge: 9, press: 2), .zero, number: 7) == .replayed(first: true))
    #expect(bench.judge(try bench.command(challenge: 9, press: 2, key: 4), .zero, number: 7) == .fresh(open))
    #expect(bench.judge(try bench.command(challenge: 6, press: 2), .zero, number: 8) == .fresh(open))
  }

  @Test func aTimeFrameThatIsRefusedEndsNoChallenge() throws {
    var bench = try Bench()
    let untrusted = bench.moment(.zero, trusted: false, newest: 7)
    #expect(bench.guardian.judge(try bench.command(slot: 1_000), at: untrusted) == .refused(.clockUntrusted))
    #expect(bench.judge(try bench.command(challenge: 9, press: 8), .zero, number: 7) == .fresh(open))
    // Nor does one below a floor.
    try bench.guardian.raiseFloor(atSlot: 1_000, doors: [#require(DoorNumber(rawValue: 1))])
    let early = try bench.command(slot: 1_001, press: 9, key: 4)
    #expect(bench.judge(early, .zero, newest: 7) == .refused(.marksMayBeStale(acceptedFrom: 1_003)))
    #expect(bench.judge(try bench.command(challenge: 9, press: 10, key: 4), .zero, number: 7) == .fresh(open))
  }

  @Test func replaysUnderChallengesAreReportedAgainWhenOldOnesAreForgotten() throws {
    var bench = try Bench()
    _ = bench.judge(try bench.command(challenge: 1, sequence: 200), .zero, number: 9)
    for challenge in UInt64(2)..<30 {
      // Beyond sixteen they are only counted.
      let first = challenge < 18
      #expect(bench.judge(try bench.command(challenge: challenge), .seconds(1), number: 8) == .replayed(first: first))
    }
    let later = try bench.command(challenge: 40)
    #expect(bench.judge(later, .seconds(700), number: 8) == .replayed(first: true))
    #expect(bench.judge(later, .seconds(700), number: 8) == .replayed(first: false))
  }

  @Test func whatIsSweptCanNotMatterAnyMore() throws {
    var bench = try Bench()
    let frame = try bench.command(slot: 1_000)
    _ = bench.judge(frame, .zero, newest: 7)
    bench.guardian.sweep(at: bench.moment(.seconds(599)))
    #expect(bench.judge(try bench.command(challenge: 9), .seconds(599), number: 7) == .replayed(first: true))
    bench.guardian.sweep(at: bench.moment(.seconds(2_000)))
    #expect(bench.guardian.timeMark(ofKey: 3) == TimeMark(slot: 1_000, sequence: 0))
    #expect(bench.judge(frame, .seconds(2_000)) == .replayed(first: true))
  }

  @Test func renumberingKeepsMarksOfKeysThatStay() throws {
    var bench = try Bench()
    let frame = try bench.command(slot: 1_000)
    _ = bench.judge(frame, .zero)
    _ = bench.judge(try bench.command(slot: 1_001, key: 4), .zero)
    let clock = try #require(SlotClock(slotSeconds: 1, skewSlots: 2))
    bench.guardian = bench.guardian.renumbered(clock: clock) { $0 == 3 ? 0 : nil }
    #expect(bench.guardian.timeMark(ofKey: 0) == TimeMark(slot: 1_000, sequence: 0))
    #expect(bench.guardian.timeMark(ofKey: 1) == nil)
  }
}
