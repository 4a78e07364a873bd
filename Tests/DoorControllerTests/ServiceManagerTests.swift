import POSIX
import TestSupport
import Testing

@testable import DoorController

/// What a service manager is told when, without a daemon.
@Suite struct ServiceManagerTests {
  private let folder: TemporaryDirectory
  private let socket: NotifySocket
  private let start = BootInstant(nanoseconds: 1_000_000_000_000)

  init() throws {
    folder = try TemporaryDirectory()
    socket = try NotifySocket(folder("notify"))
  }

  private func manager(_ variables: [String: String] = [:], process: Int32 = 7) -> ServiceManager {
    let all = variables.merging(["NOTIFY_SOCKET": socket.name]) { $1 }
    return ServiceManager(takingFrom: { all[$0] }, process: process, now: start)
  }

  private func turn(_ manager: ServiceManager, at seconds: Int64, ready: Bool = true, _ status: DaemonStatus? = nil)
    throws
  {
    let health = Health(try status ?? wellStatus())
    _ = manager.turn(now: start + .seconds(seconds), isReady: ready, hasNews: false) { health }
  }

  @Test func aSignOfLifeComesAtHalfOfTheWatchdogsTime() throws {
    let manager = manager(["WATCHDOG_USEC": "20000000", "WATCHDOG_PID": "7"])
    for second in Int64(0)...30 { try turn(manager, at: second) }
    try socket.packet("READY=1")
    for _ in 1...3 { try socket.packet("WATCHDOG=1") }
    manager.stop()
    try socket.packet("STOPPING=1")
    #expect(socket.packets.count { $0.contains("WATCHDOG=1") } == 4)
  }

  @Test func aRadioWhoseThreadHangsIsNoSignOfLife() throws {
    let manager = manager(["WATCHDOG_USEC": "20000000"])
    var status = try wellStatus()
    status.radio.age = .seconds(1_000)
    status.radio.lastReportAge = .seconds(1_000)
    try turn(manager, at: 0, status)
    try turn(manager, at: 20, status)
    manager.stop()
    try socket.packet("STOPPING=1")
    #expect(!socket.packets.flatMap { $0 }.contains("WATCHDOG=1"))
  }

  @Test func aStartThatTakesLongIsExcusedWithoutAWatchdogToo() throws {
    let manager = manager()
    for second in Int64(0)...30 { try turn(manager, at: second, ready: second == 30) }
    try socket.packet("READY=1")
    let excuses = socket.packets.flatMap { $0 }.count { $0 == "EXTEND_TIMEOUT_USEC=40000000" }
    #expect(excuses == 3, "\(socket.packets)")
  }

  @Test(arguments: ["", "-1", "0", "many", "99999999999999999999"])
  func aWatchdogThatIsNoneIsIgnored(text: String) throws {
    let manager = manager(["WATCHDOG_USEC": text])
    try turn(manager, at: 0)
    try socket.packet("READY=1")
    #expect(!socket.packets.flatMap { $0 }.contains("WATCHDOG=1"))
  }

  @Test func whatIsNoSocketOfThisMachineIsNone() {
    for text in ["", "vsock:2:1", "relative", "@", "/" + String(repeating: "x", count: 200)] {
      let manager = ServiceManager(takingFrom: { $0 == "NOTIFY_SOCKET" ? text : nil }, process: 7, now: start)
      #expect(!manager.isThere)
    }
  }

  @Test func whatCouldNotBeToldIsToldLater() throws {
    let nowhere = folder("later")
    let manager = ServiceManager(takingFrom: { $0 == "NOTIFY_SOCKET" ? nowhere : nil }, process: 7, now: start)
    try turn(manager, at: 0)
    let later = try NotifySocket(nowhere)
    try turn(manager, at: 1)
    try later.packet("READY=1")
  }

  @Test func aManagerThatHearsNothingIsNotTriedWithoutAPause() throws {
    let manager = ServiceManager(
      takingFrom: { $0 == "NOTIFY_SOCKET" ? "/does/not/exist" : nil }, process: 7, now: start)
    let health = Health(try wellStatus())
    for second in Int64(0)...3 {
      let now = start + .seconds(second)
      let next = try #require(manager.turn(now: now, isReady: true, hasNews: false) { health })
      #expect(next >= now + .seconds(1))
    }
  }

  @Test func aStatusIsOneLine() throws {
    let manager = manager()
    var status = try wellStatus()
    status.reloads.problem = "a\nREADY=1\nb"
    try turn(manager, at: 0, ready: false, status)
    try socket.packet("status") { $0.contains("a\\u{a}READY=1\\u{a}b") }
    #expect(!socket.packets.flatMap { $0 }.contains("READY=1"))
  }
}
