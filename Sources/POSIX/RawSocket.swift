internal import CPOSIX
internal import Glibc

// Sockets of packets, of families that only their own rooms know: addresses, options and requests are plain bytes.
extension Socket {
  /// Opens a raw socket (socket(2), SOCK_RAW): each `receive` is one packet, and so is each `sendAll`.
  public static func raw(family: Int32, protocolNumber: Int32) throws(Errno) -> Socket {
    let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    return Socket(
      takingOwnershipOf: FileDescriptor(
        takingOwnershipOf: try systemCall { socket(family, type, protocolNumber) }))
  }

  /// Gives the socket its address (bind(2)).
  ///
  /// - Parameter address: the bytes of a `sockaddr` of the socket's family.
  public func bind(to address: [UInt8]) throws(Errno) {
    let number = number
    try systemCall { () -> Int32 in
      unsafe address.withUnsafeBytes { raw in
        unsafe Glibc.bind(number, raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
      }
    }
  }

  /// Sets an option (setsockopt(2)) to the bytes of its value.
  public func setOption(_ level: Int32, _ option: Int32, to value: [UInt8]) throws(Errno) {
    let number = number
    try systemCall { () -> Int32 in
      unsafe value.withUnsafeBytes { raw in
        unsafe setsockopt(number, level, option, raw.baseAddress, socklen_t(raw.count))
      }
    }
  }

  /// The bytes of an option's value (getsockopt(2)), at most `length` of them.
  public func option(_ level: Int32, _ option: Int32, length: Int) throws(Errno) -> [UInt8] {
    let number = number
    var value = [UInt8](repeating: 0, count: length)
    var size = socklen_t(clamping: length)
    try systemCall { () -> Int32 in
      unsafe value.withUnsafeMutableBytes { raw in
        unsafe getsockopt(number, level, option, raw.baseAddress, &size)
      }
    }
    return Array(value.prefix(Int(size)))
  }

  /// Asks for room for what isn't read yet, in bytes (SO_RCVBUFFORCE, or as much of it as SO_RCVBUF gives to those who
  /// may not force it).
  public func setReceiveBuffer(_ bytes: Int32) throws(Errno) {
    let value = unsafe withUnsafeBytes(of: bytes) { unsafe Array($0) }
    do throws(Errno) {
      try setOption(SOL_SOCKET, SO_RCVBUFFORCE, to: value)
    } catch .notPermitted {
      try setOption(SOL_SOCKET, SO_RCVBUF, to: value)
    }
  }

  /// Makes a request of the socket's family (ioctl(2)) whose argument is a number.
  public func control(_ request: UInt, _ argument: UInt) throws(Errno) {
    let number = number
    try systemCall { cposix_ioctl_number(number, request, argument) }
  }

  /// Makes a request (ioctl(2)) whose argument is a struct, which is read and written.
  ///
  /// - Parameter argument: as many bytes as the request touches; the caller has made sure of that.
  public func control(_ request: UInt, _ argument: inout [UInt8]) throws(Errno) {
    let number = number
    try systemCall { () -> Int32 in
      unsafe argument.withUnsafeMutableBytes { raw in unsafe cposix_ioctl(number, request, raw.baseAddress) }
    }
  }
}
