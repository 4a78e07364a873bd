internal import Glibc

/// Sends one packet to a Unix socket, without waiting (socket(2), sendto(2)).
///
/// - Throws: `Errno.wouldBlock` where the receiver has no room for it.
public func sendDatagram(_ bytes: [UInt8], to address: SocketAddress) throws(Errno) {
  let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
  let descriptor = FileDescriptor(takingOwnershipOf: try systemCall { socket(address.family, type, 0) })
  let number = descriptor.number
  // Whole or not at all: a packet is never sent in part.
  _ = try systemCall { () -> Int in
    unsafe bytes.withUnsafeBytes { packet in
      unsafe address.bytes.withUnsafeBytes { raw in
        unsafe sendto(
          number, packet.baseAddress, packet.count, Int32(MSG_NOSIGNAL),
          raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
      }
    }
  }
}
