import AccessControl
import Advertising
import AirProtocol
import Database
import HCI
import JSON
import LatchkeyCrypto
import Ledger
import LockHardware
import POSIX
import Provisioning
import Synchronization
import TestSupport
import Testing

@testable import DoorController

/// One door with its site, whose time, lock and air are the test's.
final class TestDoor {
  /// The moment at which every test begins, at a boundary of slots.
  static let start: Int64 = 1_796_000_000

  let folder: TemporaryDirectory
  let site: Site
  let time = TestTime()
  let lock = TestLock()
  private(set) var events: [DoorEvent] = []
  /// What happens while a record is made, before its event is told; nil: nothing.
  var whileRecording: ((DoorEvent) -> Void)?
  /// All inputs that were made.
  private(set) var inputs: [TestInput] = []
  /// What keeps more of them from being made.
  var inputFailure: Errno?
  /// All sirens that were made.
  private(set) var sirens: [TestSiren] = []
  /// What keeps more of them from being made.
  var sirenFailure: Errno?
  /// How many sirens have ended that no door has any more.
  private let sirenEnds = Monitor(0)
  /// What the door wants on the air now.
  var plan: AdvertisingPlan? { air.withLock { $0 } }
  var onAir: [AdvertisingData] { plan?.items.map(\.data) ?? [] }
  private let air = Mutex<AdvertisingPlan?>(nil)
  private let doorIDs: [String]
  private var running: DoorPipeline?

