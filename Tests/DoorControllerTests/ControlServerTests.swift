import AccessControl
import Glibc
import JSON
import POSIX
import TestSupport
import Testing

@testable import DoorController

/// The control socket with its thread, before a door's thread that is the test's.
@Suite struct ControlServerTests {
  private let folder: TemporaryDirectory
  private var path: String { folder("run/control.sock") }

  init() throws { folder = try TemporaryDirectory() }

  /// A server whose door answers at once.
  private func serve(
    _ ask: ControlServer.Ask? = nil, report: @escaping @Sendable (FileError?) -> Void = { _ in },
    _ body: () throws -> Void
  ) throws {
    let status = try wellStatus()
    let server = try ControlServer(
      path: path,
      ask: ask ?? { request, _, reply in
        switch request {
        case .status: reply(.status(status))
        case .health: reply(.health(Health(status)))
        case .testLock(let door, _): reply(.testLock(LockTest.Report(door: door, failure: .unknownDoor)))
        case .restart: reply(.refused(ControlRefusal(.refused, "nobody")))
        }
      }, report: report)
    defer { server.stop(within: .seconds(10)) }
    try folder.awaitFile("run/control.sock")
    try body()
  }

  private func connect() throws -> Socket {
    try Socket.connect(to: try #require(SocketAddress(unixPath: path)), until: .now() + .seconds(5))
  }

  /// What comes until a line break or the end.
  private func line(_ socket: borrowing Socket) throws -> String {
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var poller = Poller([(socket.number, .readable)])
    while line.last != UInt8(ascii: "\n") {
      guard try poller.wait(until: .now() + .seconds(20)) else { throw TestError("no line") }
      guard let count = try socket.receive(into: &buffer) else { continue }
      if count == 0 { break }
      line += buffer[..<count]
    }
    return String(decoding: line, as: UTF8.self)
  }

  @Test func statusAndHealthAreAnswered() throws {
    try serve {
      let status = try ControlClient.ask(.status, at: path)
      #expect(status["radio"]?["state"] == "on" && status["doors"]?.array?.first?["id"] == "front")
      #expect(status["health"]?["well"] == true && status["counters"]?["granted"] == 0)
      #expect(status["ledger"]?["lastID"] == 7 && status["radio"]?["lastReportAgeMs"] == 250)
      #expect(try ControlClient.ask(.health, at: path)["well"] == true)
      let front = try #require(Identifier("front"))
      #expect(try ControlClient.ask(.testLock(door: front, seconds: 3), at: path)["failure"] == "unknown-door")
      #expect(#expect(throws: ControlError.self) { try ControlClient.ask(.restart, at: path) }?.code == "refused")
    }
    #expect(!folder.has("run/control.sock"))
    #expect(#expect(throws: ControlError.self) { try ControlClient.ask(.status, at: path) }?.code == "no-daemon")
  }

  @Test func oneConnectionMayAskAgainAndAgain() throws {
    try serve {
      let client = try connect()
      for _ in 0..<100 {
        try client.sendAll(ControlRequest.health.line, until: .now() + .seconds(5))
        #expect(try line(client).hasPrefix("{\"health\":"))
      }
      try client.sendAll(ControlRequest.health.line + ControlRequest.status.line, until: .now() + .seconds(5))
      shutdown(client.number, Int32(SHUT_WR))
      #expect(try line(client).contains("\"health\""))
    }
  }

  @Test func hostileBytesAreAnsweredAndTheServerGoesOn() throws {
    try serve {
      let noise = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 1) }.map { $0 == 0x0A ? 0 : $0 }
      for bytes in [noise + [0x0A], [0x0A], Array("GET / HTTP/1.1\r\n\r\n".utf8)] {
        let client = try connect()
        try client.sendAll(bytes, until: .now() + .seconds(5))
        #expect(try line(client).contains("bad-request"))
      }
      let long = try connect()
      // It may be shut out before all of it is out.
      try? long.sendAll([UInt8](repeating: 0x61, count: 1 << 20), until: .now() + .seconds(5))
      #expect(try line(long).contains("bad-request"))
      let half = try connect()
      try half.sendAll(Array("{\"requ".utf8), until: .now() + .seconds(5))
      shutdown(half.number, Int32(SHUT_WR))
      #expect(try line(half).contains("bad-request"))
      let rude = try connect()
      try rude.sendAll(ControlRequest.status.line, until: .now() + .seconds(5))
      shutdown(rude.number, Int32(SHUT_RDWR))
      #expect(try ControlClient.ask(.health, at: path)["well"] == true)
    }
  }

  @Test func tooManyAreTurnedAwayAndThoseThatGoMakeRoom() throws {
    try serve {
      var crowd: [Holder] = []
      for _ in 0..<16 {
        let client = Holder(try connect())
        try client.socket.sendAll(ControlRequest.health.line, until: .now() + .seconds(5))
        #expect(try line(client.socket).contains("health"))
        crowd.append(client)
      }
      #expect(try line(try connect()).contains("busy"))
      #expect(#expect(throws: ControlError.self) { try ControlClient.ask(.health, at: path) }?.code == "no-answer")
      crowd = []
      // The server sees that they are gone when it next looks: there is no event for it here.
      let deadline = BootInstant.now() + .seconds(10)
      while (try? ControlClient.ask(.health, at: path)) == nil, BootInstant.now() < deadline { usleep(1_000) }
      #expect(try ControlClient.ask(.health, at: path)["well"] == true)
    }
  }

  @Test func aDoorsThreadThatDoesNotAnswerIsAHealthFailure() throws {
    let late = Monitor<[ControlReply]>([])
    let keep: ControlServer.Ask = { _, _, reply in late.withLock { $0.append(reply) } }
    try serve(keep) {
      let error = #expect(throws: ControlError.self) { try ControlClient.ask(.health, at: path) }
      #expect(error?.code == "stuck" && error?.description.contains("the door's thread doesn't answer") == true)
      // Its late answer is nobody's.
      let status = try wellStatus()
      for reply in late.withLock({ $0 }) { reply(.status(status)) }
    }
  }

  @Test func aPathThatIsTakenIsToldOnceAndTakenOverLater() throws {
    let reports = Monitor<[FileError?]>([])
    let other = Monitor<Listener?>(Listener(try ListeningSocket.listen(at: path)))
    let server = try ControlServer(
      path: path, ask: { _, _, _ in }, report: { new in reports.withLock { $0.append(new) } })
    defer { server.stop(within: .seconds(10)) }
    let first = reports.wait(until: .now() + .seconds(10)) { $0.first }
    #expect(first.flatMap { $0 }?.problem == .busy)
    other.withLock { $0 = nil }
    #expect(reports.wait(until: .now() + .seconds(20)) { $0.count == 2 ? $0.last.map { $0 == nil } : nil } == true)
  }

  @Test func anAnswerThatIsNoneIsSaidToBeSo() throws {
    let listener = try ListeningSocket.listen(at: path)
    let path = path
    let asking = try Thread(name: "client") {
      let error = #expect(throws: ControlError.self) { try ControlClient.ask(.health, at: path) }
      #expect(error?.description.contains("line 1") == true, "\(String(describing: error))")
    }
    var poller = Poller([(listener.number, .readable)])
    #expect(try poller.wait(until: .now() + .seconds(5)))
    let socket = try listener.accept()
    try socket?.sendAll(Array("hello\n".utf8), until: .now() + .seconds(5))
    asking.join()
  }

  /// A socket that can be in an array.
  private final class Holder {
    let socket: Socket
    init(_ socket: consuming Socket) { self.socket = socket }
  }

  /// A listener that can be let go of.
  private final class Listener: Sendable {
    let socket: ListeningSocket
    init(_ socket: consuming ListeningSocket) { self.socket = socket }
  }
}
