internal import POSIX
internal import Wording

/// The service manager that started this process, as far as it wants to be told things (sd_notify(3), decision 0087).
///
/// It belongs to the door's thread: what is told as a sign of life comes from the loop that hears adverts, so that it ends
/// where that loop hangs. Without a manager nothing is sent.
final class ServiceManager {
  /// What of the daemon's life a manager knows.
  enum Phase {
    /// Locks or radio aren't where they should be yet.
    case starting
    case running
    case reloading
    case stopping
  }

  /// How often a start that takes long is excused where no watchdog wants to hear more often.
  private static let excuse = Duration.seconds(10)

  private let socket: SocketAddress?
  /// Whether the manager kills a daemon that gives no sign of life.
  private let isWatched: Bool
  /// How often a sign of life is given.
  private let interval: Duration
  private var phase = Phase.starting
  private var nextSign: BootInstant
  private var told = (phase: Phase.starting, status: "")

  /// Takes what a manager has put there out of the environment: no lock's program and no guard speaks in this one's name.
  ///
  /// - Parameters:
  ///   - environment: takes a variable out.
  ///   - process: the number of this process.
  init(takingFrom environment: (String) -> String?, process: Int32, now: BootInstant) {
    socket = environment("NOTIFY_SOCKET").flatMap(Self.address)
    let limit = environment("WATCHDOG_USEC").flatMap { Int64($0) }
    let watched = environment("WATCHDOG_PID").flatMap { Int32($0) }
    if let limit, limit > 0, watched == nil || watched == process {
      isWatched = true
      interval = .microseconds(limit) / 2
    } else {
      isWatched = false
      interval = Self.excuse
    }
    nextSign = now
  }

  /// Whether there is one, that will start this program anew when it ends.
  var isThere: Bool { socket != nil }

  /// A configuration is being loaded anew.
  ///
  /// Before the start is over that is nobody's business: the `READY=1` behind it would end the start.
  func reloadBegan() { if phase == .running { phase = .reloading } }

  func reloadEnded() { if phase == .reloading { phase = .running } }

  /// Tells what there is to tell; one turn of the door's loop.
  ///
  /// - Parameters:
  ///   - isReady: whether every lock stands where it should, and the radio hears.
  ///   - hasNews: whether the daemon's health may have changed since the last turn.
  ///   - health: asked where it is told.
  /// - Returns: when it wants to be called again at the latest; nil: never.
  func turn(now: BootInstant, isReady: @autoclosure () -> Bool, hasNews: Bool, _ health: () -> Health) -> BootInstant? {
    guard isThere else { return nil }
    if phase == .starting, isReady() { phase = .running }
    let isDue = now >= nextSign
    guard isDue || hasNews || phase != told.phase else { return nextSign }
    let health = health()
    var lines: [String] = []
    if isDue {
      // Its own thread looks after a radio that hears nothing; where it doesn't, nothing but a restart helps.
      if isWatched, !health.problems.contains(where: { $0.code == .silent }) { lines.append("WATCHDOG=1") }
      if phase == .starting { lines.append("EXTEND_TIMEOUT_USEC=\((interval * 4).wholeNanoseconds / 1_000)") }
    }
    // A manager that can't be told anything isn't asked again and again.
    let isTold = tell(lines, phase, health.line)
    if isDue { nextSign = now + (isTold ? interval : min(interval, .seconds(1))) }
    return nextSign
  }

  /// The last thing that is told: the locks are closed from here on, and the radio leaves the air.
  func stop() { if isThere { _ = tell([], .stopping, "closing the locks") } }

  /// What couldn't be told is told with the next turn: the manager's queue may be full for a moment.
  private func tell(_ signs: [String], _ phase: Phase, _ status: String) -> Bool {
    var lines = signs
    if phase != told.phase {
      switch phase {
      case .starting: break
      case .running: lines.append("READY=1")
      case .reloading: lines += ["RELOADING=1", "MONOTONIC_USEC=\(monotonicMicroseconds())"]
      case .stopping: lines.append("STOPPING=1")
      }
    }
    let text = status.printable
    if text != told.status { lines.append("STATUS=\(text)") }
    guard !lines.isEmpty, let socket else { return true }
    do throws(Errno) {
      try sendDatagram(Array(lines.joined(separator: "\n").utf8), to: socket)
    } catch {
      return false
    }
    told = (phase, text)
    return true
  }

  /// A path, or a name of the abstract namespace behind an `@`; others that systemd knows aren't for services of a machine.
  private static func address(_ text: String) -> SocketAddress? {
    if text.hasPrefix("@") { return SocketAddress(abstractName: String(text.dropFirst())) }
    return text.hasPrefix("/") ? SocketAddress(unixPath: text) : nil
  }
}
