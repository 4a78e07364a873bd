import Advertising
import POSIX
import Testing

@testable import HCI

@Suite struct AdvertisingRotationTests {
  private func data(_ byte: UInt8) throws -> AdvertisingData { try AdvertisingData(bytes: [byte]) }

  private func at(_ milliseconds: UInt64) -> BootInstant { BootInstant(nanoseconds: milliseconds * 1_000_000) }

  /// What is on the air in each dwell of a span, as the items' bytes, where the controller shows everything at once.
  private func follow(
    _ rotation: inout AdvertisingRotation, _ plan: AdvertisingPlan?, from start: UInt64, turns: Int, dwell: UInt64 = 30
  ) -> [UInt8] {
    (0..<UInt64(turns)).map { turn in
      let now = at(start + dwell * turn)
      let before = rotation.current
      rotation.turn(plan, isShown: before != nil, dwell: .milliseconds(Int64(dwell)), now: now)
      if rotation.current != before { rotation.turn(plan, isShown: true, dwell: .milliseconds(Int64(dwell)), now: now) }
      return rotation.current?.bytes[0] ?? 0
    }
  }

  @Test func oneThingNeedsNoTurns() throws {
    var rotation = AdvertisingRotation()
    #expect(follow(&rotation, AdvertisingPlan(try data(1)), from: 1_000, turns: 3) == [1, 1, 1])
    #expect(rotation.deadline == nil)
    // It changes at once.
    #expect(follow(&rotation, AdvertisingPlan(try data(2)), from: 1_001, turns: 1) == [2])
    #expect(follow(&rotation, nil, from: 1_002, turns: 1) == [0] && rotation.deadline == nil)
  }

