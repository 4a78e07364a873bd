import Advertising
import AirProtocol
import Holder
import LatchkeyCrypto
import POSIX
import Provisioning

/// Something that is heard: when, in nanoseconds, and how strong.
typealias Heard = (at: UInt64, data: [UInt8], rssi: Int8?)

/// A door at the other end of a `TestAir`: it shows beacons every 100 ms, and answers as told.
final class FarDoor {
  let held: HeldDoor
  let beaconKey: BeaconKey
  var clockTrusted = true
  /// By how many slots its clock is ahead.
  var ahead: Int64 = 0
  var isSilent = false
  /// What it answers to the first frame it can open under a challenge of its own; nil: nothing.
  var result: AnswerResult? = .done
  /// Whether it refuses frames by time with result 8, though its clock is trusted: it wants a challenge for that.
  var refusesTime = false
  /// Whether what it handles by time ends its challenges for the holder; where its clock isn't trusted it doesn't.
  var endsChallenges = true
  /// How long a challenge lasts, in nanoseconds.
  let period: UInt64
  private(set) var presses: [UInt8] = []
  private(set) var challenges: [Challenge] = []
  /// Challenges up to this number are over for the holder, as it has used the door by time.
  private var ended: UInt64?
  private var handledByTime: Frame?

  init(_ held: HeldDoor) throws {
    self.held = held
    period = UInt64(held.credential.site.challengeSeconds) * 1_000_000_000
    beaconKey = try held.credential.siteKey.beaconKey()
  }

  func challenge(at time: UInt64) -> Challenge { Challenge(random: 1_000 + time / period) }

  /// Beacons of the door as somebody may have recorded them at some other time, in the slot of now, or of 256 slots ago.
  func recorded(_ count: Int, _ air: TestAir) throws -> [[UInt8]] {
    try (0..<count).map { number in
      try beacon(at: air.time, wall: air.wall, challenge: Challenge(random: 1 << 41 + UInt64(number)))
    }
  }

  func beacon(at time: UInt64, wall: WallTime, challenge: Challenge? = nil, number: DoorNumber? = nil) throws -> [UInt8]
  {
    let slot = held.credential.site.slotClock.slot(at: wall.seconds)
    let beacon = Beacon(
      challenge: challenge ?? self.challenge(at: time), door: number ?? held.number,
      state: DoorStateByte(.locked, clockTrusted: clockTrusted),
      slotLow: UInt8(truncatingIfNeeded: Int64(slot) + ahead))
    return try advert(beaconKey.seal(beacon))
  }

  /// What it says next behind that moment: an answer to what is on the air, or a beacon; nil: nothing.
  func next(_ air: TestAir) -> Heard? {
    if isSilent { return nil }
    let at = air.next(every: 100_000_000)
    let beacon = (try? beacon(at: at, wall: air.wall)).map { (at, $0, Int8(-50)) }
    guard let sent = air.sent.last, let answer = try? answer(air) else { return beacon }
    // The first after 20 ms, and again every 25 ms.
    let first = sent.at + 20_000_000
    return earlier((first > air.time ? first : air.next(every: 25_000_000, before: 3_000_000), answer, -50), beacon)
  }

  private func answer(_ air: TestAir) throws -> [UInt8]? {
    guard let result, let sent = air.sent.last, let frame = firstFrame(sent.data.bytes) else { return nil }
    let number = air.time / period
    for number in [number, number - min(number, 1)] where ended.map({ number > $0 }) ?? true {
      let challenge = challenge(at: number * period)
      guard let answer = try answer(result, to: frame, under: .challenge(challenge)) else { continue }
      challenges.append(challenge)
      return answer
    }
    let slot = held.credential.site.slotClock.slot(at: air.wall.seconds)
    let answer = try answer(refusesTime ? .freshnessRefused : result, to: frame, under: .time(slot: slot))
    if answer != nil, endsChallenges, handledByTime != frame {
      handledByTime = frame
      ended = number
    }
    return answer
  }

  private func answer(_ result: AnswerResult, to frame: Frame, under freshness: Freshness) throws -> [UInt8]? {
    let exchange = try held.exchange(freshness)
    guard let plaintext = try exchange.openCommand(frame) else { return nil }
    presses.append(plaintext.press)
    let answer = Answer(result: result, state: DoorStateByte(.unlocked, clockTrusted: clockTrusted), detail: 5)
    return try advert(exchange.seal(answer, to: frame))
  }
}

/// The advertising data of a frame, as doors send it.
func advert(_ frame: Frame) throws -> [UInt8] {
  try AdvertisingData(frame: frame, carrier: .uuid128, markers: .standard).bytes
}

/// The first frame in advertising data.
func firstFrame(_ data: [UInt8]) -> Frame? {
  var frame: Frame?
  FrameSearch.forEachFrame(in: data.span, markers: .standard, limit: 1) { found, _ in frame = found }
  return frame
}

/// Whichever is heard first.
func earlier(_ one: Heard?, _ other: Heard?) -> Heard? {
  guard let one, let other else { return one ?? other }
  return one.at <= other.at ? one : other
}
