import AccessControl
import Advertising
import AirProtocol
import Holder
import LatchkeyCrypto
import POSIX
import Provisioning
import TestSupport
import Testing

/// Beacons of a site's doors as advertising data.
struct BeaconMaker {
  let credential: CredentialFile
  private let key: BeaconKey

  init(_ credential: CredentialFile) throws {
    self.credential = credential
    key = try credential.siteKey.beaconKey()
  }

  /// A beacon of a door whose clock is `ahead` slots ahead of that time.
  func data(
    _ door: UInt16, _ state: DoorStateByte = DoorStateByte(.locked, clockTrusted: true), challenge: UInt64 = 1,
    at wall: WallTime, ahead: Int64 = 0, carrier: Carrier = .uuid128
  ) throws -> [UInt8] {
    let slot = Int64(credential.site.slotClock.slot(at: wall.seconds)) + ahead
    let beacon = Beacon(
      challenge: Challenge(random: challenge), door: try present(DoorNumber(rawValue: door)), state: state,
      slotLow: UInt8(truncatingIfNeeded: slot))
    return try AdvertisingData(frame: key.seal(beacon), carrier: carrier, markers: .standard).bytes
  }
}

/// A credential of another site, with other keys, which lists a door 1 of its own.
func elsewhere(_ id: String = "elsewhere") throws -> CredentialFile {
  CredentialFile(
    site: try sampleSite("00000000-0000-4000-8000-000000000002"),
    siteKey: try present(SiteKey(SecretBytes(copying: [UInt8](repeating: 9, count: 32)))),
    id: try sampleCredential(id).id, secret: try sampleCredential().secret, doors: [try sampleDoor("gate", 1)])
}

@Suite struct DoorScanTests {
  private let wall = WallTime(seconds: 5_000)
  private let start = BootInstant(nanoseconds: 10_000_000_000)
  private let maker: BeaconMaker
  private var scan: DoorScan

  init() throws {
    maker = try BeaconMaker(sampleCredential())
    scan = try DoorScan([maker.credential])
  }

  /// Hears data and tells the changes in words.
  private mutating func hear(_ data: [UInt8], rssi: Int8? = -60, after: Duration = .zero) -> [String] {
    scan.take(data.span, rssi: rssi, at: start + after, wall: wall).map(\.text)
  }

  private mutating func expire(after: Duration) -> [String] { scan.expire(at: start + after).map(\.text) }

  @Test mutating func aDoorAppearsChangesAndGoes() throws {
    #expect(scan.isEmpty)
    #expect(hear(try maker.data(1, at: wall)) == ["appeared front"])
    #expect(hear(try maker.data(1, at: wall), after: .milliseconds(100)).isEmpty)
    #expect(hear(try maker.data(1, challenge: 2, at: wall), after: .seconds(2)).isEmpty, "a new challenge is no change")
    let open = DoorStateByte(.unlocked, clockTrusted: true, doorOpen: true)
    #expect(hear(try maker.data(1, open, challenge: 2, at: wall), after: .seconds(3)) == ["changed front"])
    let door = try #require(scan.doors.first)
    #expect(door.beacon.state == open && door.takesTime && door.strength == -60 && door.slotsAhead == 0)
    #expect(door.door.listed?.name.text == "Door front" && door.beacon.challenge == Challenge(random: 2))
    #expect(expire(after: .seconds(8)).isEmpty)
    #expect(expire(after: .milliseconds(8_001)) == ["gone front"])
    #expect(scan.isEmpty && expire(after: .seconds(9)).isEmpty)
  }

  @Test mutating func aDoorThatTheFileDoesNotListIsItsNumber() throws {
    #expect(hear(try maker.data(77, at: wall)) == ["appeared 77"])
    #expect(hear(try maker.data(2, at: wall)) == ["appeared back"])
    #expect(scan.doors.map(\.door.id) == ["back", "77"])
  }

