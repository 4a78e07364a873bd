internal import Glibc
public import POSIX

/// The controller at the other end of a stream: it obeys as `VirtualController` does, unless its script says otherwise.
///
/// One thread reads commands, one writes, so that a host that doesn't read delays nobody else.
public final class ScriptedController: Sendable {
  /// What it does at a command.
  public indirect enum Reaction: Sendable {
    /// It obeys and answers.
    case obey
    /// It obeys; what becomes of its answer, type byte included, is another reaction.
    case answer(@Sendable ([UInt8]) -> Reaction)
    /// It doesn't obey, and answers with this status.
    case refuse(UInt8)
    /// It sends these bytes: packets, each with its type byte, at once.
    case send([UInt8])
    /// It sends these bytes one at a time.
    case trickle([UInt8])
    /// It does nothing for so long, and takes no command meanwhile.
    case pause(Duration)
    /// It ends the stream.
    case hangUp
  }

  /// What it does at a command that is the nth of its opcode, from 1; nil: it obeys.
  public typealias Script = @Sendable (CommandPacket, Int) -> [Reaction]?

  private enum Outgoing {
    case bytes([UInt8])
    case end
  }

  private struct State {
    var controller: VirtualController
    var commands: [CommandPacket] = []
    var outgoing: [Outgoing] = []
    var isFrozen = false
    var isInRange = true
    var hasEnded = false
    var isClosed = false
  }

  /// More reports than this that the host hasn't read are dropped.
  private static let longestQueue = 4_096

  private let number: Int32
  private let script: Script
  private let onChange: @Sendable () -> Void
  private let ending: WakeUp
  private let state: Monitor<State>

  /// Takes over its end of a stream and begins to answer.
  ///
  /// - Parameters:
  ///   - isFrozen: it begins as `freeze` leaves it.
  ///   - onChange: called behind each command, on its thread.
  public init(
    _ stream: consuming FileDescriptor, _ controller: VirtualController = VirtualController(), isFrozen: Bool = false,
    onChange: @escaping @Sendable () -> Void = {}, script: @escaping Script = { _, _ in nil }
  ) throws {
    self.script = script
    self.onChange = onChange
    ending = try WakeUp()
    state = Monitor(State(controller: controller, isFrozen: isFrozen))
    number = stream.release()
    let writer = try Thread(name: "controller-out") { [self] in write() }
    _ = try Thread(name: "controller-in") { [self] in
      serve()
      state.withLock { $0.hasEnded = true }
      writer.join()
      state.withLock { state in
        close(number)
        state.isClosed = true
      }
      onChange()
    }
  }

  /// What was commanded so far.
  public var commands: [CommandPacket] { state.withLock(waking: false) { $0.commands } }

  /// What it is doing and knows now.
  public var controller: VirtualController { state.withLock(waking: false) { $0.controller } }

  /// Whether its host is still there.
  public var isConnected: Bool { state.withLock(waking: false) { !$0.hasEnded } }

  /// Sends any bytes, behind those that are waiting.
  public func send(_ bytes: [UInt8]) { enqueue(.bytes(bytes)) }

  /// Sends an event.
  public func send(event: [UInt8]) { send([0x04] + event) }

  /// Ends the stream, behind what it has still to send.
  public func hangUp() { enqueue(.end) }

  /// Ends the stream at once, and waits until it is closed.
  public func unplug() {
    state.withLock { state in
      state.hasEnded = true
      // A write that waits for the host ends too; of an adapter of the kernel there is none.
      if !state.isClosed { shutdown(number, Int32(SHUT_RDWR)) }
    }
    ending.signal()
    _ = state.wait(until: .now() + .seconds(10)) { $0.isClosed ? true : nil }
  }

  /// From now on it takes no command, hears nothing and says nothing.
  public func freeze() { state.withLock { $0.isFrozen = true } }

  /// Whether it hears and is heard by others.
  public func setInRange(_ isInRange: Bool) { state.withLock { $0.isInRange = isInRange } }

  /// What it sends to the others now.
  var transmissions: [AirborneAdvert] {
    state.withLock(waking: false) { state in
      state.isFrozen || !state.isInRange || state.hasEnded ? [] : state.controller.transmissions
    }
  }

