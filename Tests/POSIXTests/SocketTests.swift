import Glibc
import POSIX
import TestSupport
import Testing

@Suite struct SocketTests {
  /// Two ends of a stream.
  private func pair(_ body: (borrowing Socket, borrowing Socket) throws -> Void) throws {
    var numbers: [Int32] = [-1, -1]
    try systemCall { unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) }
    let first = Socket(takingOwnershipOf: FileDescriptor(takingOwnershipOf: numbers[0]))
    let second = Socket(takingOwnershipOf: FileDescriptor(takingOwnershipOf: numbers[1]))
    try body(first, second)
  }

  @Test func bytesCrossWithoutWaiting() throws {
    try pair { first, second in
      var buffer = [UInt8](repeating: 0, count: 8)
      let early = try second.receive(into: &buffer)
      try first.sendAll([1, 2, 3], until: .now())
      let late = try second.receive(into: &buffer)
      #expect(early == nil && late == 3)
      #expect(buffer.prefix(3) == [1, 2, 3])
    }
  }

  @Test func theEndOfAStreamIsSeenAndNoSignal() throws {
    try pair { first, second in
      shutdown(first.number, Int32(SHUT_RDWR))
      var buffer = [UInt8](repeating: 0, count: 8)
      let count = try second.receive(into: &buffer)
      #expect(count == 0)
      let error = #expect(throws: Errno.self) { try second.sendAll([1], until: .now()) }
      #expect(error == .brokenPipe)
    }
  }

  @Test func aPeerThatDoesNotReadIsATimeOut() throws {
    try pair { first, _ in
      let much = [UInt8](repeating: 0, count: 1 << 22)
      let error = #expect(throws: Errno.self) { try first.sendAll(much, until: .now() + .milliseconds(1)) }
      #expect(error == .timedOut)
    }
  }

  @Test func numericAddressesNeedNoNameServer() throws {
    #expect(try SocketAddress.resolve(host: "127.0.0.1", port: 80).count == 1)
    #expect(try SocketAddress.resolve(host: "::1", port: 80).count == 1)
    #expect(throws: ResolverError.self) { try SocketAddress.resolve(host: "not a host.invalid", port: 80) }
  }

  @Test(arguments: ["", "a\0b", String(repeating: "x", count: 108)])
  func refusesPathsThatDoNotFit(_ path: String) { #expect(SocketAddress(unixPath: path) == nil) }

  @Test func nobodyListening() throws {
    let address = try #require(SocketAddress(unixPath: "/nowhere/at/all"))
    let error = #expect(throws: Errno.self) { _ = try Socket.connect(to: address, until: .now() + .seconds(1)) }
    #expect(error == .noEntry)
    // A port that is bound, and where nobody listens.
    let holder = FileDescriptor(takingOwnershipOf: try systemCall { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) })
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    try unsafe withUnsafeMutablePointer(to: &name) { pointer in
      try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        try systemCall { unsafe bind(holder.number, address, length) }
        try systemCall { unsafe getsockname(holder.number, address, &length) }
      }
    }
    let tcp = try #require(try SocketAddress.resolve(host: "127.0.0.1", port: name.sin_port.bigEndian).first)
    let refused = #expect(throws: Errno.self) { _ = try Socket.connect(to: tcp, until: .now() + .seconds(5)) }
    #expect(refused == .connectionRefused)
  }
}

@Suite struct PollerTests {
  @Test func deadlinesPassAndWakeUpsEndTheWait() throws {
    let wake = try WakeUp()
    var poller = Poller([(wake.descriptor, .readable)])
    #expect(try !poller.wait(until: .now()))
    #expect(poller.readiness(at: 0).isEmpty && poller.readiness(at: 1).isEmpty)
    let start = BootInstant.now()
    #expect(try !poller.wait(until: start + .milliseconds(2)))
    #expect(BootInstant.now() - start >= .milliseconds(2), "never before its deadline")
    wake.signal()
    wake.signal()
    #expect(try poller.wait(until: nil))
    #expect(poller.readiness(at: 0) == .readable)
    wake.clear()
    #expect(try !poller.wait(until: .now()))
    let thread = try Thread(name: "wake") { wake.signal() }
    #expect(try poller.wait(until: nil))
    thread.join()
  }
}
