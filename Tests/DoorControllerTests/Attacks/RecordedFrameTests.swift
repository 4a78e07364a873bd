import AccessControl
import AirProtocol
import Ledger
import POSIX
import Testing

@testable import DoorController

/// Frames that the door has heard, and that come again, somewhere else or as something else.
@Suite struct RecordedFrameTests {
  @Test(arguments: [false, true])
  func aRecordedFrameOpensNothingAgain(_ byChallenge: Bool) throws {
    let door = try TestDoor.attacked()
    let challenge = try door.shownChallenge()
    let frame = try door.frame("alice", slot: 2, challenge: byChallenge ? challenge : nil)
    #expect(try door.hear(frame).map(\.kind) == [.granted])
    // At once and for a minute, so under the next challenges and in the next slots.
    for _ in 0..<60 {
      try door.hear(frame)
      door.wait(.seconds(1))
    }
    #expect(door.lock.openings == 1 && door.grants == 1)
  }

  @Test(arguments: [false, true], [false, true])
  func norAfterARestartOrAReboot(_ byChallenge: Bool, _ afterBoot: Bool) throws {
    let door = try TestDoor.attacked()
    let challenge = try door.shownChallenge()
    let frame = try door.frame("alice", slot: 2, challenge: byChallenge ? challenge : nil)
    try door.hear(frame)
    try door.restart(afterBoot: afterBoot)
    for _ in 0..<60 {
      door.wait(.seconds(1))
      try door.hear(frame)
    }
    #expect(door.lock.openings == 1 && door.grants == 1)
  }

  @Test func aRecordedFrameIsForeignToAnotherDoorOfTheSameController() throws {
    let door = try TestDoor.attacked()
    try door.addDoor("back", holder: rule("carol", freshness: .either))
    try door.pipeline.adopt(door.rulebook)
    door.wait(.seconds(20))
    let frames = [try door.frame("carol"), try door.frame("carol", challenge: door.shownChallenge())]
    // Carol's door is the back door, and the front door's challenge isn't that of hers.
    #expect(try door.hear(frames[1]).isEmpty)
    #expect(try door.hear(frames[0]).map(\.door) == ["back"])
    #expect(try door.pipeline.snapshot().foreign == 1)
  }

  @Test func aFrameForOneDoorOpensNoOtherOfTheSameHolder() throws {
    let door = try TestDoor.attacked(doors: ["front", "back"])
    // The back door has a controller of its own, which knows nothing of the front door.
    try door.configure(["freshness: either"], only: "back")
    try door.restart()
    door.wait(.seconds(20))
    let challenge = try door.shownChallenge()
    for challenge in [nil, challenge] {
      let freshness = challenge.map { .challenge($0) } ?? door.now()
      let front = try door.frame("alice", door: "front", challenge: challenge)
      #expect(try door.hear(front).isEmpty)
      // With the hint that Alice's frames have at the back door they are found, and aren't authentic: her key is another one
      // there, and the tag is over another number. Either would do.
      let back = try door.exchange("alice", freshness, door: "back")
      for (keys, number) in [("front", "front"), ("front", "back"), ("back", "front")] {
        let frame = try door.exchange("alice", freshness, door: keys, naming: number).seal(
          CommandPlaintext(sequence: 0, command: .unlock(seconds: 0), press: 9, wantsAnswer: false))
        #expect(try door.hear(Frame(high: hint(back) | frame.high & low40, low: frame.low)).isEmpty)
      }
    }
    let counted = try door.pipeline.snapshot()
    #expect(counted.foreign == 2 && counted.forged == 6 && door.lock.openings == 0)
    let back = try door.frame("alice", door: "back")
    #expect(try door.hear(back).map(\.kind) == [.granted], "the same holder's frame for that door opens it")
  }

  @Test func aFrameOfOneFreshnessIsNothingInTheOther() throws {
    let door = try TestDoor.attacked()
    let alice = try door.exchange("alice", .challenge(door.shownChallenge()))
    let byTime = try door.frame("alice", slot: 2)
    // The hint under the challenge, to get as far as its tag, before what was sealed for the slot.
    #expect(try door.hear(Frame(high: hint(alice) | byTime.high & low40, low: byTime.low)).isEmpty)
    #expect(try door.pipeline.snapshot().forged == 1)
    let byChallenge = try door.frame("alice", challenge: door.shownChallenge())
    #expect(try door.hear(Frame(high: byTime.high & ~low40 | byChallenge.high & low40, low: byChallenge.low)).isEmpty)
    #expect(try door.pipeline.snapshot().forged == 2 && door.lock.openings == 0)
  }