  /// Hears what another sends.
  func hear(_ transmission: AirborneAdvert) {
    state.withLock { state in
      guard !state.isFrozen, state.isInRange, state.outgoing.count < Self.longestQueue else { return }
      for event in state.controller.hear(transmission) { state.outgoing.append(.bytes([0x04] + event)) }
    }
  }

  /// Waits until an opcode was commanded that many times, and answers the last of them.
  public func wait(forCommand code: UInt16, count: Int, within limit: Duration) throws -> CommandPacket {
    let found = state.wait(until: .now() + limit) { state -> CommandPacket? in
      let matching = state.commands.filter { $0.code == code }
      return matching.count >= count ? matching[count - 1] : nil
    }
    guard let found else { throw TestError("0x\(String(code, radix: 16)) didn't come \(count) times: \(commands)") }
    return found
  }

  private func enqueue(_ outgoing: Outgoing) { state.withLock { $0.outgoing.append(outgoing) } }

  private func write() {
    while true {
      let next = state.wait { state -> Outgoing? in
        if state.hasEnded { return .end }
        return state.isFrozen || state.outgoing.isEmpty ? nil : state.outgoing.removeFirst()
      }
      guard case .bytes(let bytes) = next, writeAll(bytes) else { break }
    }
    ending.signal()
    shutdown(number, Int32(SHUT_RDWR))
  }

  /// A host that is gone is no signal's matter: it is a socket, or an adapter, of which each write is one packet.
  private func writeAll(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { buffer -> Int in
        let sent = unsafe Glibc.send(number, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
        guard sent < 0, Errno.current.rawValue == ENOTSOCK else { return sent }
        return unsafe Glibc.write(number, buffer.baseAddress, buffer.count)
      }
      if count < 0, Errno.current == .interrupted { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

// Commands.
extension ScriptedController {
  private func serve() {
    var bytes: [UInt8] = []
    while let more = read() {
      bytes += more
      // H4: 01, opcode (2), length, parameters.
      while bytes.count >= 4, bytes.count >= 4 + Int(bytes[3]) {
        let end = 4 + Int(bytes[3])
        let command = CommandPacket(code: UInt16(littleEndian(bytes[1..<3])), parameters: Array(bytes[4..<end]))
        bytes.removeFirst(end)
        take(command)
      }
    }
  }

  /// Waits for bytes; nil where the stream has ended, or is to.
  private func read() -> [UInt8]? {
    var poller = Poller([(number, .readable), (ending.descriptor, .readable)])
    do throws(Errno) { _ = try poller.wait(until: nil) } catch { return nil }
    if state.withLock(waking: false, { $0.hasEnded }) || !poller.readiness(at: 1).isEmpty { return nil }
    var buffer = [UInt8](repeating: 0, count: 1_024)
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(number, $0.baseAddress, $0.count) }
    return count > 0 ? Array(buffer[..<count]) : nil
  }

  private func take(_ command: CommandPacket) {
    _ = state.wait { $0.isFrozen && !$0.hasEnded ? nil : true }
    let count = state.withLock { state in
      state.commands.append(command)
      return state.commands.count { $0.code == command.code }
    }
    for reaction in script(command, count) ?? [.obey] { perform(reaction, command) }
    onChange()
  }

  private func perform(_ reaction: Reaction, _ command: CommandPacket) {
    switch reaction {
    // Nothing of the air comes between what it becomes and its answer.
    case .obey: state.withLock { $0.outgoing.append(.bytes([0x04] + $0.controller.take(command))) }
    case .answer(let transform):
      let answer = [0x04] + state.withLock { $0.controller.take(command) }
      perform(transform(answer), command)
    case .refuse(let status): send(event: commandComplete(command.code, status))
    case .send(let bytes): send(bytes)
    case .trickle(let bytes): for byte in bytes { send([byte]) }
    case .pause(let time): _ = state.wait(until: .now() + time) { $0.hasEnded ? true : nil }
    case .hangUp: hangUp()
    }
  }
}
