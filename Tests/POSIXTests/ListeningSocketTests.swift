import Glibc
import POSIX
import TestSupport
import Testing

@Suite struct ListeningSocketTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func connect(_ path: String) throws -> Socket {
    try Socket.connect(to: try #require(SocketAddress(unixPath: path)), until: .now() + .seconds(5))
  }

  private func accept(_ listener: borrowing ListeningSocket) throws -> Socket? {
    var poller = Poller([(listener.number, .readable)])
    guard try poller.wait(until: .now() + .seconds(5)) else { return nil }
    return try listener.accept()
  }

  @Test func itIsItsOwnersAloneAndKnowsWhoConnects() throws {
    let listener = try ListeningSocket.listen(at: folder("new/socket"))
    #expect(try fileStatus(folder("new"))?.permissions == 0o700)
    let status = try #require(try fileStatus(folder("new/socket")))
    #expect(status.isSocket && status.permissions == 0o600)
    let nobody = try listener.accept() == nil
    #expect(nobody)
    let client = try connect(folder("new/socket"))
    let server = try accept(listener)
    let user = try server?.peerUser()
    #expect(user == geteuid() && user == ProcessEnvironment.user)
    try client.sendAll([1, 2, 3], until: .now() + .seconds(1))
    var buffer = [UInt8](repeating: 0, count: 8)
    let count = try server?.receive(into: &buffer)
    #expect(count == 3)
  }

  @Test func thePathGoesWithIt() throws {
    _ = try ListeningSocket.listen(at: folder("socket"))
    #expect(!folder.has("socket"))
  }

  @Test func somebodyElsesSocketStays() throws {
    do {
      let listener = try ListeningSocket.listen(at: folder("socket"))
      try removeFile(folder("socket"))
      try folder.write("socket", "another's")
      withExtendedLifetime(listener.number) {}
    }
    #expect(folder.has("socket"))
  }

  @Test func whereSomebodyAnswersNobodyElseListens() throws {
    let first = try ListeningSocket.listen(at: folder("socket"))
    let error = #expect(throws: FileError.self) { _ = try ListeningSocket.listen(at: folder("socket")) }
    #expect(error?.problem == .busy)
    _ = try connect(folder("socket"))
    withExtendedLifetime(first.number) {}
  }

  @Test func theSocketOfAKilledProcessIsReplaced() throws {
    let address = try #require(SocketAddress(unixPath: folder("socket")))
    do {
      // Its name is away when it ends, as it is for a process that is killed.
      let dead = try ListeningSocket.listen(at: folder("socket"))
      try folder.rename("socket", to: "dead")
      withExtendedLifetime(dead.number) {}
    }
    try folder.rename("dead", to: "socket")
    let refused = #expect(throws: Errno.self) { _ = try Socket.connect(to: address, until: .now() + .seconds(1)) }
    #expect(refused == .connectionRefused)
    let listener = try ListeningSocket.listen(at: folder("socket"))
    _ = try connect(folder("socket"))
    withExtendedLifetime(listener.number) {}
  }

  @Test func whatIsNoSocketIsNotReplaced() throws {
    try folder.write("socket", "a file")
    let error = #expect(throws: FileError.self) { _ = try ListeningSocket.listen(at: folder("socket")) }
    #expect(error?.errno == .exists)
    #expect(try folder.text("socket") == "a file")
  }

  @Test func aDirectoryThatOthersCanChangeIsRefused() throws {
    let directory = try folder.makeDirectory("open")
    try systemCall { unsafe chmod(directory, 0o777) }
    let error = #expect(throws: FileError.self) { _ = try ListeningSocket.listen(at: directory + "/socket") }
    #expect(error?.description.contains("chmod go-w") == true)
    // Everybody's folder has to stay so: nobody is told to change it.
    try systemCall { unsafe chmod(directory, 0o1777) }
    let shared = #expect(throws: FileError.self) { _ = try ListeningSocket.listen(at: directory + "/socket") }
    #expect(shared?.description.contains("use a directory of its own") == true)
    #expect(shared?.description.contains("chmod") == false)
  }

  @Test func aPathThatIsTooLongSaysSo() throws {
    let path = folder(String(repeating: "x", count: 200))
    #expect(#expect(throws: FileError.self) { _ = try ListeningSocket.listen(at: path) }?.errno == .nameTooLong)
  }
}
