import JSON
import POSIX
import TestSupport

/// A door controller of one test: its configuration, a lock that tells what it does, and the daemon that runs now.
final class Door: Sendable {
  let site: Site
  /// Ids of its doors.
  let ids: [String]
  /// Tells each movement of the locks as a line: `front open`, `front close`.
  let lock: RunningProcess

  private let running = Monitor<RunningProcess?>(nil)
  private let settings: String
  private let radio: String

  /// Exports the doors' bundles and writes the configuration; the daemon isn't started yet.
  ///
  /// - Parameters:
  ///   - settings: more lines for each door, without indentation.
  ///   - radio: another radio than the site's.
  init(_ site: Site, _ ids: [String] = ["front"], settings: String = "", radio: String? = nil) throws {
    self.site = site
    self.ids = ids
    self.settings = settings
    self.radio = radio ?? site.air.doorRadio
    // The locks write into a pipe that has a name, and a process that never ends reads it: each movement is a line to
    // wait for, and those of a daemon that was killed aren't lost.
    let pipe = site.bench.directory("\(site.name)-lock")
    try run(executable: "/usr/bin/mkfifo", [pipe]).expecting(exit: 0)
    lock = try site.bench.start(executable: "/bin/sh", ["-c", "exec cat <>\"$1\"", "lock", pipe])
    for id in ids { try site.export(id) }
    try configure()
  }

  var configuration: String { site.bench.directory("\(site.name).yaml") }

  /// Writes the configuration.
  ///
  /// - Parameter extra: lines at its end.
  func configure(extra: String = "") throws {
    let pipe = site.bench.directory("\(site.name)-lock")
    var text = """
      radio: \(radio)
      site-key: \(try site.publicKey())
      state: \(site.name)-state.db
      volatile: \(site.bench.directory("\(site.name)-run"))
      clock: battery
      doors:

      """
    for id in ids {
      text += """
          \(id):
            bundle: \(site.name)-\(id).bundle
            lock:
              command:
                unlock: [/bin/sh, -c, "echo '\(id) open' > \(pipe)"]
                lock: [/bin/sh, -c, "echo '\(id) close' > \(pipe)"]
                directory: .

        """
      for line in settings.split(separator: "\n") { text += "    \(line)\n" }
      // Who issues a credential in these tests decides its freshness; the door takes both.
      if !settings.contains("freshness:") { text += "    freshness: either\n" }
      if !settings.contains("pulse:") { text += "    pulse: 1s\n" }
    }
    try site.bench.directory.write("\(site.name).yaml", text + extra)
  }

  /// The daemon that runs now.
  var daemon: RunningProcess {
    get throws { try running.withLock(waking: false) { $0 }.expected("a daemon that runs") }
  }

  /// Starts the daemon and waits until its radio is on and time frames of now are taken.
  ///
  /// - Parameter waitsForTime: false where a test sends nothing by time.
  @discardableResult
  func start(_ options: [String] = [], fault: String? = nil, waitsForTime: Bool = true) throws -> RunningProcess {
    let daemon = try launch(options, environment: fault.map { ["LATCHKEY_FAULT": $0] } ?? [:])
    try daemon.event("radio", ["state": "on"])
    if waitsForTime { try waitUntilTimeFramesCount(daemon) }
    return daemon
  }

  /// Starts the daemon and waits for nothing.
  @discardableResult
  func launch(_ options: [String] = [], environment: [String: String] = [:]) throws -> RunningProcess {
    let daemon = try site.bench.start(
      .latchkeyd, ["run", "--config", configuration, "--json"] + options, environment: environment)
    running.withLock { $0 = daemon }
    return daemon
  }

  /// Ends the daemon by SIGTERM and answers its last words.
  @discardableResult
  func stop() throws -> JSONValue {
    let daemon = try daemon
    daemon.signal(.terminate)
    let last = try daemon.event("stopped")
    guard try daemon.waitForExit() == .exited(0) else { throw TestError("SIGTERM isn't a failure\n\(daemon.report)") }
    running.withLock { $0 = nil }
    return last
  }

  /// What the daemon has counted so far.
  func counters() throws -> JSONValue {
    let daemon = try daemon
    daemon.signal(.user1)
    return try daemon.event("counters")["counters"].expected("counters")
  }

  /// One of the daemon's counters.
  func counter(_ name: String) throws -> Int64 {
    try counters()[name]?.integer.expected("a counter \(name)") ?? 0
  }

  /// After a first start, slots that might have been heard before are refused: the daemon says until when.
  private func waitUntilTimeFramesCount(_ daemon: RunningProcess) throws {
    let details = daemon.events("clock").compactMap { $0["detail"]?.string }
    let moments = details.flatMap { $0.split(separator: " ").compactMap { WallTime(rfc3339: $0) } }
    guard let moment = moments.max() else { return }
    waitUntil(moment)
  }
}

extension Door {
  /// How many times a door's lock was opened so far, whichever daemon did it.
  func openings(_ id: String = "front") -> Int { lock.lines.count { $0 == "\(id) open" } }

  /// Waits until the lock has opened.
  func awaitOpening(_ id: String = "front", within limit: Duration = .seconds(20)) throws {
    try lock.line("opening of \(id)", within: limit) { $0 == "\(id) open" ? true : nil }
  }

  /// Waits until the lock has closed.
  func awaitClosing(_ id: String = "front", within limit: Duration = .seconds(20)) throws {
    try lock.line("closing of \(id)", within: limit) { $0 == "\(id) close" ? true : nil }
  }

  /// Waits for the event of a grant, or of whatever else became of a frame.
  @discardableResult
  func await(
    _ event: String, _ holder: Holder, _ members: [String: JSONValue] = [:], within limit: Duration = .seconds(20)
  ) throws -> JSONValue {
    try daemon.event(event, members.merging(["credential": .string(holder.id)]) { $1 }, within: limit)
  }
}
