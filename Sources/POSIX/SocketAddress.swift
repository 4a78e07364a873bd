internal import Glibc

/// Where a socket connects to: an address of IPv4, of IPv6, or a path.
public struct SocketAddress: Hashable, Sendable {
  /// The family and the bytes of a `sockaddr` of that family.
  let family: Int32
  let bytes: [UInt8]

  /// Whether it is an address of the network, to be spoken to over TCP.
  var isInternet: Bool { family != AF_UNIX }

  /// The address of a Unix socket (unix(7)); nil for a path of 0 or more than 107 bytes, or with a zero byte.
  public init?(unixPath path: String) {
    let text = Array(path.utf8)
    var address = sockaddr_un()
    // The last byte stays the terminator.
    let room = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard (1...room).contains(text.count), !text.contains(0) else { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
    family = AF_UNIX
    bytes = unsafe withUnsafeBytes(of: &address) { raw in
      var bytes = unsafe Array(raw)
      let start = raw.count - room - 1
      bytes.replaceSubrange(start..<(start + text.count), with: text)
      return bytes
    }
  }

  /// The address of a Unix socket in the abstract namespace (unix(7)); nil for a name of 0 or more than 107 bytes.
  ///
  /// - Parameter name: without the zero byte that the kernel wants before it.
  public init?(abstractName name: String) {
    let start = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2
    let text = Array(name.utf8)
    guard (1...107).contains(text.count) else { return nil }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    family = AF_UNIX
    // Every byte of such an address belongs to the name: it ends with it.
    bytes = unsafe withUnsafeBytes(of: &address) { unsafe Array($0.prefix(start + 1)) } + text
  }

  /// The addresses of a host, in the order in which they are to be tried (getaddrinfo(3)).
  ///
  /// A numeric address never asks a name server; a name may take as long as the resolver likes.
  public static func resolve(host: String, port: UInt16) throws(ResolverError) -> [SocketAddress] {
    do throws(ResolverError) {
      return try lookUp(host, port, flags: AI_NUMERICHOST)
    } catch {
      return try lookUp(host, port, flags: 0)
    }
  }

  private static func lookUp(_ host: String, _ port: UInt16, flags: Int32) throws(ResolverError) -> [SocketAddress] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = flags | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let result = unsafe getaddrinfo(host, String(port), &hints, &list)
    guard result == 0 else { throw ResolverError(reason: unsafe String(cString: gai_strerror(result))) }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var entry = unsafe list
    while let current = unsafe entry {
      if let raw = unsafe current.pointee.ai_addr {
        let length = unsafe Int(current.pointee.ai_addrlen)
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: raw, count: length))
        unsafe addresses.append(SocketAddress(family: current.pointee.ai_family, bytes: bytes))
      }
      unsafe entry = current.pointee.ai_next
    }
    return addresses
  }

  private init(family: Int32, bytes: [UInt8]) {
    self.family = family
    self.bytes = bytes
  }
}

/// A host's name has no address.
public struct ResolverError: Error, Hashable, Sendable {
  /// The resolver's own words (gai_strerror(3)).
  public let reason: String
}
