import AccessControl
import Advertising
import AirProtocol
import LockHardware
import POSIX
import Testing

@testable import DoorController
@testable import HCI

/// What somebody with a credential of the site can do to others.
@Suite struct InsiderTests {
  @Test(arguments: [false, true])
  func twentyQuestionsASecondHoldNobodyUp(_ byChallenge: Bool) throws {
    let door = try TestDoor.attacked()
    let start = door.time.boot
    var opening: Frame?
    var challenge: Challenge?
    for number in 0..<200 as Range<Int> {
      let mallorys = byChallenge ? try door.shownChallenge() : nil
      try door.hear(
        door.frame(
          "mallory", .status, challenge: mallorys, sequence: UInt8(number % 100), press: UInt8(number), flags: 1))
      if number == 100 {
        challenge = byChallenge ? try door.shownChallenge() : nil
        let frame = try door.frame("alice", challenge: challenge, flags: 1)
        opening = frame
        #expect(try door.hear(frame).map(\.kind) == [.granted], "at once")
        try door.report(.moved(.open))
        #expect(try door.answer("alice", to: frame, challenge: challenge)?.result == .done)
      }
      door.pass(.milliseconds(50))
    }
    #expect(opening != nil && door.time.boot - start == .seconds(10))
    #expect(door.events(.granted).filter { $0.credential == "mallory" }.count <= 11, "ten in ten seconds are decided")
    #expect(door.events(.slowDown).count == 1, "told once a minute")
  }

  /// The insider's frames come as new ones, and the ones that were answered again and again, so that their answers stay on
  /// the air as long as they can.
  @Test(arguments: [false, true], [.milliseconds(30), .milliseconds(110)] as [Duration])
  func theHonestAnswerIsOnTheAirWithinASecond(_ byChallenge: Bool, _ dwell: Duration) throws {
    for moment in [0, 5, 10, 100] { try answer(byChallenge, dwell, after: moment) }
  }

  /// - Parameter moment: after how many frames of the insider's Alice asks.
  private func answer(_ byChallenge: Bool, _ dwell: Duration, after moment: Int) throws {
    let door = try TestDoor.attacked()
    var turns = TestTurns(dwell: dwell)
    var asked: [Frame] = []
    var alices: (frame: Frame, at: BootInstant, answer: AdvertisingData?)?
    for number in 0..<moment + 20 {
      let challenge = byChallenge ? try door.shownChallenge() : nil
      let frame = try door.frame(
        "mallory", .status, challenge: challenge, sequence: UInt8(number % 100), press: UInt8(number), flags: 1)
      try door.hear(frame)
      asked = Array((asked + [frame]).prefix(10))
      for frame in asked { try door.hear(frame) }
      if let alices { try door.hear(alices.frame) }
      if number == moment {
        let frame = try door.frame("alice", challenge: challenge, flags: 1)
        #expect(try door.hear(frame).map(\.kind) == [.granted], "at once")
        try door.report(.moved(.open))
        let exchange = try door.exchange("alice", challenge.map { .challenge($0) } ?? door.now())
        let answer = try door.onAir.first { try exchange.openAnswer($0.frame, to: frame) != nil }
        alices = (frame, door.time.boot, answer)
      }
      for _ in 0..<5 {
        turns.look(door.plan, at: door.time.boot)
        door.pass(.milliseconds(10))
      }
    }
    let start = try #require(alices).at
    let answer = try #require(alices?.answer)
    let sent = try #require(turns.sent[answer], "after \(moment): never sent for a whole turn")
    #expect(sent - start <= .seconds(1), "after \(moment)")
    #expect(door.lock.openings == 1)
  }

  @Test func nobodyElsesFramesAreSlowedDown() throws {
    let door = try TestDoor.attacked()
    for number in 0..<50 as Range<UInt8> {
      try door.hear(door.frame("mallory", .status, sequence: number, press: number))
    }
    // Copies of Alice's frames, and frames made of them, count for nothing either.
    let frame = try door.frame("alice", press: 1)
    for _ in 0..<50 { try door.hear(frame) }
    for bit in 0..<50 as Range<UInt64> { try door.hear(Frame(high: frame.high, low: frame.low ^ 1 << bit)) }
    for number in 1..<10 as Range<UInt8> {
      #expect(try door.hear(door.frame("alice", sequence: number, press: 1 + number)).map(\.kind) == [.granted])
    }
  }

  @Test func anInsiderMakesNoFrameOfAnother() throws {
    let door = try TestDoor.attacked()
    let challenge = try door.shownChallenge()
    // All holders know the site key, and with it everybody's place among the hints if they know the hint secret; Alice's hint
    // before a frame of Mallory's is tried with Alice's key.
    let alices = try door.frame("alice", challenge: challenge)
    let mallorys = try door.frame("mallory", challenge: challenge)
    let mixed = Frame(high: alices.high & ~0xFF_FFFF_FFFF | mallorys.high & 0xFF_FFFF_FFFF, low: mallorys.low)
    #expect(try door.hear(mixed).isEmpty)
    #expect(try door.pipeline.snapshot().forged == 1 && door.lock.openings == 0)
  }

  @Test func forgedBeaconsAreNothingToADoor() throws {
    let door = try TestDoor.attacked()
    let keys = try door.pipeline.rulebook.table.doors[0]
    for number in 0..<100 as Range<UInt64> {
      let beacon = Beacon(
        challenge: Challenge(random: number), door: keys.number, state: DoorStateByte(.locked, clockTrusted: true),
        slotLow: 0)
      #expect(try door.hear(keys.beaconKey.seal(beacon)).isEmpty)
    }
    #expect(try door.pipeline.snapshot().foreign == 100)
    #expect(try door.hear(door.frame("alice", challenge: door.shownChallenge())).map(\.kind) == [.granted])
  }
}

/// What a controller sends of what a door wants on the air, turn by turn; it shows at once what it is told.
struct TestTurns {
  private let dwell: Duration
  private var rotation = AdvertisingRotation()
  private var since = BootInstant(nanoseconds: 0)
  /// When each was first sent once for certain.
  private(set) var sent: [AdvertisingData: BootInstant] = [:]

  init(dwell: Duration) { self.dwell = dwell }

  /// Goes on to that moment.
  mutating func look(_ plan: AdvertisingPlan?, at now: BootInstant) {
    var shown = rotation.current
    if let shown, now - since >= dwell, sent[shown] == nil { sent[shown] = now }
    rotation.turn(plan, isShown: shown != nil, dwell: dwell, now: now)
    while rotation.current != shown {
      shown = rotation.current
      since = now
      rotation.turn(plan, isShown: shown != nil, dwell: dwell, now: now)
    }
  }
}
