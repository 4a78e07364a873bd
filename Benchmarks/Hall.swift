internal import Advertising
internal import AirProtocol
internal import CBenchmark
internal import DoorController
internal import JSON
internal import LatchkeyCrypto
internal import POSIX

/// A daemon on one processor, and on another a controller that plays a crowded hall to it.
final class Hall {
  /// What came of some seconds of it.
  struct Outcome {
    /// Adverts a second, as wanted and as they were really sent.
    let rate: Double
    let achievedRate: Double
    /// Commands without a grant.
    let lost: Int
    /// Events that the daemon dropped.
    let dropped: Int
    /// From before the command's report was written to when the grant's line was read, in milliseconds, ascending.
    let latencies: [Double]
    /// Adverts for each second of processor time that the daemon used.
    let advertsPerProcessorSecond: Double

    /// Nothing was lost, and the daemon has taken it all as fast as it came.
    var isGood: Bool { lost == 0 && dropped == 0 && achievedRate >= 0.99 * rate }

    /// The latency that so many of a hundred don't exceed.
    func latency(percentile: Int) -> Double {
      latencies.isEmpty ? .infinity : latencies[min(latencies.count - 1, latencies.count * percentile / 100)]
    }
  }

  static let credentials = 10_000
  static let slotSeconds = 5
  /// How often packets are written.
  private static let tick = Duration.milliseconds(1)

  private let door: LargeDoor
  private let rulebook: Rulebook
  private let controller: ScriptedController
  private let process: StartedProcess
  private let events: DaemonEvents
  private var adverts = HallAdverts(count: 1 << 16)
  private var forgedInSlot: UInt64 = 0
  /// Where in `adverts` the sender is.
  private var position = 0
  /// The credential of the next command, and how often all have been used.
  private var next = 0
  private var round: UInt8 = 0

  /// Starts the daemon with its ledger in memory, and waits until it grants.
  init(programs: String) throws {
    guard cbenchmark_processors() >= 2 else { throw BenchmarkError("the hall needs two processors, one of them quiet") }
    door = try LargeDoor(credentials: Self.credentials, slotSeconds: Self.slotSeconds, in: "/dev/shm")
    rulebook = try Rulebook(loading: DoorConfiguration.load(path: door.configurationPath))
    // The first processor has the machine's interrupts; what is made here from now on is on it, the daemon excepted.
    cbenchmark_pin(0)
    controller = try ScriptedController(path: door.folder.path + "/radio")
    cbenchmark_pin(1)
    process = try StartedProcess([programs + "/latchkeyd", "run", "--config", door.configurationPath, "--json"])
    cbenchmark_pin(0)
    events = try DaemonEvents(of: process)
    try events.waitForRadio()
    try waitForGrant()
  }

  /// Ends the daemon.
  func end() throws {
    let end = process.end(15)
    guard end == 0 else { throw BenchmarkError("latchkeyd ended with \(end)") }
  }

  /// Bytes of the daemon in memory.
  var residentBytes: Int { process.residentBytes }

  /// A door that is new to its ledger refuses the slots that may be spent.
  private func waitForGrant() throws {
    for _ in 0..<80 {
      events.forgetGrants()
      try controller.send(try command().event)
      if !events.grants(1, until: .now() + .milliseconds(500)).isEmpty { return }
    }
    throw BenchmarkError("the door grants nothing")
  }

  /// Sends foreign adverts at a rate, and so many commands among them, evenly.
  func play(rate: Double, for duration: Duration, commands: Int) throws -> Outcome {
    let before = try events.counters()
    let processorSeconds = process.processorSeconds
    events.forgetGrants()
    try forge()
    let start = BootInstant.now()
    var sentAt: [Int: BootInstant] = [:]
    var sent = 0
    let ticks = Int(duration / Self.tick)
    for tick in 1...ticks {
      let due = start + Self.tick * tick
      cbenchmark_sleep_until(due.nanoseconds)
      if tick % 100 == 0 { try forge() }
      let target = Int(rate * Double(tick) / Double(ticks) * (duration / .seconds(1)))
      var packets = take(target - sent)
      sent = target
      while sentAt.count < commands * tick / ticks {
        let command = try command()
        packets += command.event
        sentAt[command.credential] = .now()
      }
      try controller.send(packets)
    }
    let seconds = (BootInstant.now() - start) / .seconds(1)
    let granted = events.grants(commands, until: .now() + .seconds(1))
    let after = try events.counters()
    let used = process.processorSeconds - processorSeconds
    let count = { (name: String) in Int((after[name]?.integer ?? 0) - (before[name]?.integer ?? 0)) }
    let lost = sentAt.keys.count { granted[$0] == nil }
    guard count("reports") + count("droppedEvents") == sent + sentAt.count else {
      throw BenchmarkError("\(sent + sentAt.count) reports were sent and \(count("reports")) heard")
    }
    return Outcome(
      rate: rate, achievedRate: Double(sent) / seconds, lost: lost, dropped: count("droppedEvents"),
      latencies: sentAt.compactMap { key, moment in granted[key].map { ($0 - moment) / .milliseconds(1) } }.sorted(),
      advertsPerProcessorSecond: Double(sent) / max(0.001, used))
  }

  /// The next adverts of the hall.
  private func take(_ count: Int) -> [UInt8] {
    var packets: [UInt8] = []
    var left = count
    while left > 0 {
      let end = min(position + left, adverts.count)
      packets += adverts.bytes[adverts.starts[position]..<adverts.starts[end]]
      left -= end - position
      position = end % adverts.count
    }
    return packets
  }

  private var slot: UInt64 { UInt64(clamping: WallTime.now().seconds / Int64(Self.slotSeconds)) }

  /// Forged hints are right in their slot and the two behind it.
  private func forge() throws {
    guard slot > forgedInSlot + 1 else { return }
    forgedInSlot = slot
    try adverts.forge(rulebook.table, slot: slot)
  }

  /// A holder's advert, another holder each time.
  private func command() throws -> (credential: Int, event: [UInt8]) {
    let credential = next
    next = (next + 1) % Self.credentials
    if next == 0 { round &+= 1 }
    let plaintext = CommandPlaintext(sequence: round, command: .unlock(seconds: 0), press: round, wantsAnswer: false)
    guard let frame = try rulebook.table.exchange(ofKey: credential, freshness: .time(slot: slot))?.seal(plaintext)
    else {
      throw BenchmarkError("no frame")
    }
    let data = try AdvertisingData(frame: frame, carrier: credential % 4 == 0 ? .name : .uuid128, markers: .standard)
    return (credential, HallAdverts.legacy(data.bytes, address: [1, 2, 3, 4, 5, 0xC6]))
  }
}
