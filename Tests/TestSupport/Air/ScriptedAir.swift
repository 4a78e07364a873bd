internal import Glibc
public import POSIX

/// A Unix socket on which every connection is a controller of its own, all on one air, in this process.
public final class ScriptedAir: VirtualAir {
  private let air: SharedAir
  private let path: String
  private let model: VirtualController.Model
  private let script: ScriptedController.Script
  private let listener: Monitor<Listener>

  private struct Listener {
    /// Nil: nobody listens.
    var socket: Int32?
    var isFrozen = false
  }

  /// Listens on a socket in a folder.
  ///
  /// - Parameter script: what every controller does that doesn't just obey.
  public init(
    in directory: TemporaryDirectory, name: String = "air", model: VirtualController.Model = .bluetooth5,
    script: @escaping ScriptedController.Script = { _, _ in nil }
  ) throws {
    air = try SharedAir()
    path = directory(name)
    self.model = model
    self.script = script
    listener = Monitor(Listener())
    try restart()
  }

  deinit { kill() }

  /// What `radio:` and `--radio` are given.
  public var spec: String { "unix:\(path)" }

  public var doorRadio: String { spec }

  public func holderRadio() -> String { spec }

  /// The controllers that are connected now, oldest first.
  public var controllers: [ScriptedController] { air.controllers }

  public func kill() {
    listener.withLock { listener in
      guard let socket = listener.socket else { return }
      listener.socket = nil
      unsafe unlink(path)
      shutdown(socket, Int32(SHUT_RDWR))
    }
    for controller in air.controllers { controller.unplug() }
  }

  public func restart() throws {
    kill()
    let socket = try listenOnUnixSocket(path).release()
    listener.withLock { $0 = Listener(socket: socket) }
    _ = try Thread(name: "air-accept") { [air, listener, model, script] in
      while true {
        let accepted = accept(socket, nil, nil)
        guard accepted >= 0 else { break }
        let isFrozen = listener.withLock(waking: false) { $0.isFrozen }
        do {
          try air.add(
            FileDescriptor(takingOwnershipOf: accepted), VirtualController(model: model), isFrozen: isFrozen,
            script: script)
        } catch {}
      }
      close(socket)
    }
  }

  public func freeze() {
    listener.withLock { $0.isFrozen = true }
    for controller in air.controllers { controller.freeze() }
  }

  public func awaitInUse(_ count: Int, within limit: Duration) throws {
    guard air.wait(within: limit, { $0.count == count }) else {
      throw TestError("expected \(count) controllers, found \(air.controllers.count)")
    }
  }

  public func setDoorInRange(_ isInRange: Bool) throws {
    guard let door = air.controllers.first else { throw TestError("no controller is connected") }
    door.setInRange(isInRange)
  }
}

extension ScriptedAir: NoiseSource {
  public var radio: String { spec }

  public func shout(_ adverts: [[UInt8]]) throws { try air.shoutAtScanner(adverts) }
}

extension SharedAir {
  /// Gives the controller that scans a report for each of the adverts.
  func shoutAtScanner(_ adverts: [[UInt8]]) throws {
    guard let door = controllers.first(where: { $0.controller.isScanning }) else { throw TestError("nobody scans") }
    for data in adverts { door.send(noise(data)) }
  }
}

/// A socket that listens at a path where there is nothing yet.
public func listenOnUnixSocket(_ path: String) throws -> FileDescriptor {
  let bytes = Array(path.utf8)
  var address = sockaddr_un()
  guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw TestError("\(path) is too long") }
  address.sun_family = sa_family_t(AF_UNIX)
  unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
  let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
  let number = try systemCall { socket(AF_UNIX, type, 0) }
  let listener = FileDescriptor(takingOwnershipOf: number)
  let length = socklen_t(MemoryLayout<sockaddr_un>.size)
  try systemCall {
    unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(number, $0, length) }
    }
  }
  try systemCall { listen(number, 8) }
  return listener
}