  /// - Parameters:
  ///   - rules: issued for all doors before their bundles are made.
  ///   - policy: more lines of each door's configuration.
  ///   - slotSeconds: the site's; a site's own default is 5. The skew is two slots, a challenge's period 2 s, as by default.
  ///   - doors: the site's, all of them this daemon's.
  init(
    _ rules: [CredentialRule], policy: [String] = [], slotSeconds: Int = 1, doors: [String] = ["front"]
  ) throws {
    doorIDs = doors
    folder = try TemporaryDirectory()
    let settings = try Site.Settings(
      name: DisplayName("Test"), zone: TimeZoneData(name: "Test/Zone", bytes: Self.universalTime),
      slotClock: #require(SlotClock(slotSeconds: slotSeconds, skewSlots: 2)))
    site = try Site.create(in: folder("site"), #require(settings), now: Self.start)
    for door in doors {
      _ = try site.addDoor(#require(Identifier(door)), name: DisplayName("Door \(door)"), now: Self.start)
    }
    try issue(rules)
    for door in doors { try export(door, now: Self.start) }
    try configure(policy)
    try restart()
  }

  func issue(_ rules: [CredentialRule]) throws {
    let doors = try doorIDs.map { try #require(Identifier($0)) }
    try site.issue(rules.map { CredentialRequest(rule: $0, doors: doors) }, now: Self.start)
  }

  func export(_ door: String = "front", now: Int64) throws {
    let zone = try TimeZoneData(name: "Test/Zone", bytes: Self.universalTime)
    let bundle = try site.exportBundle(of: #require(Identifier(door)), zone: zone, now: now)
    let bytes = bundle.bytes.withBytes { span in span.indices.map { span[$0] } }
    try replaceFile(folder("\(door).bundle"), contents: bytes)
  }

  /// Adds a second door with one holder to site and configuration; the daemon learns of it by `adopt`.
  func addDoor(_ id: String, holder: CredentialRule) throws {
    let door = try #require(Identifier(id))
    _ = try site.addDoor(door, name: DisplayName("Door \(id)"), now: Self.start)
    try site.issue([CredentialRequest(rule: holder, doors: [door])], now: Self.start)
    try export(id, now: Self.start)
    let text = String(decoding: try readFile(folder("door.yaml"), limit: 1 << 16), as: UTF8.self)
    let more = "  \(id): { bundle: \(id).bundle, lock: { dry-run: {} }, freshness: time }\n"
    try replaceFile(folder("door.yaml"), contents: Array((text + more).utf8))
  }

  /// - Parameter only: the one door that this daemon has; nil: all of the site's.
  func configure(_ policy: [String], lock: String = "{ dry-run: {} }", only: String? = nil) throws {
    let policy = policy.contains { $0.hasPrefix("freshness:") } ? policy : policy + ["freshness: time"]
    let doors = (only.map { [$0] } ?? doorIDs).flatMap { id in
      ["  \(id):"] + (["bundle: \(id).bundle", "lock: \(lock)", "pulse: 3s"] + policy).map { "    \($0)" }
    }
    let lines =
      [
        "radio: unix:/nowhere", "site-key: \(Base64URL.encode(site.verificationKey.rawRepresentation))",
        "state: state.db", "volatile: volatile", "clock: battery", "doors:",
      ] + doors
    try replaceFile(folder("door.yaml"), contents: Array((lines.joined(separator: "\n") + "\n").utf8))
  }

  var rulebook: Rulebook {
    get throws { try Rulebook(loading: DoorConfiguration.load(path: folder("door.yaml"))) }
  }

  /// Ends the door's process and starts it anew, on the same state.
  ///
  /// - Parameters:
  ///   - afterBoot: whether volatile storage was cleared in between.
  ///   - meanwhile: what happens to the door's files in between.
  func restart(
    afterBoot: Bool = false, trustsClock: Bool = false, _ meanwhile: (TemporaryDirectory) throws -> Void = { _ in }
  ) throws {
    running?.stopDoors()
    running = nil
    try meanwhile(folder)
    if afterBoot {
      for name in directoryEntries(folder("volatile")) { try removeFile(folder("volatile/\(name)")) }
    }
    let ledger = try Ledger(path: folder("state.db"), volatileDirectory: folder("volatile"))
    let time = time
    let lock = lock
    let book = try rulebook
    air.withLock { $0 = nil }
    try book.accept(into: ledger)
    var environment = DoorPipeline.Environment(
      clocks: Clocks(boot: { time.boot }, wall: { time.wall }, synchronisation: { (false, .seconds(16)) }),
      trustsClock: trustsClock, buildsInBackground: false, onIndexReady: {}, makeLock: { _, _, _, _ in lock },
      emit: { [weak self] event in
        self?.whileRecording?(event)
        self?.events.append(event)
      },
      air: { [weak self] plan in self?.air.withLock { $0 = plan } })
    environment.makeInput = { [weak self] (_, role, _, id) throws(Errno) in
      if let failure = self?.inputFailure { throw failure }
      let input = TestInput(role: role, id: id)
      self?.inputs.append(input)
      return input
    }
    environment.makeSiren = { [weak self] (settings, door, id) throws(Errno) in
      if let failure = self?.sirenFailure { throw failure }
      let siren = TestSiren(id: id, door: door, settings: settings)
      self?.sirens.append(siren)
      return siren.lock
    }
    let sirenEnds = sirenEnds
    environment.onSirenEnded = { sirenEnds.withLock { $0 += 1 } }
    running = try DoorPipeline(book, ledger: ledger, clockSource: .battery, environment: environment)
  }

  /// Lets time pass for both clocks.
  func pass(_ duration: Duration) {
    time.pass(duration)
    _ = running?.tick()
  }

  /// Lets time pass in steps in which the door looks at its clocks, as it does by itself.
  func wait(_ duration: Duration) {
    var left = duration
    while left > .zero {
      let step = min(left, .milliseconds(250))
      pass(step)
      left -= step
    }
  }

  /// Waits until so many sirens have ended that no door has any more.
  func awaitSirenEnds(_ count: Int) {
    let ended = sirenEnds.wait(until: .now() + .seconds(30)) { $0 >= count ? true : nil }
    #expect(ended == true)
  }

  /// The door's process.
  var pipeline: DoorPipeline {
    get throws { try #require(running) }
  }

  /// A frame as that credential's phone would make it now.
  ///
  /// - Parameters:
  ///   - door: nil: the credential's first.
  ///   - challenge: nil: by time.
  func frame(
    _ credential: String, _ command: Command = .unlock(seconds: 0), door: String? = nil, slot: Int64 = 0,
    challenge: Challenge? = nil, sequence: UInt8 = 0, press: UInt8 = 1, flags: UInt8 = 0, code: UInt8? = nil
  ) throws -> Frame {
    let exchange = try exchange(credential, challenge.map { .challenge($0) } ?? now(slot), door: door)
    return try exchange.seal(
      CommandPlaintext(
        sequence: sequence, code: code ?? command.code, argument: command.argument, flags: flags, press: press))
  }

  func now(_ slot: Int64 = 0) -> Freshness {
    .time(slot: site.profile.slotClock.slot(at: time.wall.seconds).advanced(by: Int(slot)))
  }

  /// What a credential and a door share; its first door where none is named.
  ///
  /// - Parameter other: another door, whose number frames are to bear; nil: the door's own.
  func exchange(
    _ credential: String, _ freshness: Freshness, door id: String? = nil, naming other: String? = nil
  ) throws -> Exchange {
    let file = try site.credentialFile(#require(Identifier(credential)))
    let door = try #require(file.doors.first { id == nil || $0.id.text == id })
    let named = try #require(file.doors.first { $0.id.text == other ?? door.id.text })
    let keys = try CredentialKeys.derive(from: file.secret, site: file.site.id, door: door.number)
    return try Exchange(
      keys: keys, hintRoot: file.siteKey.hintRoot(of: door.number), door: named.number, freshness: freshness)
  }

  /// The first door's beacon that is on the air; nil where there is none.
  func beacon() throws -> Beacon? {
    let keys = try pipeline.rulebook.table.doors[0]
    return try onAir.compactMap { try keys.beaconKey.open($0.frame) }.first { $0.door == keys.number }
  }

  /// What the answer says that is on the air for a command of a credential; nil where there is none.
  func answer(_ credential: String, to command: Frame, challenge: Challenge? = nil) throws -> Answer? {
    let exchange = try exchange(credential, challenge.map { .challenge($0) } ?? now())
    return try onAir.compactMap { try exchange.openAnswer($0.frame, to: command) }.first
  }

  /// The lock says something, and the door goes on.
  ///
  /// - Parameters:
  ///   - cause: nil: the one that the lock was told last.
  ///   - aNewerCommandStands: whether the lock goes on behind an opening that failed, with what it was told meanwhile.
  func report(_ event: LockReport.Event, for cause: LockCause? = nil, aNewerCommandStands: Bool = false) throws {
    let cause = cause ?? lock.causes.last ?? nil
    if case .failed(.open, _) = event, !aNewerCommandStands { lock.giveUp() }
    try pipeline.lockReported(
      pipeline.doors[0].numberedLock.id, LockReport(event, at: time.boot, for: cause))
    pass(.zero)
  }

  /// Puts a frame into an advert, the advert into an HCI event, and that before the door; answers the events it told.
  ///
  /// - Parameter rssi: in dBm; 127: the controller doesn't know.
  @discardableResult
  func hear(_ frame: Frame, rssi: Int8 = -64) throws -> [DoorEvent] {
    let data = try AdvertisingData(frame: frame, carrier: .uuid128, markers: .standard).bytes
    let head: [UInt8] = [0x02, 0x01, 0x03, 0x01, 1, 2, 3, 4, 5, 6, UInt8(data.count)]
    let report = head + data + [UInt8(bitPattern: rssi)]
    let event = [0x3E, UInt8(report.count)] + report
    let before = events.count
    try pipeline.hear(event.span, arrival: time.boot)
    return Array(events[before...])
  }

  /// Events of a kind, of all that were told.
  func events(_ kind: DoorEvent.Kind) -> [DoorEvent] { events.filter { $0.kind == kind } }

  private static let universalTime: [UInt8] = {
    let block = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
    let counts: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]
    let data = [UInt8](repeating: 0, count: 6) + Array("UTC\0".utf8)
    return block + counts + data + block + counts + data + Array("\nUTC0\n".utf8)
  }()
}

/// Both clocks of a test.
final class TestTime: Sendable {
  private let state = Mutex<(wall: Duration, boot: Duration)>((.seconds(TestDoor.start), .seconds(1_000)))

  var wall: WallTime {
    let wall = state.withLock { $0.wall.components }
    return WallTime(seconds: wall.seconds, nanoseconds: Int32(wall.attoseconds / 1_000_000_000))
  }
  var boot: BootInstant { BootInstant(sinceBoot: state.withLock { $0.boot }) }

  func pass(_ duration: Duration) {
    state.withLock { state in
      state.wall += duration
      state.boot += duration
    }
  }

  /// Sets the wall clock alone.
  func set(by step: Duration) { state.withLock { $0.wall += step } }
}

/// A lock that remembers what it was told.
final class TestLock: Lock {
  /// What a lock can be told.
  enum Order: Hashable, Sendable {
    case open(until: BootInstant?)
    case close
    case refresh
    case beginStop
    case stop
  }

  private struct State {
    var orders: [Order] = []
    var causes: [LockCause?] = []
    var standing = StandingOrders(opens: false, letsOut: false)
  }

  private let state = Mutex(State())

  var orders: [Order] { state.withLock { $0.orders } }
  /// Whose the openings and closings were.
  var causes: [LockCause?] { state.withLock { $0.causes } }
  var openings: Int { orders.count { if case .open = $0 { true } else { false } } }

  var standingOrders: StandingOrders { state.withLock { $0.standing } }

  func open(until: BootInstant?, for cause: LockCause?) {
    note(.open(until: until), [cause])
    state.withLock { $0.standing = StandingOrders(opens: true, letsOut: $0.standing.letsOut) }
  }
  func letOut(until: BootInstant) {
    note(.open(until: until), [.exit])
    state.withLock { $0.standing = StandingOrders(opens: $0.standing.opens, letsOut: true) }
  }
  func close(for cause: LockCause?, endingExitsBy known: BootInstant?) {
    note(.close, [cause])
    giveUp()
  }
  /// Keeps no order to open.
  func giveUp() { state.withLock { $0.standing = StandingOrders(opens: false, letsOut: false) } }
  func refresh() { note(.refresh) }
  func beginStop() { note(.beginStop) }
  func stop() { note(.stop) }

  private func note(_ order: Order, _ causes: [LockCause?] = []) {
    state.withLock { state in
      state.orders.append(order)
      state.causes += causes
    }
  }
}

/// A rule with the defaults of an ordinary holder.
func rule(
  _ id: String, status: CredentialStatus = .active, permissions: PermissionSet = [.unlock, .status],
  freshness: FreshnessPolicy = .time, from: Int64? = nil, until: Int64? = nil, uses: UInt32? = nil
) throws -> CredentialRule {
  try CredentialRule(
    id: #require(Identifier(id)), holder: DisplayName("Holder of \(id)"), status: status, permissions: permissions,
    freshness: freshness, validFrom: from, validUntil: until, uses: uses)
}

extension AdvertisingData {
  /// The first frame in it.
  var frame: Frame {
    var result = Frame(high: 0, low: 0)
    FrameSearch.forEachFrame(in: bytes.span, markers: .standard, limit: 1) { frame, _ in result = frame }
    return result
  }

  /// Whether it is a beacon of a door there.
  func isBeacon(_ door: TestDoor) -> Bool {
    guard let keys = try? door.pipeline.rulebook.table.doors else { return false }
    return keys.contains { key in (try? key.beaconKey.open(frame)) ?? nil != nil }
  }
}

extension TestDoor {
  /// Ends what the volatile directory holds, and puts a file in its place.
  func blockVolatileDirectory() throws {
    try folder.removeTree("volatile")
    try replaceFile(folder("volatile"), contents: [])
  }

  /// Lets the ledger accept no bundle any more, though it can be read.
  func refuseBundles() throws {
    let connection = try Connection(path: folder("state.db"), access: .readWrite)
    for change in ["INSERT", "UPDATE OF serial"] {
      let name = change.prefix(6)
      try connection.run(
        "CREATE TRIGGER refuse\(name) BEFORE \(change) ON door BEGIN SELECT RAISE(ABORT, 'full'); END")
    }
  }

  /// Takes the event table away under the running ledger, so that every record fails.
  func breakLedger() throws {
    let connection = try Connection(path: folder("state.db"), access: .readWrite)
    try connection.run("ALTER TABLE event RENAME TO gone")
  }

  /// Puts it back.
  func mendLedger() throws {
    let connection = try Connection(path: folder("state.db"), access: .readWrite)
    try connection.run("ALTER TABLE gone RENAME TO event")
  }
}
