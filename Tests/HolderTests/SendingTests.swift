import Advertising
import AirProtocol
import HCI
import Holder
import POSIX
import Provisioning
import TestSupport
import Testing

/// An air whose time passes when somebody waits, and only then.
final class TestAir: Air {
  /// Nanoseconds since the test's beginning; both clocks follow it.
  private(set) var time: UInt64 = 0
  private(set) var sent: [(at: UInt64, data: AdvertisingData)] = []
  private(set) var waits = 0
  /// What is heard next: when, in nanoseconds, and how strong.
  var script: (TestAir) -> (at: UInt64, data: [UInt8], rssi: Int8?)? = { _ in nil }
  var cancelledAfter = Int.max
  var failure: RadioError?
  /// By how much the wall clock is set back at the next wait, in seconds.
  var setBack: Int64 = 0
  private var offset: Int64

  init(wall: Int64) { offset = wall }

  func advertise(_ data: AdvertisingData) throws(RadioError) {
    if let failure { throw failure }
    sent.append((time, data))
  }

  func listen(
    until deadline: BootInstant, _ heard: (Span<UInt8>, Int8?) -> Bool
  ) throws(RadioError) -> Listening {
    waits += 1
    if waits > cancelledAfter { return .cancelled }
    // What others send meanwhile, at its moment.
    if let next = script(self), next.at <= deadline.nanoseconds {
      time = max(time, next.at)
      let bytes = next.data
      return heard(bytes.span, next.rssi) ? .enough : .over
    }
    time = max(time, deadline.nanoseconds)
    offset -= setBack
    setBack = 0
    return .over
  }

  /// Time passes in which nobody listens.
  func pass(_ duration: Duration) { time += UInt64(duration / .nanoseconds(1)) }

  var boot: BootInstant { BootInstant(nanoseconds: time) }
  var wall: WallTime {
    WallTime(seconds: offset + Int64(time / 1_000_000_000), nanoseconds: Int32(time % 1_000_000_000))
  }
}

@Suite struct SendingTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func intent(slotSeconds: Int = 5) throws -> Intent {
    let door = HeldDoor(try present(DoorNumber(rawValue: 1)), of: try sampleCredential(slotSeconds: slotSeconds))
    return Intent(.unlock(seconds: 0), to: door, carrier: .uuid128, wantsAnswer: false, stateDirectory: folder.path)
  }

  /// Sends for a while and tells what went on the air: when, in milliseconds, and in which slot.
  private func send(
    _ air: TestAir, for duration: Duration, slotSeconds: Int = 5
  ) throws -> (slots: [String], events: [Sending.Event], outcome: Sending.Outcome) {
    let intent = try intent(slotSeconds: slotSeconds)
    var events: [Sending.Event] = []
    let sending = Sending(for: duration, wallNow: { air.wall }, bootNow: { air.boot })
    let outcome = try sending.send(intent, by: .time, over: air) { events.append($0) }
    let slots = events.compactMap { event -> UInt64? in
      guard case .onAir(let transmission, _) = event, case .time(let slot) = transmission.freshness else { return nil }
      return slot
    }
    #expect(slots.count == air.sent.count)
    return (zip(air.sent, slots).map { "\($0.at / 1_000_000) ms: \($1)" }, events, outcome)
  }

  @Test func aFirstStartWaitsForTheNextSlot() throws {
    let air = TestAir(wall: 5_002)
    let result = try send(air, for: .seconds(3))
    #expect(result.slots == ["3000 ms: 1001"])
    #expect(result.events.first == .waiting(until: WallTime(seconds: 5_005)))
    #expect(result.outcome == .over)
    #expect(air.time == 6_000_000_000)
  }

  @Test func aLongIntentGoesOnInLaterSlots() throws {
    _ = try send(TestAir(wall: 4_990), for: .zero)
    #expect(
      try send(TestAir(wall: 5_003), for: .seconds(12)).slots == ["0 ms: 1000", "4000 ms: 1001", "8000 ms: 1002"])
  }

  @Test func slotsOfOneSecondMakeAFrameEachFourSeconds() throws {
    _ = try send(TestAir(wall: 4_990), for: .zero, slotSeconds: 1)
    let air = TestAir(wall: 5_003)
    #expect(try send(air, for: .seconds(9), slotSeconds: 1).slots == ["0 ms: 5003", "4000 ms: 5007", "8000 ms: 5011"])
  }

  @Test func slotsOfAMinuteMakeOneFrame() throws {
    _ = try send(TestAir(wall: 5_900), for: .zero, slotSeconds: 60)
    let air = TestAir(wall: 6_001)
    #expect(try send(air, for: .seconds(50), slotSeconds: 60).slots == ["0 ms: 100"])
  }

  @Test(arguments: [0, 1])
  func itIsCancelled(_ waits: Int) throws {
    let air = TestAir(wall: 5_002)
    air.cancelledAfter = waits
    let result = try send(air, for: .seconds(3))
    #expect(result.outcome == .cancelled)
    #expect(result.slots.count == waits)
  }

  @Test func aClockSetBackMeanwhileSendsNothingNew() throws {
    _ = try send(TestAir(wall: 4_990), for: .zero)
    let air = TestAir(wall: 5_003)
    air.setBack = 8
    #expect(try send(air, for: .seconds(7)).slots == ["0 ms: 1000"])
  }

  @Test func slotsThatAreUsedUpForLongAreAnError() throws {
    // The clock was a day ahead: 60 frames, one in each slot.
    var intent = try intent()
    for slot in Int64(2_000)..<2_060 {
      intent = try self.intent()
      _ = try intent.next(now: WallTime(seconds: slot * 5))
    }
    let error = #expect(throws: SendingError.self) { try send(TestAir(wall: 10_105), for: .seconds(3)) }
    #expect(error == .usedUp(until: WallTime(seconds: 10_300)))
  }

  @Test func theRadiosErrorIsPassedOn() throws {
    let air = TestAir(wall: 5_002)
    air.failure = .ended
    #expect(throws: SendingError.radio(.ended)) { try send(air, for: .seconds(3)) }
  }
}
