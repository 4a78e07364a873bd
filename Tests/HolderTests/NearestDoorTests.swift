import Advertising
import AirProtocol
import HCI
import Holder
import LatchkeyCrypto
import POSIX
import Provisioning
import TestSupport
import Testing

@Suite struct NearestDoorTests {
  private let air = TestAir(wall: 5_000)
  private let maker: BeaconMaker

  init() throws { maker = try BeaconMaker(sampleCredential()) }

  /// Doors take turns every 10 ms; each has its strength, which a number of readings may follow.
  private func play(_ doors: [(number: UInt16, strengths: [Int8?], ahead: Int64)], from start: UInt64 = 0) {
    var turn = 0
    air.script = { [maker] air in
      let door = doors[turn % doors.count]
      let rssi = door.strengths[turn / doors.count % door.strengths.count]
      turn += 1
      let data = try? maker.data(door.number, at: air.wall, ahead: door.ahead)
      return data.map { (max(start, air.time) + 10_000_000, $0, rssi) }
    }
  }

  /// The outcome in words.
  private func find(within limit: Duration = .seconds(3)) throws -> String {
    let air = air
    let search = NearestDoor(within: limit, wallNow: { air.wall }, bootNow: { air.boot })
    switch try search.find(among: [maker.credential], over: air) {
    case .door(let door, let rivals): return ([door] + rivals).map(\.door.id).joined(separator: " ")
    case .unclear(let doors): return "unclear: " + doors.map(\.door.id).joined(separator: " ")
    case .nothing: return "nothing"
    case .cancelled: return "cancelled"
    }
  }

  @Test func theStrongestIsTakenHalfASecondBehindTheFirstBeacon() throws {
    play([(1, [-70], 0), (2, [-50], 0)], from: 1_000_000_000)
    #expect(try find() == "back")
    #expect((1_500_000_000...1_520_000_000).contains(air.time))
    #expect(air.sent.isEmpty, "nothing is sent")
  }

  @Test func onePeakChoosesNothing() throws {
    play([(1, [-60], 0), (2, [-80, -80, -20, -80, -80], 0)])
    #expect(try find() == "front")
  }

  @Test func doorsThatAreAboutAsNearAreNamed() throws {
    play([(1, [-60], 0), (2, [-65], 0), (9, [-66], 0)])
    #expect(try find() == "front back")
  }

  @Test func withoutABeaconThereIsNone() throws {
    #expect(try find() == "nothing")
    #expect(air.time == 3_000_000_000)
  }

  @Test func itEndsWithItsTime() throws {
    play([(1, [-60], 0)], from: 100_000_000)
    #expect(try find(within: .milliseconds(200)) == "front")
    #expect(air.time <= 220_000_000)
  }

  @Test func aRadioThatTellsNoStrengthTellsOneDoorOnly() throws {
    play([(1, [nil], 0)])
    #expect(try find() == "front")
    play([(1, [nil], 0), (2, [nil], 0)])
    #expect(try find() == "unclear: front back")
    play([(1, [-60], 0), (2, [nil], 0)])
    #expect(try find() == "unclear: front back")
  }

  @Test func aBeaconOfAnotherTimeCountsOnlyWhereAllAreOfAnotherTime() throws {
    play([(1, [-60], 0), (2, [-20], -50)])
    #expect(try find() == "front", "a recorded beacon of another door, sent again and louder")
    play([(1, [-60], 50), (2, [-20], -50)])
    #expect(try find() == "back")
  }

  @Test func itIsCancelled() throws {
    play([(1, [-60], 0)])
    air.cancelledAfter = 3
    #expect(try find() == "cancelled")
  }

  @Test func whatWasHeardServesTheIntent() throws {
    play([(1, [-60], 0)])
    let air = air
    let search = NearestDoor(within: .seconds(3), wallNow: { air.wall }, bootNow: { air.boot })
    guard case .door(let found, _) = try search.find(among: [maker.credential], over: air) else {
      throw TestError("expected a door")
    }
    // From now on nothing is heard: the challenge that is known is enough.
    air.script = { _ in nil }
    let folder = try TemporaryDirectory()
    let intent = Intent(
      .unlock(seconds: 0), to: found.door, carrier: .uuid128, wantsAnswer: true, stateDirectory: folder.path)
    let before = air.time
    let sending = Sending(for: .milliseconds(300), wallNow: { air.wall }, bootNow: { air.boot })
    #expect(try sending.send(intent, by: .either, over: air, heard: found.log) { _ in } == .over)
    #expect(air.sent.count == 1 && air.time == before + 450_000_000)
  }
}
