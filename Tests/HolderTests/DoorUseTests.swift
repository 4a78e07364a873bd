import AirProtocol
import Testing

@testable import Holder

/// The protocol's rules of "sequence", a line each; skewSlots is 2.
@Suite struct DoorUseTests {
  /// A door whose last frame was in slot 100 with sequence 7; slots 90 and 120 were used before.
  private static let door = DoorUse(slot: 100, nextSequence: 8, slots: [120, 90, 100], timeFrom: 0)

  @Test(
    arguments: [
      // the clock's slot, where the frame goes, by how much the clock is behind
      (101, DoorUse.Place.slot(101, sequence: 0), nil),
      (119, .slot(119, sequence: 0), nil),
      (120, .notBefore(slot: 121), nil),
      (121, .slot(121, sequence: 0), nil),
      (100, .slot(100, sequence: 8), nil),
      (99, .slot(100, sequence: 8), nil),
      (98, .slot(100, sequence: 8), nil),
      (97, .slot(97, sequence: 0), 3),
      (91, .slot(91, sequence: 0), 9),
      (90, .notBefore(slot: 91), 10),
      (0, .slot(0, sequence: 0), 100),
    ] as [(UInt64, DoorUse.Place, UInt64?)])
  func aFrameGoes(now: UInt64, _ place: DoorUse.Place, _ behind: UInt64?) {
    #expect(Self.door.place(now: now, skewSlots: 2, pause: 6) == place)
    #expect(Self.door.slotsBehind(now: now, skewSlots: 2) == behind)
  }

  @Test(
    arguments: [
      (98, DoorUse.Place.notBefore(slot: 102)), (100, .notBefore(slot: 102)), (102, .slot(102, sequence: 0)),
    ] as [(UInt64, DoorUse.Place)])
  func aSlotHasNoMoreThan256(now: UInt64, _ place: DoorUse.Place) {
    let door = DoorUse(slot: 100, nextSequence: 256, slots: [101, 100], timeFrom: 0)
    #expect(door.place(now: now, skewSlots: 2, pause: 6) == place)
  }

  @Test func ofAnUnknownDoorTheSlotAtTheBeginningIsUsedUp() {
    let door = DoorUse(usedUp: 50)
    #expect(door.place(now: 50, skewSlots: 2, pause: 6) == .notBefore(slot: 51))
    #expect(door.place(now: 51, skewSlots: 2, pause: 6) == .slot(51, sequence: 0))
  }

  @Test func everySequenceOnceAndThenTheNextSlot() {
    var door = DoorUse(usedUp: 50)
    for sequence in UInt8(0)...255 {
      #expect(door.place(now: 51, skewSlots: 0, pause: 6) == .slot(51, sequence: sequence))
      door.use(slot: 51, sequence: sequence)
    }
    #expect(door.place(now: 51, skewSlots: 0, pause: 6) == .notBefore(slot: 52))
  }

  @Test func sequencesMayBeLeftOut() {
    var door = DoorUse(usedUp: 50)
    door.use(slot: 51, sequence: 9)
    #expect(door.place(now: 51, skewSlots: 0, pause: 6) == .slot(51, sequence: 10))
  }

  /// A clock that was far ahead, then set back: what was used then is left out when its time comes.
  @Test func aCorrectedClockReachesNoUsedSlotAgain() {
    var door = DoorUse(usedUp: 10)
    for slot in [1_000, 1_001, 1_003] as [UInt64] { door.use(slot: slot, sequence: 0) }
    #expect(door.place(now: 20, skewSlots: 2, pause: 6) == .slot(20, sequence: 0))
    door.use(slot: 20, sequence: 0)
    #expect(door.place(now: 20, skewSlots: 2, pause: 6) == .slot(20, sequence: 1))
    #expect(door.place(now: 1_000, skewSlots: 2, pause: 6) == .notBefore(slot: 1_002))
    #expect(door.place(now: 1_002, skewSlots: 2, pause: 6) == .slot(1_002, sequence: 0))
  }

  @Test func theLast1024SlotsAreRemembered() {
    var door = DoorUse(usedUp: 0)
    for slot in UInt64(1)...2_000 { door.use(slot: slot, sequence: 0) }
    #expect(door.slots == Array(977...2_000))
    #expect(door.place(now: 977, skewSlots: 2, pause: 6) == .notBefore(slot: 2_001))
    #expect(door.place(now: 976, skewSlots: 2, pause: 6) == .slot(976, sequence: 0))
  }

  @Test func afterAChallengeFrameTimeFramesPause() {
    var door = Self.door
    door.usedChallenge(now: 200, pause: 6)
    #expect(door.place(now: 200, skewSlots: 2, pause: 6) == .notBefore(slot: 206))
    #expect(door.place(now: 205, skewSlots: 2, pause: 6) == .notBefore(slot: 206))
    #expect(door.place(now: 206, skewSlots: 2, pause: 6) == .slot(206, sequence: 0))
  }

  /// A clock that was ahead when it was under a challenge, and was set right since.
  @Test func aPauseThatNoClockExplainsCountsNoMore() {
    var door = Self.door
    door.usedChallenge(now: 9_000, pause: 6)
    #expect(door.place(now: 200, skewSlots: 2, pause: 6) == .slot(200, sequence: 0))
  }
}
