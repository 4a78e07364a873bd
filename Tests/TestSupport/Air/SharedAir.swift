internal import POSIX

/// What one of several controllers sends the others hear: at the interval that it was told.
final class SharedAir: Sendable {
  private struct State {
    var controllers: [ScriptedController] = []
    /// Counts what may have changed what is sent.
    var changes = 0
    var hasEnded = false
  }

  /// An advert of a controller.
  private struct Source: Hashable {
    let controller: ObjectIdentifier
    let transmission: UInt8
  }

  private let state = Monitor(State())

  init() throws {
    let state = state
    _ = try Thread(name: "air") { Self.transmit(state) }
  }

  deinit { state.withLock { $0.hasEnded = true } }

  /// The controllers whose hosts are there, oldest first.
  var controllers: [ScriptedController] { state.withLock(waking: false) { $0.controllers }.filter(\.isConnected) }

  /// Puts a controller on the air, at the other end of a stream.
  @discardableResult
  func add(
    _ stream: consuming FileDescriptor, _ controller: VirtualController, isFrozen: Bool = false,
    script: @escaping ScriptedController.Script = { _, _ in nil }
  ) throws -> ScriptedController {
    let state = state
    let added = try ScriptedController(
      stream, controller, isFrozen: isFrozen, onChange: { state.withLock { $0.changes += 1 } }, script: script)
    state.withLock { state in
      state.controllers.removeAll { !$0.isConnected }
      state.controllers.append(added)
      state.changes += 1
    }
    return added
  }

  /// Waits until the controllers fit, all of them.
  func wait(within limit: Duration, _ fits: ([ScriptedController]) -> Bool) -> Bool {
    let deadline = BootInstant.now() + limit
    while true {
      let changes = state.withLock(waking: false) { $0.changes }
      if fits(controllers) { return true }
      let changed = state.wait(until: deadline) { $0.changes != changes ? true : nil }
      if changed == nil { return fits(controllers) }
    }
  }

  /// Sends each advert when it is due, until the air ends.
  private static func transmit(_ state: Monitor<State>) {
    var due: [Source: BootInstant] = [:]
    while true {
      let (controllers, changes, hasEnded) = state.withLock(waking: false) {
        ($0.controllers, $0.changes, $0.hasEnded)
      }
      if hasEnded { return }
      let now = BootInstant.now()
      var next: [Source: BootInstant] = [:]
      for controller in controllers {
        for transmission in controller.transmissions {
          let source = Source(controller: ObjectIdentifier(controller), transmission: transmission.handle)
          let moment = due[source] ?? now
          guard moment <= now else {
            next[source] = moment
            continue
          }
          for other in controllers where other !== controller { other.hear(transmission) }
          next[source] = now + .microseconds(625 * Int64(transmission.interval))
        }
      }
      due = next
      _ = state.wait(until: due.values.min()) { $0.changes != changes || $0.hasEnded ? true : nil }
    }
  }
}
