internal import POSIX

/// What the control thread does between two waits.
struct ControlLoop: ~Copyable {
  /// The most clients that are served at once.
  private static let mostClients = 16
  /// How long it waits after it couldn't listen, or couldn't take a client.
  private static let pause = Duration.seconds(5)

  private let path: String
  private let wakeUp: WakeUp
  private let report: @Sendable (FileError?) -> Void
  private let ask: @Sendable (UInt64, ControlRequest, UInt32) -> Void
  private var listener: ListeningSocket?
  private var trouble: FileError?
  private var pausedUntil: BootInstant?
  private var clients: [ControlClientEnd] = []
  private var tickets: UInt64 = 0
  private var buffer = [UInt8](repeating: 0, count: ControlConnection.longestLine)

  init(
    path: String, wakeUp: WakeUp, report: @escaping @Sendable (FileError?) -> Void,
    ask: @escaping @Sendable (UInt64, ControlRequest, UInt32) -> Void
  ) {
    self.path = path
    self.wakeUp = wakeUp
    self.report = report
    self.ask = ask
  }

  /// Takes answers in, and does what can be done without waiting.
  mutating func serve(_ answers: [(ticket: UInt64, answer: ControlAnswer)]) {
    let now = BootInstant.now()
    for (ticket, answer) in answers {
      clients.first { $0.ticket == ticket }?.connection.answer(answer.line, now: now)
    }
    listen(now)
    for client in clients { advance(client, now) }
    clients.removeAll { $0.isGone || $0.connection.isOver }
  }

  /// Waits for something to do, and takes it in.
  mutating func wait() {
    var now = BootInstant.now()
    let number = listener?.number ?? -1
    // poll(2) ignores a negative descriptor.
    var poller = Poller(
      [(wakeUp.descriptor, .readable), (pausedUntil == nil ? number : -1, .readable)]
        + clients.map { ($0.socket.number, $0.connection.interest) })
    let deadlines = clients.map(\.connection.deadline) + (pausedUntil.map { [$0] } ?? [])
    do throws(Errno) { _ = try poller.wait(until: deadlines.min()) } catch {
      // The kernel is out of memory: who asks again is served again.
      clients = []
      pausedUntil = now + Self.pause
      return
    }
    now = .now()
    for (index, client) in clients.enumerated() { receive(client, poller.readiness(at: index + 2)) }
    if !poller.readiness(at: 1).isEmpty { accept(now) }
  }

  private mutating func listen(_ now: BootInstant) {
    if let pausedUntil, now >= pausedUntil { self.pausedUntil = nil }
    guard listener == nil, pausedUntil == nil else { return }
    do throws(FileError) {
      listener = try ListeningSocket.listen(at: path)
      if trouble != nil { report(nil) }
      trouble = nil
    } catch {
      if error != trouble { report(error) }
      trouble = error
      pausedUntil = now + Self.pause
    }
  }

  private mutating func accept(_ now: BootInstant) {
    do throws(Errno) {
      guard let socket = try listener?.accept() else { return }
      let user = try socket.peerUser()
      clients.append(ControlClientEnd(socket, serve(user, now), user: user))
    } catch {
      // No descriptor is left: the client waits in the queue meanwhile.
      pausedUntil = now + Self.pause
    }
  }

  private func serve(_ user: UInt32, _ now: BootInstant) -> ControlConnection {
    guard mayControl(peer: user, own: ProcessEnvironment.user) else {
      return ControlConnection(
        refusing: ControlRefusal(.notPermitted, "only root and the daemon's own user may ask"), now: now)
    }
    guard clients.count < Self.mostClients else {
      return ControlConnection(refusing: ControlRefusal(.busy, "too many ask at once; try again"), now: now)
    }
    return ControlConnection(now: now)
  }

  private mutating func receive(_ client: ControlClientEnd, _ readiness: Readiness) {
    do throws(Errno) {
      if readiness.contains(.readable) {
        if let count = try client.socket.receive(into: &buffer) { client.connection.receive(buffer[..<count]) }
      } else if !readiness.intersection(.broken).isEmpty {
        client.isGone = true
      }
    } catch {
      client.isGone = true
    }
  }

  /// Takes out what was received, and sends what there is to send.
  private mutating func advance(_ client: ControlClientEnd, _ now: BootInstant) {
    client.connection.expire(now: now)
    while !client.isGone {
      if let request = client.connection.nextRequest(now: now) {
        tickets += 1
        client.ticket = tickets
        ask(tickets, request, client.user)
      }
      guard !client.connection.output.isEmpty else { return }
      do throws(Errno) {
        guard let count = try client.socket.send(client.connection.output) else { return }
        client.connection.sent(count, now: now)
      } catch {
        client.isGone = true
      }
    }
  }
}

/// A client with its socket, which no copy may be made of.
final class ControlClientEnd {
  let socket: Socket
  var connection: ControlConnection
  /// Whose it is (SO_PEERCRED).
  let user: UInt32
  /// Which of all requests it waits for the answer to.
  var ticket: UInt64 = 0
  /// Whether the other end is closed.
  var isGone = false

  init(_ socket: consuming Socket, _ connection: ControlConnection, user: UInt32) {
    self.socket = socket
    self.user = user
    self.connection = connection
  }
}
