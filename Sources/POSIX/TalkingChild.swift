internal import CPOSIX
internal import Glibc
internal import Synchronization

/// A program that this one started and talks to: its standard input and output are one end of a pair of sockets.
///
/// It is killed at the latest when this object ends.
public final class TalkingChild: Sendable {
  private let socket: Socket
  private let process: Mutex<ChildProcess>
  /// The number of the process.
  public let number: Int32

  /// Starts a program, as `ChildProcess` does, in an empty environment.
  public init(_ arguments: [String]) throws(Errno) {
    var ends: [Int32] = [-1, -1]
    try systemCall { unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) }
    let own = FileDescriptor(takingOwnershipOf: ends[0])
    let other = FileDescriptor(takingOwnershipOf: ends[1])
    let child = try ChildProcess(arguments, environment: [], input: other.number, output: other.number)
    number = child.number
    process = Mutex(child)
    socket = Socket(takingOwnershipOf: own)
  }

  /// The descriptor to wait on: readable when the program has said something, or closed its end.
  public var descriptor: Int32 { socket.number }

  /// Writes all the bytes (`Socket.sendAll`).
  public func send(_ bytes: [UInt8], until deadline: BootInstant) throws(Errno) {
    try socket.sendAll(bytes, until: deadline)
  }

  /// Reads what is there, without waiting (`Socket.receive`).
  public func receive(into buffer: inout [UInt8]) throws(Errno) -> Int? { try socket.receive(into: &buffer) }

  /// Tells the program that nothing more comes (shutdown(2)).
  public func finishSending() { _ = shutdown(socket.number, Int32(SHUT_WR)) }

  /// Tells it the same, and kills it where it hasn't ended by the deadline.
  ///
  /// - Returns: how it ended.
  @discardableResult
  public func end(until deadline: BootInstant) -> ProcessEnd {
    finishSending()
    return process.withLock { process in
      do throws(Errno) { if let end = try process.wait(until: deadline) { return end } } catch {}
      return process.kill()
    }
  }
}
