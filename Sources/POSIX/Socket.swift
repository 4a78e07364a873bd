internal import CPOSIX
internal import Glibc

/// A socket that this value owns, connected or of packets; nothing blocks but `connect` and `sendAll`, each with a deadline.
public struct Socket: ~Copyable, Sendable {
  private let descriptor: FileDescriptor
  private let isInternet: Bool

  /// Takes over a Unix socket that is connected, for example one of a socketpair(2), or a raw one.
  public init(takingOwnershipOf descriptor: consuming FileDescriptor) {
    self.descriptor = descriptor
    isInternet = false
  }

  private init(_ descriptor: consuming FileDescriptor, isInternet: Bool) {
    self.descriptor = descriptor
    self.isInternet = isInternet
  }

  /// The descriptor to wait on, valid as long as this value lives.
  public var number: Int32 { descriptor.number }

  /// Connects (socket(2), connect(2)); over TCP small packets leave at once (TCP_NODELAY).
  ///
  /// - Parameters:
  ///   - deadline: `Errno.timedOut` then.
  ///   - cancel: ends the attempt with `Errno.canceled` when signalled.
  public static func connect(
    to address: SocketAddress, until deadline: BootInstant, cancel: WakeUp? = nil
  ) throws(Errno) -> Socket {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = FileDescriptor(takingOwnershipOf: try systemCall { socket(address.family, type, 0) })
    let number = descriptor.number
    let pending = Result { () throws(Errno) in
      try systemCall { () -> Int32 in
        unsafe address.bytes.withUnsafeBytes { raw in
          unsafe Glibc.connect(number, raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
        }
      }
    }
    if case .failure(let error) = pending {
      if error != .inProgress { throw error }
      try awaitConnection(number, deadline, cancel)
    }
    if address.isInternet { try setOption(number, Int32(IPPROTO_TCP), TCP_NODELAY) }
    return Socket(descriptor, isInternet: address.isInternet)
  }

  /// Reads what is there into the beginning of `buffer`, without waiting (recv(2)).
  ///
  /// - Returns: how many bytes, 0 where the stream has ended; nil where there is nothing now.
  public func receive(into buffer: inout [UInt8]) throws(Errno) -> Int? {
    let number = number
    let result = Result { () throws(Errno) in
      try systemCall { () -> Int in
        unsafe buffer.withUnsafeMutableBytes { raw in
          unsafe recv(number, raw.baseAddress, raw.count, Int32(MSG_DONTWAIT))
        }
      }
    }
    switch result {
    case .success(let count):
      // Acknowledged at once: a peer that writes a packet in two parts otherwise waits 40 ms for it (tcp(7); the flag
      // isn't permanent). That it fails on a stream that is ending is no loss.
      if isInternet { try? Self.setOption(number, Int32(IPPROTO_TCP), TCP_QUICKACK) }
      return count
    case .failure(.wouldBlock): return nil
    case .failure(let error): throw error
    }
  }

  /// Writes what fits now of the bytes, without waiting (send(2)); a peer that is gone is an error, never a signal.
  ///
  /// - Returns: how many went out; nil where none fits now.
  public func send(_ bytes: ArraySlice<UInt8>) throws(Errno) -> Int? {
    let number = number
    do throws(Errno) {
      return try systemCall { () -> Int in
        unsafe bytes.withUnsafeBytes { raw in
          unsafe Glibc.send(number, raw.baseAddress, raw.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
      }
    } catch .wouldBlock {
      return nil
    }
  }

  /// Writes all the bytes; a peer that is gone is an error, never a signal.
  ///
  /// - Parameter deadline: `Errno.timedOut` then; part of the bytes may have gone out.
  public func sendAll(_ bytes: [UInt8], until deadline: BootInstant) throws(Errno) {
    var rest = bytes[...]
    while !rest.isEmpty {
      if let count = try send(rest) {
        rest = rest.dropFirst(count)
        continue
      }
      var poller = Poller([(number, .writable)])
      guard try poller.wait(until: deadline) else { throw .timedOut }
    }
  }

  /// Who is at the other end of a Unix socket: the user id that the process had when it connected (SO_PEERCRED).
  public func peerUser() throws(Errno) -> UInt32 {
    let number = number
    var user: UInt32 = 0
    try systemCall { unsafe cposix_peer_user(number, &user) }
    return user
  }

  /// Waits for a connection that is being made.
  private static func awaitConnection(_ number: Int32, _ deadline: BootInstant, _ cancel: WakeUp?) throws(Errno) {
    var poller = Poller([(number, .writable)] + (cancel.map { [($0.descriptor, .readable)] } ?? []))
    guard try poller.wait(until: deadline) else { throw .timedOut }
    if poller.readiness(at: 0).isEmpty { throw .canceled }
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    try systemCall { () -> Int32 in unsafe getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) }
    if code != 0 { throw Errno(rawValue: code) }
  }

  private static func setOption(_ number: Int32, _ level: Int32, _ option: Int32) throws(Errno) {
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    try systemCall { () -> Int32 in unsafe setsockopt(number, level, option, &on, size) }
  }
}
