internal import CPOSIX
internal import Glibc

/// A Unix stream socket that waits for connections at a path (unix(7)); the path ends with this value.
///
/// Its owner alone may connect (0600), and its directory is one that others can't change.
public struct ListeningSocket: ~Copyable, Sendable {
  private let descriptor: FileDescriptor
  private let path: String
  private let identity: FileIdentity?

  /// The descriptor to wait on: readable when somebody connects.
  public var number: Int32 { descriptor.number }

  /// Listens; a socket that a killed process left there is replaced, one where somebody answers isn't.
  ///
  /// - Parameters:
  ///   - path: 1 to 107 bytes; its directory is made (0700) where it is missing.
  ///   - backlog: how many connections wait to be accepted.
  /// - Throws: problem `busy` where another process listens there.
  public static func listen(at path: String, backlog: Int32 = 16) throws(FileError) -> ListeningSocket {
    guard let address = SocketAddress(unixPath: path) else { throw FileError(path, "listen at", .nameTooLong) }
    let directory = directoryName(path)
    try makeDirectory(directory)
    try requireNotWritableByOthers(directory)
    // Two that start at once would each take the other's socket for a dead one.
    let lock = try FileLock.acquire(path + ".lock", until: .now() + .seconds(1))
    defer { withExtendedLifetime(lock) {} }
    try removeDead(path, address)
    let descriptor: FileDescriptor
    do throws(Errno) { descriptor = try bind(address, backlog) } catch { throw FileError(path, "listen at", error) }
    return ListeningSocket(descriptor: descriptor, path: path, identity: try fileStatus(path)?.identity)
  }

  private init(descriptor: consuming FileDescriptor, path: String, identity: FileIdentity?) {
    self.descriptor = descriptor
    self.path = path
    self.identity = identity
  }

  deinit {
    // Another may have put its own there.
    guard let status = try? fileStatus(path), status.identity == identity else { return }
    _ = unsafe unlink(path)
  }

  /// Takes the next connection, without waiting (accept4(2)); nil where there is none now.
  public func accept() throws(Errno) -> Socket? {
    let number = number
    do throws(Errno) {
      return Socket(takingOwnershipOf: FileDescriptor(takingOwnershipOf: try systemCall { cposix_accept(number) }))
    } catch {
      // One that gave up before its turn is none.
      if error == .wouldBlock || error == Errno(rawValue: ECONNABORTED) { return nil }
      throw error
    }
  }
}

/// Takes away the name of a socket where nobody listens any more.
private func removeDead(_ path: String, _ address: SocketAddress) throws(FileError) {
  guard let status = try fileStatus(path) else { return }
  guard status.isSocket else { throw FileError(path, "listen at", .exists) }
  do throws(Errno) {
    _ = try Socket.connect(to: address, until: .now() + .seconds(1))
  } catch .connectionRefused {
    return try removeFile(path)
  } catch .wouldBlock {
    // Its queue is full: somebody is there, however slow.
  } catch {
    throw FileError(path, "listen at", error)
  }
  throw FileError(path: path, problem: .busy)
}

private func bind(_ address: SocketAddress, _ backlog: Int32) throws(Errno) -> FileDescriptor {
  let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
  let descriptor = FileDescriptor(takingOwnershipOf: try systemCall { socket(address.family, type, 0) })
  let number = descriptor.number
  // Before it has a name: there is no moment at which others could connect.
  try systemCall { fchmod(number, 0o600) }
  try systemCall { () -> Int32 in
    unsafe address.bytes.withUnsafeBytes { raw in
      unsafe Glibc.bind(number, raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
    }
  }
  try systemCall { Glibc.listen(number, backlog) }
  return descriptor
}