  @Test(
    "however many doors there are, and however slow the controller, they share the air fairly",
    arguments: [2, 4, 5, 8, 16, 32], [30, 110])
  func doorsShareTheAirFairly(doors: UInt8, dwell: UInt64) throws {
    var rotation = AdvertisingRotation()
    let plan = try AdvertisingPlan((1...doors).map { AdvertisingPlan.Item(try data($0), every: .milliseconds(100)) })
    let count = Int(doors) * 20
    let turns = follow(&rotation, plan, from: 1_000, turns: count, dwell: dwell)
    // Nobody waits for more than a round, new challenges or not.
    if doors > 3 || dwell > 50 {
      for door in 1...doors { #expect(turns.count { $0 == door } == 20, "door \(door)") }
    }
    for round in 0..<19 {
      #expect(Set(turns[(round * Int(doors))..<((round + 2) * Int(doors))]).count == Int(doors))
    }
    #expect(rotation.deadline == at(1_000 + UInt64(count) * dwell))
  }

  /// What a controller that shows everything at once sends for a whole dwell, and when that began, in milliseconds: of
  /// doors that all change what they show every two seconds, and of an answer, which is number 0.
  private func showings(
    doors: UInt8, answer: Bool, dwell: UInt64, seconds: UInt64
  ) throws -> [(item: UInt8, at: UInt64)] {
    let period = Duration.milliseconds(answer ? max(170, 60 * Int(doors)) : 100)
    let answers = answer ? [AdvertisingPlan.Item(try data(0), every: .milliseconds(25))] : []
    var rotation = AdvertisingRotation()
    var plan: AdvertisingPlan?
    var result: [(item: UInt8, at: UInt64)] = []
    var since: UInt64 = 0
    for now in stride(from: 1_000 as UInt64, to: 1_000 + seconds * 1_000, by: 10) {
      if now % 2_000 == 1_000 {
        let beacons = try (1...doors).map { door in
          AdvertisingPlan.Item(
            try AdvertisingData(bytes: [door, UInt8(now / 2_000)]), every: period, series: UInt64(door))
        }
        plan = AdvertisingPlan(answers + beacons)
      }
      var shown = rotation.current
      let deadline = rotation.deadline
      rotation.turn(plan, isShown: shown != nil, dwell: .milliseconds(Int64(dwell)), now: at(now))
      if let shown, shown != rotation.current || deadline != rotation.deadline, now - since >= dwell {
        result.append((shown.bytes[0], since))
      }
      if shown != rotation.current || deadline != rotation.deadline { since = now }
      while shown != rotation.current {
        shown = rotation.current
        rotation.turn(plan, isShown: true, dwell: .milliseconds(Int64(dwell)), now: at(now))
      }
    }
    return result
  }

  @Test(
    "each of many doors is shown as often as the others, though all change what they show every two seconds",
    arguments: [5, 16, 18, 20, 24, 32], [30, 110])
  func newBeaconsOfManyDoors(doors: UInt8, dwell: UInt64) throws {
    for answer in [false, true] {
      let sent = try showings(doors: doors, answer: answer, dwell: dwell, seconds: 60)
      let counts = (1...doors).map { door in sent.count { $0.item == door } }
      let (least, most) = (counts.min() ?? 0, counts.max() ?? 0)
      #expect(least > 0 && most - least <= 2, "\(counts), answer: \(answer)")
      // In each round, which a change may make longer by a turn.
      let turn = answer ? 2 * dwell : dwell
      let round = max(UInt64(doors) * turn, answer ? max(170, 60 * UInt64(doors)) : 100)
      for door in 1...doors {
        let times = sent.filter { $0.item == door }.map(\.at)
        let gap = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? .max
        #expect(gap <= round + (2 + round / 2_000) * turn, "door \(door), answer: \(answer)")
      }
      let answers = sent.count { $0.item == 0 }
      #expect(answer ? answers * 2 >= sent.count - 1 : answers == 0)
    }
  }

  @Test func whatChangesAllTheTimeLeavesTheOthersTheirTurns() throws {
    var rotation = AdvertisingRotation()
    var shown: [UInt8: Int] = [:]
    for step in 0..<300 as Range<UInt64> {
      let changing = try AdvertisingData(bytes: [1, UInt8(step % 256)])
      let plan = AdvertisingPlan([
        .init(changing, every: .milliseconds(100), series: 1), .init(try data(2), every: .milliseconds(100), series: 2),
      ])
      _ = follow(&rotation, plan, from: 1_000 + step * 10, turns: 1)
      shown[rotation.current?.bytes[0] ?? 0, default: 0] += 1
    }
    #expect(shown[2] ?? 0 >= 150 && shown[1] ?? 0 >= 50, "\(shown)")
  }

  @Test func newDataOfWhatIsOnTheAirAreShownAtOnceAndForAWholeTurn() throws {
    var rotation = AdvertisingRotation()
    func plan(_ generation: UInt8) throws -> AdvertisingPlan? {
      AdvertisingPlan(
        try (1...3).map {
          .init(try AdvertisingData(bytes: [$0, generation]), every: .milliseconds(100), series: UInt64($0))
        })
    }
    _ = follow(&rotation, try plan(1), from: 1_000, turns: 1)
    _ = follow(&rotation, try plan(2), from: 1_020, turns: 1)
    #expect(rotation.current?.bytes == [1, 2] && rotation.deadline == at(1_050))
    #expect(follow(&rotation, try plan(2), from: 1_050, turns: 3) == [2, 3, 1])
  }

  @Test func aThingThatIsAloneNoLongerTakesTurns() throws {
    var rotation = AdvertisingRotation()
    let items = try (1...2).map { byte in
      AdvertisingPlan.Item(try data(byte), every: .milliseconds(100), series: UInt64(byte))
    }
    #expect(follow(&rotation, AdvertisingPlan([items[0]]), from: 1_000, turns: 3) == [1, 1, 1])
    #expect(follow(&rotation, AdvertisingPlan(items), from: 5_000, turns: 4) == [1, 2, 1, 2])
  }

  @Test func manyNewAnswersAreEachSentBeforeTheNextOne() throws {
    var rotation = AdvertisingRotation()
    let beacon = AdvertisingPlan.Item(try data(99), every: .milliseconds(170), series: 99)
    let answers = try (1...10).map { AdvertisingPlan.Item(try data($0), every: .milliseconds(25)) }
    _ = follow(&rotation, AdvertisingPlan([beacon]), from: 500, turns: 1)
    let plan = AdvertisingPlan(answers + [beacon])
    var shown: [UInt8] = []
    for step in 0..<30 as Range<UInt64> { shown += follow(&rotation, plan, from: 1_000 + step * 10, turns: 1) }
    #expect(shown == (1...10).flatMap { [$0, $0, $0] })
  }

  @Test func aBeaconThatAnAnswerCutShortIsTheNextOne() throws {
    var rotation = AdvertisingRotation()
    let beacons = try (1...3).map { AdvertisingPlan.Item(try data($0), every: .milliseconds(100), series: UInt64($0)) }
    #expect(follow(&rotation, AdvertisingPlan(beacons), from: 1_000, turns: 5) == [1, 2, 3, 1, 2])
    let answer = AdvertisingPlan.Item(try data(9), every: .milliseconds(25))
    #expect(follow(&rotation, AdvertisingPlan(beacons + [answer]), from: 1_130, turns: 6) == [9, 2, 9, 3, 9, 1])
  }

  @Test("beacons of many doors leave answers half of the air", arguments: [30, 110])
  func answersBesideManyBeacons(dwell: UInt64) throws {
    var rotation = AdvertisingRotation()
    let beacons = try (1...16).map { AdvertisingPlan.Item(try data($0), every: .milliseconds(170)) }
    let answer = AdvertisingPlan.Item(try data(99), every: .milliseconds(25))
    let turns = follow(&rotation, AdvertisingPlan(beacons + [answer]), from: 1_000, turns: 320, dwell: dwell)
    #expect(turns[0] == 99 && turns.count { $0 == 99 } >= 160)
    for door in 1...16 as ClosedRange<UInt8> { #expect(turns.count { $0 == door } >= 9) }
  }

  @Test func aTurnCountsFromWhenTheControllerShowsIt() throws {
    var rotation = AdvertisingRotation()
    let plan = try AdvertisingPlan((1...3).map { AdvertisingPlan.Item(try data($0), every: .milliseconds(100)) })
    rotation.turn(plan, isShown: false, dwell: .milliseconds(30), now: at(1_000))
    let first = rotation.current
    // The controller takes its time.
    rotation.turn(plan, isShown: false, dwell: .milliseconds(30), now: at(1_500))
    #expect(rotation.current == first && rotation.deadline == nil)
    rotation.turn(plan, isShown: true, dwell: .milliseconds(30), now: at(1_600))
    #expect(rotation.current == first && rotation.deadline == at(1_630))
    rotation.turn(plan, isShown: true, dwell: .milliseconds(30), now: at(1_630))
    #expect(rotation.current != first && rotation.deadline == nil)
  }

  @Test func anAnswerComesAtOnceAndLeavesRoomForBeacons() throws {
    var rotation = AdvertisingRotation()
    let beacons = try (1...2).map { AdvertisingPlan.Item(try data($0), every: .milliseconds(400)) }
    _ = follow(&rotation, AdvertisingPlan(beacons), from: 1_000, turns: 10)
    let answer = AdvertisingPlan.Item(try data(9), every: .milliseconds(25))
    // In the middle of a beacon's turn.
    let turns = follow(&rotation, AdvertisingPlan(beacons + [answer]), from: 1_285, turns: 100)
    #expect(turns[0] == 9)
    let shown = turns.filter { $0 != 9 }.count
    // Three seconds: two beacons, each every 0.4 s.
    #expect((14...16).contains(shown), "\(shown)")
  }

  @Test("however many answers there are, beacons come when they are due", arguments: [1, 3, 10, 32])
  func beaconsBesideAnswers(count: UInt8) throws {
    var rotation = AdvertisingRotation()
    let beacon = AdvertisingPlan.Item(try data(0), every: .milliseconds(170))
    let answers = try (1...count).map { AdvertisingPlan.Item(try data($0), every: .milliseconds(25)) }
    let turns = follow(&rotation, AdvertisingPlan([beacon] + answers), from: 1_000, turns: 1_000)
    #expect(turns.count { $0 == 0 } >= 30 * 5, "five a second")
    for answer in 1...count { #expect(turns.count { $0 == answer } >= 800 / Int(count)) }
  }

  @Test func aBeaconThatIsNewWaitsForTheEndOfATurn() throws {
    var rotation = AdvertisingRotation()
    let first = try [1, 2].map { AdvertisingPlan.Item(try data($0), every: .milliseconds(100)) }
    _ = follow(&rotation, AdvertisingPlan(first), from: 1_000, turns: 1)
    let next = try [1, 3].map { AdvertisingPlan.Item(try data($0), every: .milliseconds(100)) }
    #expect(follow(&rotation, AdvertisingPlan(next), from: 1_010, turns: 2) == [1, 3])
  }

  @Test func whatIsOnTheAirAndGoneIsReplacedAtOnce() throws {
    var rotation = AdvertisingRotation()
    let first = try [1, 2].map { AdvertisingPlan.Item(try data($0), every: .milliseconds(100)) }
    _ = follow(&rotation, AdvertisingPlan(first), from: 1_000, turns: 1)
    let next = try [2, 3].map { AdvertisingPlan.Item(try data($0), every: .milliseconds(100)) }
    #expect(follow(&rotation, AdvertisingPlan(next), from: 1_005, turns: 1) != [1])
  }
}

@Suite struct SupervisorAdvertisingTests {
  private func plan(_ bytes: [UInt8], every milliseconds: Int) throws -> AdvertisingPlan? {
    try AdvertisingPlan(
      bytes.map { AdvertisingPlan.Item(try AdvertisingData(bytes: [$0]), every: .milliseconds(milliseconds)) })
  }

  private func door(_ plan: AdvertisingPlan?, optional: Bool = true) -> WantedState {
    WantedState(
      address: DeviceAddress(value: 1), scan: .passive, advertising: plan, advertisingIsOptional: optional)
  }

  @Test func aLoneBeaconTakesItsTimeAndAnAnswerHurries() throws {
    var rig = Rig(door(try plan([7], every: 100)))
    rig.bringUp()
    #expect(rig.take().suffix(6) == ["adv-params-100", "adv-data-7", "adv-on", "scan-passive", "scan-on", "=on"])
    rig.feed(.want(door(try plan([8], every: 100)), revision: 2))
    rig.answer()
    #expect(rig.take() == ["adv-data-8"])
    rig.now = 1_000
    let answered = try #require(
      AdvertisingPlan([
        .init(try AdvertisingData(bytes: [8]), every: .milliseconds(200)),
        .init(try AdvertisingData(bytes: [9]), every: .milliseconds(25)),
      ]))
    rig.feed(.want(door(answered), revision: 3))
    rig.answer()
    #expect(rig.take() == ["adv-off", "adv-params-20", "adv-data-9", "adv-on"])
    #expect(rig.supervisor.settled == 3 && rig.deadline == 1_030)
    rig.tick(at: 1_030)
    rig.answer()
    rig.tick(at: 1_060)
    rig.answer()
    #expect(rig.take().allSatisfy { $0.hasPrefix("adv-data") }, "turns cost one command")
  }

  @Test("a controller that is slow to answer comes on all the same", arguments: [5, 35, 100, 400])
  func aSlowController(roundTrip: UInt64) throws {
    var rig = Rig(door(try plan([1, 2, 3, 4], every: 100)))
    rig.feed(.start)
    rig.feed(.opened(shared: false))
    for _ in 0..<max(60, 2_000 / roundTrip) {
      rig.now += roundTrip
      if let command = rig.pending {
        rig.pending = nil
        rig.feed(.event(HCIEvent(parsing: complete(command.opcode, 0).span)))
      }
      rig.tick(at: rig.now)
    }
    guard case .on? = rig.states.last else {
      Issue.record("\(rig.log)")
      return
    }
    for item in 1...4 { #expect(rig.log.contains("adv-data-\(item)"), "\(item)") }
  }

  @Test func aControllerThatOnlyScansIsGoodEnoughForADoor() throws {
    for refused in [Opcode.leSetAdvertisingEnable, .leSetScanEnable] {
      var rig = Rig(door(try plan([7], every: 100)))
      rig.feed(.start)
      rig.feed(.opened(shared: false))
      var refusals = 0
      // It refuses whichever of the two comes second, or the advertising itself.
      while let command = rig.pending {
        rig.pending = nil
        let isRefused = command.opcode == refused && command.parameters[0] == 1 && refusals == 0
        if isRefused { refusals += 1 }
        rig.feed(.event(HCIEvent(parsing: complete(command.opcode, isRefused ? 0x0C : 0).span)))
      }
      guard case .on(let info) = rig.states.last else {
        Issue.record("\(rig.take())")
        return
      }
      #expect(info.onlyScans)
      #expect(rig.take().filter { $0 == "reset" }.count == 1)
    }
  }

  @Test func whoMustAdvertiseIsNotContentWithScanning() throws {
    var rig = Rig(door(try plan([7], every: 100), optional: false), reconnects: false)
    rig.answers[.leSetAdvertisingEnable] = .some(0x0C)
    rig.bringUp()
    #expect(rig.take().last == "=failed")
  }
}
