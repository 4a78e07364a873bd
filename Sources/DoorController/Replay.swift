internal import AirProtocol
internal import HCI
public import JSON
internal import Ledger
internal import POSIX
internal import Synchronization

/// `latchkeyd replay`: a recording takes the way that the air takes, with its own clock and a lock that only says so.
public enum Replay {
  /// Plays a capture.
  ///
  /// - Parameters:
  ///   - stateDirectory: holds the ledger to go on from; nil: a fresh one that is gone afterwards.
  ///   - emit: gets every event.
  /// - Returns: the counters.
  public static func run(
    configurationPath: String, capturePath: String, stateDirectory: String?, emit: @escaping (DoorEvent) -> Void
  ) throws(DaemonError) -> JSONObject {
    let configuration = try DaemonError.wrapping { try DoorConfiguration.load(path: configurationPath) }
    let rulebook = try DaemonError.wrapping { try Rulebook(loading: configuration) }
    var capture = try openCapture(capturePath)
    // A fresh ledger's place is gone with this function; one that the caller has named stays.
    let temporary = try temporaryFolder(unless: stateDirectory)
    let folder = stateDirectory ?? temporary?.path ?? "."
    try DaemonError.wrapping { try makeDirectory(folder) }
    defer { withExtendedLifetime(temporary) {} }
    let ledger = try DaemonError.wrapping { try Ledger(path: folder + "/state.db", volatileDirectory: nil) }
    let time = RecordedTime()
    var pipeline: DoorPipeline?
    var failure: DaemonError?
    while failure == nil {
      let more = try readPacket(&capture) { packet, bytes in
        let isReport = packet.kind == .event && packet.direction == .received
        let sent = packet.kind == .command && packet.direction == .sent ? advertisingData(setBy: bytes) : nil
        guard isReport || sent != nil else { return }
        time.advance(to: packet.time)
        do {
          let running =
            try pipeline
            ?? DoorPipeline(
              rulebook, ledger: ledger, clockSource: configuration.clock, environment: environment(time, emit))
          pipeline = running
          _ = running.tick()
          if let sent { running.sent(sent.span, at: time.boot) } else { running.hear(bytes, arrival: time.boot) }
        } catch {
          failure = DaemonError(error)
        }
      }
      if !more { break }
    }
    if let failure { throw failure }
    return (pipeline?.snapshot() ?? Counters()).json
  }

  private static func temporaryFolder(unless given: String?) throws(DaemonError) -> ScratchDirectory? {
    if given != nil { return nil }
    do { return try ScratchDirectory(prefix: "latchkey-replay") } catch { throw DaemonError(error) }
  }

  private static func openCapture(_ path: String) throws(DaemonError) -> CaptureReader {
    // A pipe that nobody writes to would be waited for without end.
    try DaemonError.wrapping {
      if let status = try fileStatus(path), !status.isRegular { throw FileError(path: path, problem: .notRegular) }
    }
    do { return try CaptureReader(path: path) } catch { throw DaemonError(error) }
  }

  private static func readPacket(
    _ capture: inout CaptureReader, _ body: (CapturedPacket, Span<UInt8>) -> Void
  ) throws(DaemonError) -> Bool {
    do { return try capture.next(body) } catch { throw DaemonError(error) }
  }

  private static func environment(_ time: RecordedTime, _ emit: @escaping (DoorEvent) -> Void)
    -> DoorPipeline.Environment
  {
    DoorPipeline.Environment(
      clocks: Clocks(boot: { time.boot }, wall: { time.wall }, synchronisation: { (true, .zero) }), trustsClock: true,
      buildsInBackground: false, onIndexReady: {}, makeLock: { _, _, _, _ in RecordedLock() }, emit: emit)
  }
}

/// The clock of a recording: each record's time is the wall clock, and the monotonic clock never goes back.
private final class RecordedTime: Sendable {
  private let state = Mutex<(first: WallTime?, wall: WallTime, boot: BootInstant)>(
    (nil, WallTime(seconds: 0), BootInstant(nanoseconds: 0)))

  var wall: WallTime { state.withLock { $0.wall } }
  var boot: BootInstant { state.withLock { $0.boot } }

  func advance(to wall: WallTime) {
    state.withLock { state in
      let first = state.first ?? wall
      state.first = first
      state.wall = wall
      let moment = BootInstant(sinceBoot: max(.zero, wall.sinceEpoch - first.sinceEpoch))
      state.boot = max(state.boot, moment)
    }
  }
}
