import Advertising
import AirProtocol
import POSIX
import Provisioning
import TestSupport
import Testing

@testable import Holder

@Suite struct IntentTests {
  private let folder: TemporaryDirectory
  private let credential: CredentialFile

  init() throws {
    folder = try TemporaryDirectory()
    credential = try sampleCredential()
  }

  private func intent(_ command: Command = .unlock(seconds: 0), carrier: Carrier = .uuid128) throws -> Intent {
    let door = HeldDoor(try present(DoorNumber(rawValue: 1)), of: credential)
    return Intent(command, to: door, carrier: carrier, wantsAnswer: false, stateDirectory: folder.path)
  }

  /// A moment that many seconds after the beginning of slot 1000.
  private func at(_ seconds: Int64) -> WallTime { WallTime(seconds: 5_000 + seconds) }

  private func sent(_ step: Intent.Step) throws -> Transmission {
    guard case .transmit(let transmission) = step else { throw TestError("expected a transmission, not \(step)") }
    return transmission
  }

  /// Makes the state in slot 1000, so that all from 1001 on are free.
  private func begin() throws {
    var first = try intent()
    #expect(try first.next(now: at(0)) == .wait(untilSlot: 1_001))
  }

  @Test func theSlotInWhichAStateBeginsIsUsedUp() throws {
    var intent = try intent()
    #expect(try intent.next(now: at(0)) == .wait(untilSlot: 1_001))
    #expect(try intent.next(now: at(4)) == .wait(untilSlot: 1_001))
    let first = try sent(try intent.next(now: at(5)))
    #expect(first.freshness == .time(slot: 1_001))
    #expect(first.plaintext.sequence == 0)
    #expect(first.plaintext.flags == 0)
  }

  @Test func theSameIntentInTheSameSlotIsTheSameFrame() throws {
    try begin()
    var intent = try intent()
    let first = try sent(try intent.next(now: at(5)))
    #expect(try intent.next(now: at(9)) == .goOn)
    #expect(intent.transmission == first)
    let second = try sent(try intent.next(now: at(10)))
    #expect(second.freshness == .time(slot: 1_002))
    #expect(second.plaintext.press == first.plaintext.press)
    #expect(second.frame != first.frame)
  }

  @Test func eachIntentHasItsOwnPressAndSequence() throws {
    try begin()
    let sequence = try (0..<5).map { _ in
      var intent = try intent()
      return try sent(try intent.next(now: at(5))).plaintext
    }
    #expect(sequence.map(\.sequence) == [0, 1, 2, 3, 4])
    for (one, next) in zip(sequence, sequence.dropFirst()) { #expect(next.press == one.press &+ 1) }
  }

  /// An older intent that goes on doesn't give its press to the next one.
  @Test func aLaterFrameLeavesNewerPressesAlone() throws {
    try begin()
    var (older, newer, newest) = (try intent(), try intent(), try intent())
    let first = try sent(try older.next(now: at(5))).plaintext.press
    let second = try sent(try newer.next(now: at(6))).plaintext.press
    #expect(try sent(try older.next(now: at(10))).plaintext.press == first)
    #expect(try sent(try newest.next(now: at(11))).plaintext.press == second &+ 1)
  }

  @Test func aClockSetBackIsToldAndUsesNothingTwice() throws {
    try begin()
    var (first, second, third) = (try intent(), try intent(), try intent())
    _ = try sent(try first.next(now: at(100)))
    let back = try sent(try second.next(now: at(50)))
    #expect(back.freshness == .time(slot: 1_010))
    #expect(second.slotsBehind == 10)
    #expect(first.slotsBehind == nil)
    #expect(try third.next(now: at(100)) == .wait(untilSlot: 1_021))
  }

  @Test func framesFollowAfterFourSecondsAndInALaterSlot() throws {
    try begin()
    var intent = try intent()
    #expect(intent.nextFrameDue(sentAt: (BootInstant(nanoseconds: 0), at(5))) == nil)
    _ = try intent.next(now: at(5))
    #expect(
      intent.nextFrameDue(sentAt: (BootInstant(nanoseconds: 7), at(5))) == BootInstant(nanoseconds: 5_000_000_007))
    #expect(
      intent.nextFrameDue(sentAt: (BootInstant(nanoseconds: 7), at(9))) == BootInstant(nanoseconds: 4_000_000_007))
  }

  @Test(arguments: Carrier.allCases)
  func theCarrierHoldsTheFrame(_ carrier: Carrier) throws {
    try begin()
    var intent = try intent(carrier: carrier)
    let transmission = try sent(try intent.next(now: at(5)))
    #expect(transmission.carrier == carrier)
    var found: [Frame] = []
    FrameSearch.forEachFrame(in: transmission.data.bytes.span, markers: .standard) { frame, _ in found.append(frame) }
    #expect(found == [transmission.frame])
  }
}

/// The marker of `uuid16` may be one of the frame's own words, which some stacks would drop (protocol.md, "Carriers").
@Suite struct RepeatedWordsTests {
  private func first(marker: UInt16, from sequence: UInt8, _ carrier: Carrier = .uuid16) throws -> Transmission? {
    let credential = try sampleCredential(markers: try present(CarrierMarkers(name: "LK", uuid16: marker)))
    let door = HeldDoor(try present(DoorNumber(rawValue: 1)), of: credential)
    return try Transmission.first(
      .lock, press: 9, wantsAnswer: false, to: door, under: .time(slot: 42), from: sequence, carrier: carrier)
  }

  private func words(_ sequence: UInt8) throws -> [UInt16] {
    let bytes = try present(try first(marker: 0xF5FF, from: sequence, .uuid128)).frame.bytes
    return stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
  }

  @Test func anotherSequenceIsTaken() throws {
    let transmission = try present(try first(marker: try words(7)[4], from: 7))
    #expect(transmission.plaintext.sequence == 8)
    #expect(transmission.carrier == .uuid16)
  }

  @Test func noSequenceIsLeft() throws {
    #expect(try first(marker: try words(255)[4], from: 255) == nil)
  }

  @Test func anotherCarrierIsTakenWhereTheFirstWordIsTheMarker() throws {
    let transmission = try present(try first(marker: try words(7)[0], from: 7))
    #expect(transmission.plaintext.sequence == 7)
    #expect(transmission.carrier == .uuid128)
  }

  @Test(arguments: [Carrier.uuid128, .name])
  func otherCarriersDoNotCare(_ carrier: Carrier) throws {
    let transmission = try present(try first(marker: try words(7)[4], from: 7, carrier))
    #expect(transmission.plaintext.sequence == 7)
    #expect(transmission.carrier == carrier)
  }
}
