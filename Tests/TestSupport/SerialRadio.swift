internal import Glibc
internal import POSIX

/// A serial line with a controller of RootCanal at its end, whose first bytes are noise.
public final class SerialRadio: Sendable {
  /// What `radio:` and `--radio` are given.
  public var spec: String { "serial:\(line.path),921600" }

  private let line: PseudoTerminal
  private let stop: WakeUp

  /// - Parameter noise: what is on the line before the controller's first packet.
  public init(before radio: RootCanal, noise: [UInt8]) throws {
    let line = try PseudoTerminal()
    let stop = try WakeUp()
    self.line = line
    self.stop = stop
    let controller = try Socket(takingOwnershipOf: connectToLoopback(radio.port))
    let number = controller.number
    let owner = Held(controller)
    _ = try Thread(name: "serial-radio") {
      var buffer = [UInt8](repeating: 0, count: 4096)
      var noise = noise
      var poller = Poller([(stop.descriptor, .readable), (line.descriptor, .readable), (number, .readable)])
      do {
        while true {
          _ = try poller.wait(until: nil)
          guard poller.readiness(at: 0).isEmpty else { return }
          if !poller.readiness(at: 1).isEmpty {
            try owner.socket.sendAll(try line.receiveSome(), until: .now() + .seconds(20))
          }
          if !poller.readiness(at: 2).isEmpty {
            guard let count = try owner.socket.receive(into: &buffer), count > 0 else { return }
            try line.send(noise + buffer.prefix(count))
            noise = []
          }
        }
      } catch {
        // The other end is gone, and so is the test.
      }
    }
  }

  deinit { stop.signal() }

  private final class Held: Sendable {
    let socket: Socket

    init(_ socket: consuming Socket) { self.socket = socket }
  }
}
