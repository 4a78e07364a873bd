import Advertising
import AirProtocol
import HCI
import Holder
import POSIX
import Provisioning
import TestSupport

/// A holder with a state of its own, a door at the other end of the air, and room for an attacker.
final class SendingBench {
  let folder: TemporaryDirectory
  let held: HeldDoor
  let door: FarDoor
  let air = TestAir(wall: 5_000)

  init(challengeSeconds: Int = 2) throws {
    folder = try TemporaryDirectory()
    let credential = try sampleCredential(challengeSeconds: challengeSeconds)
    held = HeldDoor(try present(DoorNumber(rawValue: 1)), of: credential)
    door = try FarDoor(held)
    let door = door
    air.script = { door.next($0) }
  }

  /// From now on somebody else is heard beside the door.
  func attack(_ next: @escaping (TestAir) -> Heard?) {
    let door = door
    air.script = { earlier(door.next($0), next($0)) }
  }

  /// From now on somebody plays these beside the door, each as often as the door does, and stronger.
  func replay(_ recorded: [[UInt8]]) {
    attack { air in
      recorded.indices.compactMap { index -> Heard? in
        (air.next(every: 100_000_000, before: 10_000_000 + 3_000_000 * UInt64(index)), recorded[index], -20)
      }.min { $0.at < $1.at }
    }
  }

  func send(
    _ choice: FreshnessChoice, _ command: Command = .unlock(seconds: 0), for duration: Duration = .seconds(3)
  ) throws -> (outcome: Sending.Outcome, sent: [Transmission]) {
    let intent = Intent(command, to: held, carrier: .uuid128, wantsAnswer: true, stateDirectory: folder.path)
    var sent: [Transmission] = []
    let air = air
    let outcome = try Sending(for: duration, wallNow: { air.wall }, bootNow: { air.boot })
      .send(intent, by: choice, over: air) { event in
        if case .onAir(let transmission, _) = event { sent.append(transmission) }
      }
    return (outcome, sent)
  }
}

extension Sending.Outcome {
  /// Whether the door was heard to have done it.
  var isDone: Bool { if case .answered(let answer) = self { answer.result == .done } else { false } }
}

extension Transmission {
  var isByChallenge: Bool { if case .challenge = freshness { true } else { false } }
}

extension TestAir {
  /// The next moment so long before a multiple of a period, in nanoseconds.
  func next(every period: UInt64, before lead: UInt64 = 0) -> UInt64 { ((time + lead) / period + 1) * period - lead }
}
