internal import Glibc
internal import POSIX

/// Ports that this test runner has handed out already.
private let handedOut = Monitor(Set<UInt16>())

/// The first of `count` ports in a row that nobody holds; below the range that the kernel gives to outgoing connections.
func freePorts(_ count: UInt16) -> UInt16? {
  // Each try meets by chance a port that is in use, one in a hundred: other tests, and other runs of them.
  for _ in 0..<100 {
    let first = UInt16.random(in: 2_500...7_000) * 4
    let range = first..<(first + count)
    let isOurs = handedOut.withLock { taken in
      guard taken.isDisjoint(with: range), range.allSatisfy(isFree) else { return false }
      taken.formUnion(range)
      return true
    }
    if isOurs { return first }
  }
  return nil
}

private func isFree(_ port: UInt16) -> Bool {
  do { return try bound(port, INADDR_ANY).number >= 0 } catch { return false }
}

/// A socket that listens on a port of 127.0.0.1.
func listenOnLoopback(_ port: UInt16) throws(Errno) -> FileDescriptor {
  let socket = try bound(port, INADDR_LOOPBACK)
  let number = socket.number
  try systemCall { listen(number, 8) }
  return socket
}

private func bound(_ port: UInt16, _ host: UInt32) throws(Errno) -> FileDescriptor {
  let socket = try makeSocket()
  let number = socket.number
  var on: Int32 = 1
  try systemCall { unsafe setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size)) }
  try systemCall { unsafe withAddress(port, host) { unsafe bind(number, $0, $1) } }
  return socket
}

/// A TCP connection to a port of this machine.
func connectToLoopback(_ port: UInt16) throws(Errno) -> FileDescriptor {
  let socket = try makeSocket()
  let number = socket.number
  try systemCall { unsafe withAddress(port, INADDR_LOOPBACK) { unsafe connect(number, $0, $1) } }
  return socket
}

private func makeSocket() throws(Errno) -> FileDescriptor {
  FileDescriptor(
    takingOwnershipOf: try systemCall { socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0) })
}

private func withAddress(_ port: UInt16, _ host: UInt32, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32
{
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = host.bigEndian
  return unsafe withUnsafePointer(to: &address) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}

/// Whether that process, and not somebody else, listens on a TCP port: its descriptors against the kernel's table.
func listens(process: Int32, port: UInt16) -> Bool {
  guard let table = try? readText("/proc/net/tcp") else { return false }
  let local = ":" + String(repeating: "0", count: 4 - String(port, radix: 16).count) + String(port, radix: 16)
  let inodes = table.split(separator: "\n").dropFirst().compactMap { line -> Substring? in
    let fields = line.split(separator: " ")
    guard fields.count > 9, fields[3] == "0A", fields[1].lowercased().hasSuffix(local) else { return nil }
    return fields[9]
  }
  let sockets = Set(inodes.map { "socket:[\($0)]" })
  let folder = "/proc/\(process)/fd"
  return directoryEntries(folder).contains { entry in
    linkTarget("\(folder)/\(entry)").map { sockets.contains($0) } ?? false
  }
}

/// The whole of a file as text.
func readText(_ path: String) throws(Errno) -> String {
  let file = try FileDescriptor.open(path, O_RDONLY)
  var bytes: [UInt8] = []
  while true {
    let more = try file.read(upTo: 65_536)
    if more.isEmpty { return String(decoding: bytes, as: UTF8.self) }
    bytes += more
  }
}