  @Test mutating func whatIsNoBeaconOfTheSiteIsNothing() throws {
    let other = try BeaconMaker(elsewhere())
    #expect(hear(try other.data(1, at: wall)).isEmpty)
    #expect(hear(try maker.data(1, at: wall, carrier: .name)).isEmpty, "beacons go as 128-bit UUIDs only")
    var forged = try maker.data(1, at: wall)
    forged[forged.count - 1] ^= 0x01
    #expect(hear(forged).isEmpty)
    #expect(hear([0x02, 0x01, 0x06, 0x11, 0x07] + [UInt8](repeating: 0x11, count: 16)).isEmpty)
    #expect(hear([]).isEmpty && hear([0xFF]).isEmpty && scan.isEmpty)
  }

  @Test mutating func strengthIsAMedianThatNoPeakMoves() throws {
    for rssi in [-70, -20, -72, -71, -69] as [Int8] { _ = hear(try maker.data(1, at: wall), rssi: rssi) }
    #expect(scan.doors.first?.strength == -70)
    // Only the last five count, and one that isn't known says nothing.
    for rssi in [-50, nil, -50, -51] as [Int8?] { _ = hear(try maker.data(1, at: wall), rssi: rssi) }
    #expect(scan.doors.first?.strength == -51)
    _ = hear(try maker.data(2, at: wall), rssi: nil)
    #expect(scan.doors.last?.strength == nil)
  }

  @Test mutating func aClockThatDisagreesIsTold() throws {
    _ = hear(try maker.data(1, at: wall, ahead: 2))
    #expect(scan.doors.first?.slotsAhead == 2 && scan.doors.first?.clockAgrees == true)
    #expect(hear(try maker.data(1, at: wall, ahead: -40)) == ["changed front"])
    #expect(scan.doors.first?.slotsAhead == -40 && scan.doors.first?.clockAgrees == false)
    let untrusted = DoorStateByte(.locked, clockTrusted: false)
    #expect(hear(try maker.data(1, untrusted, at: wall, ahead: 99)) == ["changed front"])
    let door = try #require(scan.doors.first)
    #expect(door.slotsAhead == nil && door.clockAgrees && !door.takesTime)
  }

  @Test mutating func aFloodIsBoundedAndTheStrongStay() throws {
    _ = hear(try maker.data(60_000, at: wall), rssi: -50)
    for number in 1...2_000 as ClosedRange<UInt16> {
      _ = hear(try maker.data(number, at: wall), rssi: -90, after: .microseconds(Int64(number)))
    }
    #expect(scan.doors.count == DoorScan.limit)
    #expect(scan.doors.contains { $0.door.id == "60000" } && scan.doors.contains { $0.door.id == "front" })
    // A stronger one takes the place of a weak one; one that isn't known to be stronger takes none.
    #expect(
      hear(try maker.data(50_000, at: wall), rssi: -80, after: .seconds(1)) == ["gone front", "appeared 50000"],
      "the oldest of the weak")
    #expect(hear(try maker.data(50_001, at: wall), rssi: nil).isEmpty)
    // Those that are gone make room for anyone.
    #expect(hear(try maker.data(50_001, at: wall), rssi: -127, after: .seconds(7)).last == "appeared 50001")
    #expect(scan.doors.count == 1)
  }

  @Test func credentialsOfOneSiteShareItsDoors() throws {
    let bare = CredentialFile(
      site: maker.credential.site, siteKey: maker.credential.siteKey, id: try sampleCredential("bare").id,
      secret: try sampleCredential(secret: 8).secret, doors: [])
    let other = try BeaconMaker(elsewhere())
    var scan = try DoorScan([bare, maker.credential, other.credential])
    for data in try [other.data(1, at: wall), maker.data(9, at: wall), maker.data(1, at: wall)] {
      #expect(scan.take(data.span, rssi: nil, at: start, wall: wall).count == 1)
    }
    // The credential that lists the door, else the site's first.
    let reached = scan.doors.map { "\($0.door.credential.id) \($0.door.id)" }
    #expect(reached == ["alice-phone front", "bare 9", "elsewhere gate"])
  }
}

extension DoorScan.Change {
  fileprivate var text: String {
    switch self {
    case .appeared(let door): "appeared \(door.door.id)"
    case .changed(let door): "changed \(door.door.id)"
    case .gone(let door): "gone \(door.door.id)"
    }
  }
}
