import AccessControl
import HCI
import LockHardware
import POSIX
import Testing

@testable import DoorController

/// A daemon that is well, for tests to spoil.
func wellStatus() throws -> DaemonStatus {
  let now = WallTime(seconds: TestDoor.start)
  return DaemonStatus(
    time: now, started: WallTime(seconds: TestDoor.start - 3_600), uptime: .seconds(3_600), isRunning: true,
    radio: DaemonStatus.Radio(
      spec: "unix:/nowhere", condition: .on, since: now, age: .seconds(3_600), problem: nil,
      controller: ControllerInfo(), lastReportAge: .milliseconds(250)),
    beacons: DaemonStatus.Beacons(condition: .on), clock: DaemonStatus.Clock(), doors: [try wellDoor()],
    recording: DaemonStatus.Recording(last: now, lastID: 7, problem: nil, volatileIsLost: false),
    reloads: DaemonStatus.Reloads(lastSuccess: now), metricsFile: DaemonStatus.MetricsFile(), counters: Counters())
}

func wellDoor(_ id: String = "front") throws -> DaemonStatus.Door {
  DaemonStatus.Door(
    id: try #require(Identifier(id)), name: try DisplayName("Vordertür “\(id)”"), freshness: .either, state: .locked,
    secondsUntilLocked: 0,
    lock: .stands(.closed), bundleSerial: 1, bundleEnd: nil, credentials: 3)
}
