internal import HCI
internal import POSIX

/// What lets others watch the daemon: the control socket, the metrics file, and the radio's lines in the log.
///
/// It belongs to the door's thread, which only ever hands values over. None of it can keep the door from its work: where
/// a socket or a file can't be made, that is told, and tried again.
final class DaemonWatch {
  /// How often the metrics are written.
  static let interval = Duration.seconds(10)

  private let configuration: DoorConfiguration
  private let clocks: Clocks
  private let mailbox: Mailbox
  private let started: (boot: BootInstant, wall: WallTime)
  private var radio: RadioWatch
  private var beaconRadio: RadioWatch
  private var reloads: DaemonStatus.Reloads
  private var metricsFile = DaemonStatus.MetricsFile()
  private var writer: MetricsWriter?
  private var server: ControlServer?
  private var nextWriting: BootInstant?
  /// Whether somebody wants the daemon to end as soon as every lock is closed.
  var restartIsWanted = false

  init(_ configuration: DoorConfiguration, _ clocks: Clocks, _ mailbox: Mailbox) {
    self.configuration = configuration
    self.clocks = clocks
    self.mailbox = mailbox
    started = (clocks.boot(), clocks.wall())
    radio = RadioWatch(boot: started.boot, wall: started.wall)
    beaconRadio = radio
    reloads = DaemonStatus.Reloads(lastSuccess: started.wall)
  }

  /// Opens the control socket and begins to write metrics, each on a thread of its own.
  func start() {
    let path = configuration.controlPath
    do throws(Errno) {
      server = try ControlServer(
        path: path, ask: { [mailbox] in mailbox.post(.asked($0, by: $1, $2)) },
        report: { [mailbox] in mailbox.post(.control($0)) })
    } catch {
      mailbox.post(.control(FileError(path: path, problem: .system(operation: "listen at", error))))
    }
    guard let path = configuration.metricsPath else { return }
    do throws(Errno) {
      writer = try MetricsWriter(path: path) { [mailbox] in mailbox.post(.metrics($0)) }
      nextWriting = clocks.boot()
    } catch {
      mailbox.post(.metrics(FileError(path: path, problem: .system(operation: "write", error))))
    }
  }

  /// Has the metrics written where it is time.
  ///
  /// - Returns: when it wants to be called again at the latest; nil: never.
  func tick(_ pipeline: DoorPipeline, _ radio: Radio) -> BootInstant? {
    guard let writer, let due = nextWriting else { return nil }
    let now = clocks.boot()
    guard now >= due else { return due }
    writer.write(status(pipeline, radio))
    nextWriting = now + Self.interval
    return nextWriting
  }

  /// Whether the radio does what it is told.
  var radioObeys: Bool { radio.condition.obeys }

  /// Whether the configuration wants beacons sent.
  var sendsBeacons: Bool { configuration.beaconRadio != .none }

  /// The same of the radio that only sends.
  func observeBeaconRadio(_ state: RadioState) -> DoorEvent? {
    let wall = clocks.wall()
    guard beaconRadio.observe(state, boot: clocks.boot(), wall: wall) else { return nil }
    var event = DoorEvent(time: wall, kind: .radio)
    event.state = state.condition.rawValue
    event.detail = "beacon-radio" + (state.detail.map { ": \($0)" } ?? "")
    return event
  }

  /// Takes a state of the radio in; answers the event to tell, if it is worth one.
  func observe(_ state: RadioState) -> DoorEvent? {
    let wall = clocks.wall()
    guard radio.observe(state, boot: clocks.boot(), wall: wall) else { return nil }
    var event = DoorEvent(time: wall, kind: .radio)
    event.state = state.condition.rawValue
    event.detail = state.detail
    return event
  }

  /// A configuration was loaded anew and runs now.
  func reloaded() {
    reloads.done &+= 1
    reloads.lastSuccess = clocks.wall()
    reloads.problem = nil
  }

  /// A configuration couldn't be loaded or taken over.
  func reloadRefused(_ problem: String) {
    reloads.refused &+= 1
    reloads.problem = problem
  }

  /// The metrics file was written, or couldn't be; answers the event to tell, where that has changed.
  func metricsWritten(_ failure: FileError?) -> DoorEvent? {
    let before = metricsFile.problem
    metricsFile.problem = failure?.description
    if failure != nil { metricsFile.failures &+= 1 }
    return before == metricsFile.problem ? nil : event(.metrics, failure, well: "written")
  }

  /// The control socket can't be made, or was made after all; answers the event to tell.
  func controlReported(_ failure: FileError?) -> DoorEvent { event(.control, failure, well: "open") }

  /// Nobody is answered any more; for the end, before the door's thread does anything else.
  func closeControl() { server?.stop(within: .milliseconds(200)) }

  /// Writes the metrics once more, as of the end, and waits for that, but not for a disk that hangs.
  func finish(_ pipeline: DoorPipeline, _ radio: Radio) {
    guard let writer else { return }
    _ = observe(radio.state)
    var last = status(pipeline, radio)
    last.isRunning = false
    writer.write(last)
    writer.finish(within: .milliseconds(300))
  }

  private func event(_ kind: DoorEvent.Kind, _ failure: FileError?, well: String) -> DoorEvent {
    var event = DoorEvent(time: clocks.wall(), kind: kind)
    event.state = failure == nil ? well : "failed"
    event.detail = failure.map { "\($0); the door goes on" }
    return event
  }

  private var beacons: DaemonStatus.Beacons {
    switch configuration.beaconRadio {
    case .none: DaemonStatus.Beacons(condition: .off, problem: nil)
    case .same where radio.condition.obeys && radio.controller?.onlyScans == true:
      DaemonStatus.Beacons(condition: .failed, problem: "the radio doesn't advertise while it scans; see beacon-radio")
    case .same: DaemonStatus.Beacons(condition: radio.condition.obeys ? .on : .failed, problem: nil)
    case .other where beaconRadio.condition.obeys: DaemonStatus.Beacons(condition: .on, problem: nil)
    case .other(let spec):
      DaemonStatus.Beacons(
        condition: .failed,
        problem: "beacon-radio \(spec): \(beaconRadio.problem ?? "not on (\(beaconRadio.condition.rawValue))")")
    }
  }

  func status(_ pipeline: DoorPipeline, _ radio: Radio) -> DaemonStatus {
    let now = clocks.boot()
    return DaemonStatus(
      time: clocks.wall(), started: started.wall, uptime: now - started.boot, isRunning: true,
      radio: DaemonStatus.Radio(
        spec: "\(configuration.radio)", condition: self.radio.condition, since: self.radio.since.wall,
        age: now - self.radio.since.boot, problem: self.radio.problem, controller: self.radio.controller,
        lastReportAge: radio.lastReport.map { now - $0 }, lossesLately: self.radio.lossesLately(at: now)),
      beacons: beacons, clock: pipeline.clockStatus, doors: pipeline.doorStatus,
      leftOpen: pipeline.retiredLeftOpen, recording: pipeline.recordingStatus,
      reloads: reloads, isToRestart: restartIsWanted,
      metricsFile: metricsFile, counters: pipeline.snapshot(adding: radio.counters))
  }
}
