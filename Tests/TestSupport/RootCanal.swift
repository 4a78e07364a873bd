internal import Glibc
internal import POSIX

/// A virtual radio: every TCP connection to its port is a controller of its own, all on one air (docs/radio.md).
///
/// It ends with this value, and with the test runner in any case.
public final class RootCanal: Sendable {
  /// The port where a connection becomes a controller.
  public let port: UInt16
  /// What `radio:` and `--radio` are given.
  public var spec: String { "tcp:127.0.0.1:\(port)" }

  private let process: Monitor<RunningProcess?>

  /// Starts one on free ports and waits until it listens.
  public init() throws {
    var failure: any Error = TestError("no free ports")
    for _ in 0..<20 {
      guard let port = freePorts(4) else { continue }
      do {
        let started = try Self.launch(port)
        self.port = port
        process = Monitor(started)
        return
      } catch { failure = error }
    }
    throw failure
  }

  deinit { kill() }

  /// Ends it at once, as a radio that is unplugged: every connection sees the end of its stream.
  public func kill() {
    let running = process.withLock { process in
      defer { process = nil }
      return process
    }
    running?.stop()
  }

  /// Stops it in its tracks: connections stay, nothing is answered any more.
  public func freeze() {
    process.withLock(waking: false) { process in
      guard let process else { return }
      process.signal(.pause)
      // The signal only begins to stop its threads; until each has stopped it may still answer. There is no event for
      // that: it is polled.
      while process.isRunning, !areStopped(threadsOf: process.identifier) { usleep(1_000) }
    }
  }

  /// Starts it again on the same ports.
  public func restart() throws {
    kill()
    let started = try Self.launch(port)
    process.withLock { $0 = started }
  }

  /// Starts the program and waits until the listener of the port is this very process.
  private static func launch(_ port: UInt16) throws -> RunningProcess {
    let started = try RunningProcess(
      try Repository.rootCanal,
      [
        "-hci_port=\(port)", "-test_port=\(port + 1)", "-link_port=\(port + 2)", "-link_ble_port=\(port + 3)",
      ], name: "rootcanal")
    let deadline = BootInstant.now() + .seconds(10)
    while started.isRunning, BootInstant.now() < deadline {
      if (0..<4).allSatisfy({ listens(process: started.identifier, port: port + $0) }) { return started }
      // There is no event for "listens now": it is polled.
      usleep(5_000)
    }
    started.stop()
    throw TestError("RootCanal doesn't listen on port \(port)\n\(started.report)")
  }
}

extension RootCanal: VirtualAir {
  public var doorRadio: String { spec }

  public func holderRadio() -> String { spec }

  /// Whoever is connected uses a controller; there is no event for it.
  public func awaitInUse(_ count: Int, within limit: Duration) throws {
    let deadline = BootInstant.now() + limit
    while try devices().count != count {
      guard BootInstant.now() < deadline else {
        throw TestError("expected \(count) controllers, found \(try devices())")
      }
      usleep(5_000)
    }
  }

  public func setDoorInRange(_ isInRange: Bool) throws {
    guard let door = try devices().first else { throw TestError("no controller is connected") }
    _ = try command(isInRange ? "add_device_to_phy" : "del_device_from_phy", ["\(door)", "1"])
  }

  /// The numbers of the controllers that are connected now, oldest first.
  public func devices() throws -> [Int] {
    // Devices:\n  0:hci_device@da:4c:…\n Phys: …
    let text = try command("list", [])
    let devices = text.split(whereSeparator: \.isNewline).prefix { !$0.contains("Phys:") }
    return devices.compactMap { line in
      guard line.contains("@"), let number = line.split(separator: ":").first else { return nil }
      return Int(number.filter { $0 != " " })
    }
  }

  /// Says something to the test port: length-prefixed words there, a length-prefixed text back.
  ///
  /// The port serves one connection at a time and greets it; one that comes too soon behind another it turns away.
  private func command(_ name: String, _ arguments: [String]) throws -> String {
    func word(_ text: String) -> [UInt8] { [UInt8(clamping: text.utf8.count)] + Array(text.utf8) }
    for _ in 0..<100 {
      let socket = try connectToLoopback(port + 1)
      guard try readText(from: socket).contains("RegisterSendResponse") else { continue }
      try socket.writeAll(word(name) + [UInt8(clamping: arguments.count)] + arguments.flatMap(word))
      return try readText(from: socket)
    }
    throw TestError("RootCanal's test port turns everybody away")
  }
}

private func readText(from socket: borrowing FileDescriptor) throws -> String {
  let length = try readExactly(4, from: socket)
  let count = length.reversed().reduce(0) { $0 << 8 | Int($1) }
  return String(decoding: try readExactly(count, from: socket), as: UTF8.self)
}

/// Whether every thread of a process is stopped by a signal (proc(5): state `T`).
private func areStopped(threadsOf process: Int32) -> Bool {
  let tasks = "/proc/\(process)/task"
  return directoryEntries(tasks).allSatisfy { task in
    guard let file = try? FileDescriptor.open("\(tasks)/\(task)/stat", O_RDONLY),
      let text = try? file.read(upTo: 512)
    else { return true }
    // The name in parentheses may hold anything; the state stands behind the last one.
    return String(decoding: text, as: UTF8.self).split(separator: ")").last?.hasPrefix(" T") ?? true
  }
}

private func readExactly(_ count: Int, from socket: borrowing FileDescriptor) throws -> [UInt8] {
  var bytes: [UInt8] = []
  while bytes.count < count {
    let more = try socket.read(upTo: count - bytes.count)
    if more.isEmpty { throw TestError("RootCanal's test port closed") }
    bytes += more
  }
  return bytes
}
