internal import Advertising
internal import AirProtocol
internal import LatchkeyCrypto
internal import POSIX
internal import Provisioning

/// What a holder listens for while it wants something of a door: that door's beacons, and the answer to its frames.
struct Ear {
  private let door: HeldDoor
  private let beaconKey: BeaconKey
  /// The frames of the intent that were sent, with what reads their answers.
  private var sent: [(exchange: Exchange, frame: Frame)] = []
  private(set) var beacons: BeaconLog
  /// What the door has answered, once it has.
  private(set) var answer: Answer?

  /// - Parameter beacons: those of the door that were heard before.
  init(_ door: HeldDoor, heard beacons: BeaconLog) throws(CryptoError) {
    self.door = door
    self.beacons = beacons
    beaconKey = try door.credential.siteKey.beaconKey()
  }

  /// A frame goes on the air: its answer counts from now on.
  mutating func expectAnswer(to transmission: Transmission) throws(CryptoError) {
    sent.append((try door.exchange(transmission.freshness), transmission.frame))
  }

  /// What was sent before, and answered, is over: only what is sent from now on is to be answered.
  mutating func forgetFrames() {
    sent = []
    answer = nil
  }

  /// Takes in what was heard; true where it is an answer, or a beacon that is new.
  mutating func take(_ data: Span<UInt8>, rssi: Int8?, at now: BootInstant) -> Bool {
    var isNews = false
    FrameSearch.forEachFrame(in: data, markers: door.credential.site.markers) { frame, carrier in
      // Answers and beacons go as 128-bit UUIDs only.
      guard carrier == .uuid128 else { return }
      if takeAnswer(frame) || takeBeacon(frame, rssi, now) { isNews = true }
    }
    return isNews
  }

  private mutating func takeAnswer(_ frame: Frame) -> Bool {
    guard answer == nil else { return false }
    for (exchange, command) in sent {
      // That OpenSSL fails says nothing about the frame; the next copy is another try.
      if let found = try? exchange.openAnswer(frame, to: command) {
        answer = found
        return true
      }
    }
    return false
  }

  private mutating func takeBeacon(_ frame: Frame, _ rssi: Int8?, _ now: BootInstant) -> Bool {
    guard let beacon = try? beaconKey.open(frame), beacon.door == door.number else { return false }
    return beacons.take(beacon, rssi: rssi, at: now)
  }
}