  @Test func aFrameUnderAChallengeThatTheAttackerMadeUpIsForeign() throws {
    let door = try TestDoor.attacked()
    try door.hear(door.frame("alice", challenge: Challenge(random: 42)))
    #expect(door.lock.openings == 0)
    #expect(try door.pipeline.snapshot().foreign == 1)
    // One of the door's own, once it is over, is no better than one that was made up.
    let old = try door.shownChallenge()
    door.wait(.seconds(4))
    try door.hear(door.frame("alice", challenge: old))
    #expect(try door.pipeline.snapshot().foreign == 2)
  }

  @Test func beaconsAndAnswersAreNoCommands() throws {
    let door = try TestDoor.attacked()
    let challenge = try door.shownChallenge()
    let status = try door.frame("alice", .status, challenge: challenge, flags: 1)
    try door.hear(status)
    door.pass(.zero)
    let sent = door.onAir.map(\.frame)
    #expect(sent.count == 2, "an answer and a beacon")
    for frame in sent { #expect(try door.hear(frame).isEmpty) }
    // With the hint of a command before it, an answer is found, and isn't authentic.
    let alice = try door.exchange("alice", .challenge(challenge))
    let answer = try #require(try sent.first { try alice.openAnswer($0, to: status) != nil })
    #expect(try door.hear(Frame(high: hint(alice) | answer.high & low40, low: answer.low)).isEmpty)
    let counted = try door.pipeline.snapshot()
    #expect(counted.foreign == 2 && counted.forged == 1 && door.grants == 1)
  }

  @Test(arguments: [false, true])
  func aThousandCopiesOfASupersededFrameAreOneLine(_ byChallenge: Bool) throws {
    let door = try TestDoor.attacked()
    let challenge = byChallenge ? try door.shownChallenge() : nil
    let superseded = try door.frame("alice", challenge: challenge, sequence: 3, press: 1)
    try door.hear(door.frame("alice", challenge: challenge, sequence: 4, press: 2))
    for _ in 0..<1_000 { try door.hear(superseded) }
    #expect(door.events(.replayed).count == 1)
    #expect(try door.pipeline.snapshot().replayed == 1_000)
    let stored = try door.pipeline.ledger.events(after: 0, limit: 1_000)
    #expect(stored.count { $0.event.kind == "replayed" } == 1)
  }

  @Test(arguments: [false, true])
  func theSamePressUnderTwoFreshnessesIsOneOpeningAndOneUse(_ byChallenge: Bool) throws {
    let door = try TestDoor.attacked(uses: 2)
    let send = { (press: UInt8) in
      door.wait(.seconds(5))
      return try door.hear(
        door.frame("alice", challenge: byChallenge ? door.shownChallenge() : nil, press: press))
    }
    #expect(try send(9).map(\.kind) == [.granted])
    #expect(try send(9).isEmpty)
    #expect(try door.pipeline.snapshot().repeated == 1 && door.lock.openings == 1)
    // The second use is still there, and no third.
    #expect(try send(10).map(\.kind) == [.granted])
    #expect(try send(11).map(\.reason) == ["uses-exhausted"])
  }

  @Test func afterSequence255OnlyTheNextSlotOrChallengeCounts() throws {
    let door = try TestDoor.attacked()
    let challenge = try door.shownChallenge()
    for sequence in [UInt8(255), 0, 254] {
      try door.hear(door.frame("alice", sequence: sequence, press: sequence))
      try door.hear(door.frame("mallory", challenge: challenge, sequence: sequence, press: sequence))
    }
    #expect(door.grants == 2 && door.events(.replayed).count == 4)
    door.wait(.seconds(5))
    try door.hear(door.frame("alice", press: 1))
    try door.hear(door.frame("mallory", challenge: door.shownChallenge(), press: 1))
    #expect(door.grants == 4)
  }

  @Test func slotZeroIsForeignAndIsRefusedByADoorWhoseClockStandsThere() throws {
    let door = try TestDoor.attacked()
    let zero = try door.exchange("alice", .time(slot: 0)).seal(
      CommandPlaintext(sequence: 0, command: .unlock(seconds: 0), press: 1, wantsAnswer: false))
    #expect(try door.hear(zero).isEmpty)
    #expect(try door.pipeline.snapshot().foreign == 1)
    door.time.set(by: .seconds(-door.time.wall.seconds))
    door.pass(.zero)
    #expect(try door.hear(zero).map(\.reason) == ["clock-untrusted"])
    #expect(door.lock.openings == 0)
  }

  /// The hint of a credential's commands, where it stands in a frame.
  private func hint(_ exchange: Exchange) -> UInt64 { UInt64(exchange.commandHint) << 40 }
}

/// The five bytes behind a frame's hint.
private let low40: UInt64 = 0xFF_FFFF_FFFF
