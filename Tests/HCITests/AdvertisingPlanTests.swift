import Advertising
import POSIX
import Testing

@testable import HCI

@Suite struct AdvertisingRotationTests {
  private func data(_ byte: UInt8) throws -> AdvertisingData { try AdvertisingData(bytes: [byte]) }

  private func at(_ milliseconds: UInt64) -> BootInstant { BootInstant(nanoseconds: milliseconds * 1_000_000) }

  /// What is on the air in each dwell of a span, as the items' bytes.
  private func follow(
    _ rotation: inout AdvertisingRotation, _ plan: AdvertisingPlan?, from start: UInt64, turns: Int
  ) -> [UInt8] {
    (0..<UInt64(turns)).map { turn in
      rotation.turn(plan, dwell: .milliseconds(30), now: at(start + 30 * turn))
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

  @Test func doorsShareTheAirFairly() throws {
    var rotation = AdvertisingRotation()
    let plan = try AdvertisingPlan((1...4).map { AdvertisingPlan.Item(try data($0), every: .milliseconds(100)) })
    let turns = follow(&rotation, plan, from: 1_000, turns: 400)
    for door in 1...4 as ClosedRange<UInt8> { #expect(turns.filter { $0 == door }.count == 100) }
    #expect(rotation.deadline == at(1_000 + 400 * 30))
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
