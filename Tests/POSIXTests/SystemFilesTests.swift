import Glibc
import TestSupport
import Testing

@testable import POSIX

@Suite struct SystemFilesTests {
  @Test func readsWhatTheKernelSays() throws {
    #expect(kernelText("/proc/self/comm")?.isEmpty == false)
    #expect(kernelText("/proc/self/nothing") == nil)
    #expect(linkTarget("/proc/self") == "\(getpid())")
    #expect(linkTarget("/proc") == nil)
    let directory = try TemporaryDirectory()
    try directory.write("b", " text \n\n")
    #expect(kernelText(directory("b")) == " text")
    #expect(directoryEntries(directory.path) == ["b"])
    #expect(directoryEntries(directory("b")).isEmpty)
  }

  @Test func readsCapabilities() {
    let status = "Name:\tx\nCapInh:\t0000000000000000\nCapEff:\t0000000000002000\n"
    #expect(Capability.isEffective(.rawNetwork, in: status))
    #expect(!Capability.isEffective(.networkAdministration, in: status))
    #expect(Capability.isEffective(.networkAdministration, in: "CapEff: 1000"))
    // What can't be read forbids nothing: the call itself decides.
    for broken in ["", "CapEff:\tzzz", "CapEff"] { #expect(Capability.isEffective(.rawNetwork, in: broken)) }
    #expect("\(Capability.networkAdministration) \(Capability.rawNetwork)" == "CAP_NET_ADMIN CAP_NET_RAW")
  }
}
